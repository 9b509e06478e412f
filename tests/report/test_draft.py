"""Citations are numbered by first appearance, and each is an exact span."""

from markdown_it import MarkdownIt

from report.shelf import HONEY, WASPS, record
from spyglass.evidence.reason import OTHERWISE
from spyglass.kernel.journal import Journal
from spyglass.kernel.source import Verdict
from spyglass.report.derive import references, shortened
from spyglass.report.draft import Cite, Draft, Numbering, Sentence
from spyglass.report.source_index import CitedPassage, SourceIndex


def cite(passage: CitedPassage, words: str) -> Cite:
    start = passage.passage.start + passage.passage.text.index(words)
    return Cite(passage, start, start + len(words))


def said(*parts: str | Cite, verdict: Verdict | None = None, mark: str = "") -> Sentence:
    return Sentence(parts, asserts=True, verdict=verdict, mark=mark)


def shelf() -> tuple[Journal, list[CitedPassage]]:
    journal = Journal()
    dance, queen = "Foragers tell the others where the flowers are", "The queen lays up to 2,000 eggs a day."
    found = [record(journal, "bees.md", HONEY, queen, dance), record(journal, "wasps.md", WASPS)]
    return journal, SourceIndex.of(found, journal).passages


def test_numbers_follow_the_first_appearance_of_a_passage_over_all_sections() -> None:
    journal, (queen, dance, wasps) = shelf()
    numbering = Numbering()
    sections = numbering.sections(
        [
            Draft(
                "One", (said("Wasps chew. ", cite(wasps, "chew")), " ", said("Bees dance. ", cite(dance, "Foragers")))
            ),
            Draft("Two", (said("Queens. ", cite(queen, "queen"), cite(wasps, "paper")), " ", said("Wasps again."))),
        ]
    )
    assert [section.text for section in sections] == ["Wasps chew. [1] Bees dance. [2]", "Queens. [3][1] Wasps again."]
    sources = {place.source.id: place.source for place in (queen, dance, wasps)}
    assert [(entry.number, entry.title, entry.quote) for entry in references(numbering.citations, sources)] == [
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
    (section,) = Numbering().sections(
        [Draft("A", (said(one), ": evil.html\n\n", said("see ", one, "(javascript:x) end")))]
    )
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


def test_a_claim_is_where_its_sentence_stands_with_its_markers_and_without_its_mark() -> None:
    _, (queen, *_) = shelf()
    half = Verdict(verdict="partial", score=0.5, reasons=[OTHERWISE])
    sentences = (said("A **queen** lays ", cite(queen, "queen"), ".", verdict=half, mark="partly"), " ", said("So."))
    numbering = Numbering()
    (section,) = numbering.sections([Draft("Bees", ("- ", *sentences))])
    assert section.text == "- A **queen** lays [1]. *(partly)* So."
    first, second = numbering.claims
    assert section.text[first.start : first.end] == "A **queen** lays [1]."
    assert (first.text, first.citations, first.verdict, first.reasons) == (
        "A queen lays.",
        [0],
        "partial",
        [OTHERWISE],
    )
    assert (section.text[second.start : second.end], second.verdict, second.citations) == ("So.", "unchecked", [])


def test_a_row_of_a_table_takes_its_citation_and_its_mark_into_its_last_cell() -> None:
    _, (queen, *_) = shelf()
    row = Sentence(("| queen | 2,000 |",), asserts=True, head=("Who", "Eggs"), mark="partly")
    (section,) = Numbering().sections([Draft("A", (row.citing([cite(queen, "queen")]),))])
    assert section.text == "| queen | 2,000 [1] *(partly)* |"
    assert row.text == "Who: queen · Eggs: 2,000"


def test_a_citation_that_goes_leaves_no_blank_before_the_full_stop() -> None:
    _, (queen, dance, _) = shelf()
    one = said("The queen lays ", cite(queen, "queen"), " eggs ", cite(dance, "Foragers"), ".")
    assert "".join(part for part in one.citing([]).parts if isinstance(part, str)) == "The queen lays eggs."
    assert one.citing([cite(dance, "flowers")]).cites == [cite(dance, "flowers")]
