"""Citations are numbered by first appearance, each is an exact span, and a claim is its sentence."""

from markdown_it import MarkdownIt

from report.shelf import HONEY, WASPS, record
from report.written import text_of, texts_of
from spyglass.evidence.reason import OTHERWISE
from spyglass.kernel.journal import Journal
from spyglass.kernel.source import Verdict
from spyglass.markup import Block, Cite, ListBlock, Paragraph, Part, Row, Sentence, Styled, TableBlock
from spyglass.render.labels import labels_in
from spyglass.render.markdown import MarkdownWriter
from spyglass.report.derive import cited, references, shortened
from spyglass.report.draft import Draft
from spyglass.report.report import claims_of
from spyglass.report.source_index import CitedPassage, SourceIndex


def cite(passage: CitedPassage, words: str) -> Cite:
    start = passage.passage.start + passage.passage.text.index(words)
    return Cite(passage=passage.label, start=start, end=start + len(words))


def said(*parts: Part, verdict: Verdict | None = None) -> Sentence:
    return Sentence(parts=list(parts), asserts=True, verdict=verdict)


def draft(title: str, *blocks: Block) -> Draft:
    return Draft(title=title, blocks=list(blocks))


def shelf() -> tuple[Journal, SourceIndex]:
    journal = Journal()
    dance, queen = "Foragers tell the others where the flowers are", "The queen lays up to 2,000 eggs a day."
    found = [record(journal, "bees.md", HONEY, queen, dance), record(journal, "wasps.md", WASPS)]
    return journal, SourceIndex.of(found, journal)


HALF = Verdict(verdict="partial", score=0.5, reasons=[OTHERWISE])


def test_numbers_follow_the_first_appearance_of_a_passage_over_all_sections() -> None:
    journal, index = shelf()
    queen, dance, wasps = index.passages
    sections = [
        draft(
            "One",
            Paragraph(
                sentences=[said("Wasps chew.", cite(wasps, "chew")), said("Bees dance.", cite(dance, "Foragers"))]
            ),
        ),
        draft(
            "Two",
            Paragraph(sentences=[said("Queens.", cite(queen, "queen"), cite(wasps, "paper")), said("Wasps again.")]),
        ),
    ]
    citations = cited(sections, index, lambda _: None)
    assert texts_of(sections) == ["Wasps chew. [1] Bees dance. [2]", "Queens. [3][1] Wasps again."]
    sources = {one.source.id: one.source for one in index.passages}
    assert [(entry.number, entry.title, entry.quote) for entry in references(citations, sources)] == [
        (1, "wasps.md", "chew"),
        (2, "bees.md", "Foragers"),
        (3, "bees.md", "queen"),
    ]
    assert [citation.number for citation in citations] == [1, 2, 3, 1]
    for citation in citations:
        assert (journal.snapshot(citation.snapshot) or "")[citation.start : citation.end] == citation.quote


def test_a_reference_names_the_lines_of_what_is_cited_not_those_of_its_passage() -> None:
    journal = Journal()
    told = "# Pier\n\nIt is old.\n\nIt is closed.\nIt will\nstay so.\n\nIt leans.\n"
    (passage,) = (index := SourceIndex.of([record(journal, "pier.md", told)], journal)).passages
    once = [draft("One", Paragraph(sentences=[said("Closed.", cite(passage, "It is closed."))]))]
    twice = [*once, draft("Two", Paragraph(sentences=[said("Still.", cite(passage, "It will\nstay so."))]))]
    for sections, lines in ((once, (5, 5)), (twice, (5, 7))):
        (entry,) = references(cited(sections, index, journal.snapshot), {passage.source.id: passage.source})
        assert (entry.line, entry.last_line) == lines


def test_only_what_begins_a_row_of_data_has_the_names_of_its_columns() -> None:
    journal = Journal()
    index = SourceIndex.of(
        [record(journal, "offers.csv", "Offer,Pump,Price\nNorth,air,23400\nDeep,ground,41900\n")], journal
    )
    (passage,) = index.passages
    row, cell = cite(passage, "Deep,ground,41900"), cite(passage, "ground,41900")
    sections = [draft("Offers", Paragraph(sentences=[said("Deep.", row), said("Ground.", cell)]))]
    assert [one.columns for one in cited(sections, index, journal.snapshot)] == [["Offer", "Pump", "Price"], []]


def test_text_behind_a_citation_cannot_make_a_link_of_it() -> None:
    one = cite(shelf()[1].passages[0], "queen")
    text = text_of(
        draft(
            "A",
            Paragraph(sentences=[said(one, ": evil.html")]),
            Paragraph(sentences=[said("see", one, "(javascript:x) end")]),
        )
    )
    kinds = [child.type for token in MarkdownIt().parse(text) for child in token.children or []]
    assert "link_open" not in kinds
    assert text == "[1] : evil.html\n\nsee [1] (javascript:x) end"


def test_a_long_quote_is_cut_between_words_and_stays_verbatim() -> None:
    quote = "many words " * 60
    cut = shortened(quote)
    assert quote.startswith(cut)
    assert len(cut) <= 300
    assert cut.endswith(("words", "many"))
    assert len(shortened("x" * 900)) == 300


def test_a_claim_is_what_is_seen_of_its_sentence_and_has_a_place_in_what_is_written() -> None:
    one = cite(shelf()[1].passages[0], "queen")
    queen = said("A ", Styled(text="queen", style=["strong"]), " lays", one, ".", verdict=HALF)
    section = draft("Bees", ListBlock(items=[[Paragraph(sentences=[queen, said("So.")])]]))
    writer = MarkdownWriter(labels_in("en"), lambda _: "[1]")
    writer.write(section.blocks)
    assert writer.text == "- A **queen** lays [1]. *(partly supported)* So."
    assert [writer.text[start:end] for start, end in writer.claims] == ["A **queen** lays [1].", "So."]
    first, second = claims_of([section])
    assert (first.text, list(first.citations), first.verdict, first.reasons) == (
        "A queen lays.",
        [0],
        "partial",
        [OTHERWISE],
    )
    assert (second.text, second.verdict, list(second.citations)) == ("So.", "unchecked", [])


def test_a_row_of_a_table_takes_its_citation_and_its_mark_into_its_last_cell() -> None:
    row = Row(cells=[["queen"], ["2,000"]], columns=["Who", "Eggs"], asserts=True, verdict=HALF)
    cited_row = row.citing([cite(shelf()[1].passages[0], "queen")])
    table = TableBlock(head=Row(cells=[["Who"], ["Eggs"]]), rows=[cited_row])
    assert text_of(draft("A", table)).splitlines()[-1] == "| queen | 2,000 [1] *(partly supported)* |"
    assert row.text == "Who: queen · Eggs: 2,000"


def test_a_citation_that_goes_leaves_no_blank_before_the_full_stop() -> None:
    queen, dance, _ = shelf()[1].passages
    one = said("The queen lays", cite(queen, "queen"), " eggs", cite(dance, "Foragers"), ".")
    assert one.citing([]).text == "The queen lays eggs."
    assert one.citing([cite(dance, "flowers")]).cites == [cite(dance, "flowers")]
