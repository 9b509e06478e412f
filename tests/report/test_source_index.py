"""Sources get short ids, and every passage is a span of a kept text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.shelf import HONEY, WASPS, bees, plain_record, record
from spyglass.kernel.journal import Journal
from spyglass.report.source_index import SourceIndex


@pytest.fixture
def journal() -> Journal:
    return Journal()


def anchored(source_index: SourceIndex, journal: Journal) -> bool:
    """Whether every passage is what the journal keeps in its place."""
    return all(
        (journal.snapshot(one.source.snapshot) or "")[one.passage.start : one.passage.end] == one.passage.text
        for one in source_index.passages
    )


def test_sources_are_numbered_in_the_order_in_which_they_came(journal: Journal) -> None:
    source_index = SourceIndex.of(bees(journal), journal)
    assert [(entry.id, entry.source.title) for entry in source_index.entries] == [
        ("S1", "bees.md"),
        ("S2", "wasps.md"),
        ("S3", "hives.md"),
    ]
    assert [passage.label for passage in source_index.passages] == ["S1.1", "S2.1", "S3.1"]
    assert anchored(source_index, journal)


def test_a_source_found_twice_is_one_with_the_passages_of_both(journal: Journal) -> None:
    dance, queen = "Foragers tell the others", "The queen lays up to 2,000 eggs a day."
    found = [record(journal, "bees.md", HONEY, dance), record(journal, "bees.md", HONEY, queen, dance)]
    source_index = SourceIndex.of(found, journal)
    assert [passage.passage.text for passage in source_index.passages] == [queen, dance]
    assert len(source_index.entries) == 1


def test_a_record_with_the_five_keys_is_cited_from_its_summary(journal: Journal) -> None:
    source_index = SourceIndex.of([plain_record("bees", "Bees dance. They like flowers.")], journal)
    (passage,) = source_index.passages
    assert passage.passage.text == "Bees dance. They like flowers."
    assert anchored(source_index, journal)


def test_a_long_summary_is_cut_between_sentences(journal: Journal) -> None:
    summary = " ".join(f"This is sentence number {number} about the bees of this valley." for number in range(200))
    source_index = SourceIndex.of([plain_record("bees", summary)], journal)
    assert len(source_index.passages) > 5
    assert all(passage.passage.text.endswith("valley.") for passage in source_index.passages)
    assert all(len(passage.passage.text) <= 1500 for passage in source_index.passages)
    assert anchored(source_index, journal)


def test_passages_that_are_not_what_the_journal_keeps_become_their_own_snapshot(journal: Journal) -> None:
    strange = record(journal, "bees.md", HONEY, "The queen lays up to 2,000 eggs a day.")
    strange["passages"][0]["start"] += 3
    source_index = SourceIndex.of([strange], journal)
    assert source_index.passages[0].passage.text == "The queen lays up to 2,000 eggs a day."
    assert anchored(source_index, journal)


def test_a_source_without_text_is_listed_but_cannot_be_cited(journal: Journal) -> None:
    source_index = SourceIndex.of([plain_record("empty", " "), record(journal, "wasps.md", WASPS)], journal)
    assert [entry.id for entry in source_index.entries] == ["S1"]
    assert [source.title for source in source_index.sources] == ["wasps.md", "empty"]


def test_a_span_outside_the_passage_is_refused(journal: Journal) -> None:
    (passage,) = SourceIndex.of([record(journal, "w.md", WASPS, "Wasps chew wood")], journal).passages
    with pytest.raises(LookupError, match=r"not within the passage S1\.1"):
        passage.verbatim(0, 5)


@pytest.mark.parametrize("lines", [2, 60])
def test_what_stands_in_a_block_of_code_is_no_statement_wherever_a_passage_begins_in_it(
    journal: Journal, lines: int
) -> None:
    shown = "Pins: the mirror of stable has a priority of 990, and wins.\n"
    after = "The command shows the priorities of all the versions of a package."
    text = f"# Pins\n\n```\n{shown * lines}```\n\n{after}\n\n```\n{shown}```\n"
    index = SourceIndex.of([record(journal, "pins.md", text, shown * 2 + "```")], journal)
    assert not index.passages[0].statements
    index = SourceIndex.of([record(journal, "pins.md", text, after)], journal)
    assert [one.text for one in index.passages[0].statements] == [after]


@given(st.lists(st.tuples(st.text(max_size=300), st.text(max_size=20)), max_size=4))
def test_whatever_a_stranger_hands_over_can_be_checked(texts: list[tuple[str, str]]) -> None:
    journal = Journal()
    source_index = SourceIndex.of([plain_record(title, summary) for summary, title in texts], journal)
    assert anchored(source_index, journal)
    for passage in source_index.passages:
        text = journal.snapshot(passage.source.snapshot) or ""
        for statement in passage.statements:
            assert passage.verbatim(statement.start, statement.end) == text[statement.start : statement.end]


def test_a_passage_below_the_names_of_its_columns_has_them(journal: Journal) -> None:
    stock = "Article,Left\n" + "".join(f"Pen {number},{number}\n" for number in range(30))
    (passage,) = SourceIndex.of([record(journal, "stock.csv", stock, "Pen 20,20\nPen 21,21\n")], journal).passages
    assert passage.passage.columns == ("Article", "Left")
    wrong = record(journal, "bees.md", HONEY, "The queen lays up to 2,000 eggs a day.")
    wrong["passages"][0]["columns"] = ["Price"]
    (passage,) = SourceIndex.of([wrong], journal).passages
    assert passage.passage.columns == ()
    wrong["snapshot"] = ""
    (passage,) = SourceIndex.of([wrong], journal).passages
    assert passage.passage.columns == ()
