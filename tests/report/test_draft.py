"""Citations are numbered by first appearance, and each is an exact span."""

from markdown_it import MarkdownIt

from report.shelf import HONEY, WASPS, record
from spyglass.journal import Journal
from spyglass.report.catalogue import Catalogue, Labelled
from spyglass.report.draft import Cite, Draft, Numbering, shortened


def cite(passage: Labelled, words: str) -> Cite:
    start = passage.passage.start + passage.passage.text.index(words)
    return Cite(passage, start, start + len(words))


def shelf() -> tuple[Journal, list[Labelled]]:
    journal = Journal()
    dance, queen = "Foragers tell the others where the flowers are", "The queen lays up to 2,000 eggs a day."
    found = [record(journal, "bees.md", HONEY, queen, dance), record(journal, "wasps.md", WASPS)]
    return journal, Catalogue.of(found, journal).passages


def test_numbers_follow_the_first_appearance_of_a_passage_over_all_sections() -> None:
    journal, (queen, dance, wasps) = shelf()
    numbering = Numbering()
    sections = numbering.sections(
        [
            Draft("One", ("Wasps chew. ", cite(wasps, "chew"), " Bees dance. ", cite(dance, "Foragers"))),
            Draft("Two", ("Queens. ", cite(queen, "queen"), cite(wasps, "paper"), " Wasps again. ")),
        ]
    )
    assert [section.text for section in sections] == ["Wasps chew. [1] Bees dance. [2]", "Queens. [3][1] Wasps again. "]
    assert [(entry.number, entry.title, entry.quote) for entry in numbering.references] == [
        (1, "wasps.md", "chew"),
        (2, "bees.md", "Foragers"),
        (3, "bees.md", "queen"),
    ]
    assert [citation.number for citation in numbering.citations] == [1, 2, 3, 1]
    for citation in numbering.citations:
        assert (journal.snapshot(citation.snapshot) or "")[citation.start : citation.end] == citation.quote


def test_text_behind_a_citation_cannot_make_a_link_of_it() -> None:
    _, (queen, *_) = shelf()
    one = cite(queen, "queen")
    (section,) = Numbering().sections([Draft("A", (one, ": evil.html\n\nsee ", one, "(javascript:x) end"))])
    kinds = [child.type for token in MarkdownIt().parse(section.text) for child in token.children or []]
    assert "link_open" not in kinds
    assert section.text == "[1] : evil.html\n\nsee [1] (javascript:x) end"


def test_a_long_quote_is_cut_between_words_and_stays_verbatim() -> None:
    quote = "many words " * 60
    cut = shortened(quote)
    assert quote.startswith(cut)
    assert len(cut) <= 300
    assert cut.endswith(("words", "many"))
    assert len(shortened("x" * 900)) == 300
