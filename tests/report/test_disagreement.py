"""A report tells where its sources disagree, with both sides in their own words."""

from typing import Any

import pytest

from report.shelf import record
from spyglass.kernel.journal import Journal
from spyglass.kernel.source import Citation, digest
from spyglass.report.disagreement import MOST, disagreements
from spyglass.report.source_index import SourceIndex

TALL = "The Eiffel Tower is 330 metres tall."
SHORT = "The **Eiffel Tower** is 300 metres tall."
PARIS = f"# Paris\n\nParis lies on the river Seine, and many people visit it. {TALL} It is made of iron.\n"
GUIDE = (
    f"# A guide\n\nVisitors of Paris climb many stairs on their way up. {SHORT}\n\n- The Eiffel Tower is 299 m tall.\n"
)


@pytest.fixture
def journal() -> Journal:
    return Journal()


def page(journal: Journal, name: str, text: str, **more: Any) -> dict[str, Any]:
    return record(journal, name, text, url=f"https://{name}/a", kind="web", domain=name, **more) | {"path": ""}


def cite(source_index: SourceIndex, words: str) -> Citation:
    (passage,) = (one for one in source_index.passages if words in one.passage.text)
    start = passage.passage.start + passage.passage.text.index(words)
    source = passage.source
    return Citation(
        number=1,
        source_id=source.id,
        passage=0,
        snapshot=source.snapshot,
        start=start,
        end=start + len(words),
        quote=words,
    )


def test_both_sides_are_verbatim_with_their_dates_and_credibility(journal: Journal) -> None:
    records = [
        page(journal, "paris.example", PARIS, published="2021-05-01", credibility_score=80),
        page(journal, "guide.example", GUIDE, published="2024", credibility_score=50),
    ]
    source_index = SourceIndex.of(records, journal)
    (found,) = disagreements(source_index, [cite(source_index, TALL)], {})
    assert found.subject == "Eiffel Tower tall"
    assert (found.first.quote, found.second.quote) == (TALL, SHORT)
    for side, text in ((found.first, PARIS), (found.second, GUIDE)):
        assert text[side.start : side.end] == side.quote
        assert side.snapshot == digest(text, size=64)
    assert (found.first.credibility_score, found.second.credibility_score) == (80, 50)
    assert (found.first.published, found.second.published, found.newer) == ("2021-05-01", "2024", "second")
    assert (found.first.url, found.first.path) == ("https://paris.example/a", "")
    assert found.second.retrieved_at == "2026-03-01T10:00:00+00:00"


@pytest.mark.parametrize(
    ("first", "second", "newer"),
    [
        ("2021-05-01", "2020-12-31", "first"),
        ("2021", "2021-05-01", ""),
        ("2021-05-01", "2021-05-01", ""),
        ("", "2021-05-01", ""),
        ("", "", ""),
    ],
)
def test_newer_is_what_was_published_later_where_both_say_when(
    journal: Journal, first: str, second: str, newer: str
) -> None:
    records = [
        page(journal, "paris.example", PARIS, published=first),
        page(journal, "guide.example", GUIDE, published=second),
    ]
    source_index = SourceIndex.of(records, journal)
    (found,) = disagreements(source_index, [cite(source_index, TALL)], {})
    assert found.newer == newer


def test_a_file_may_contradict_a_page(journal: Journal) -> None:
    source_index = SourceIndex.of([page(journal, "paris.example", PARIS), record(journal, "guide.md", GUIDE)], journal)
    (found,) = disagreements(source_index, [cite(source_index, TALL)], {})
    sides = {side.path: side.url for side in (found.first, found.second)}
    assert sides == {"guide.md": "", "": "https://paris.example/a"}


def test_what_the_report_does_not_cite_is_not_its_contradiction(journal: Journal) -> None:
    source_index = SourceIndex.of([record(journal, "paris.md", PARIS), record(journal, "guide.md", GUIDE)], journal)
    assert disagreements(source_index, [cite(source_index, "Paris lies on the river Seine")], {}) == []
    assert disagreements(source_index, [], {}) == []


def test_a_citation_of_a_part_of_a_sentence_cites_it(journal: Journal) -> None:
    source_index = SourceIndex.of([record(journal, "paris.md", PARIS), record(journal, "guide.md", GUIDE)], journal)
    assert len(disagreements(source_index, [cite(source_index, "330 metres")], {})) == 1


def test_copies_do_not_disagree(journal: Journal) -> None:
    source_index = SourceIndex.of([record(journal, "paris.md", PARIS), record(journal, "guide.md", GUIDE)], journal)
    first, second = (entry.source.id for entry in source_index.entries)
    assert disagreements(source_index, [cite(source_index, TALL)], {first: first, second: first}) == []


def test_an_item_of_a_list_contradicts_nothing(journal: Journal) -> None:
    items = "# Towers\n\nTowers:\n\n- The Eiffel Tower is 299 m tall.\n1. The Eiffel Tower is 298 m tall.\n"
    source_index = SourceIndex.of([record(journal, "paris.md", PARIS), record(journal, "towers.md", items)], journal)
    assert disagreements(source_index, [cite(source_index, TALL)], {}) == []


def test_overlapping_passages_hold_a_statement_once(journal: Journal) -> None:
    source_index = SourceIndex.of(
        [record(journal, "paris.md", PARIS, PARIS, f"{TALL} It is made of iron."), record(journal, "guide.md", GUIDE)],
        journal,
    )
    assert len(source_index.passages) == 3
    whole = next(entry for entry in source_index.entries if entry.source.path == "paris.md").source
    start = PARIS.index(TALL)
    cited = Citation(
        number=1, source_id=whole.id, passage=0, snapshot=whole.snapshot, start=start, end=start + len(TALL), quote=TALL
    )
    assert len(disagreements(source_index, [cited], {})) == 1


def test_the_list_has_an_end(journal: Journal) -> None:
    heights = [
        record(journal, f"{height}.md", f"The Eiffel Tower is {height} metres tall.\n") for height in range(200, 230)
    ]
    source_index = SourceIndex.of([record(journal, "paris.md", PARIS), *heights], journal)
    assert len(disagreements(source_index, [cite(source_index, TALL)], {})) == MOST
