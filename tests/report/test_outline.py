"""Every section has sources that exist, and every source a section."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.shelf import bees, plain_record
from spyglass.kernel.journal import Journal
from spyglass.kernel.plan import Task
from spyglass.kernel.settings import Length
from spyglass.report.outline import Outline, OutlinedSection, assigned, bounded, by_source, by_task, completed
from spyglass.report.source_index import SourceIndex


@pytest.fixture
def source_index() -> SourceIndex:
    journal = Journal()
    return SourceIndex.of(bees(journal), journal)


def shape(outline: Outline | None) -> dict[str, list[str]]:
    assert outline is not None
    return {section.title: section.sources for section in outline.sections}


def test_sources_go_to_the_titles_that_they_have_words_for(source_index: SourceIndex) -> None:
    outline = assigned(
        ["The dance of the bees", "Nests of paper", "Frames in a hive"], source_index, "How do insects live?"
    )
    assert shape(outline) == {
        "The dance of the bees": ["S1"],
        "Nests of paper": ["S2"],
        "Frames in a hive": ["S3"],
    }


def test_ids_that_do_not_exist_are_dropped_and_forgotten_sources_placed(source_index: SourceIndex) -> None:
    sections = [
        OutlinedSection(title="Dance", sources=["S1", "S9", "https://evil.example"]),
        OutlinedSection(title="Wasp nests of paper", sources=["S2"]),
    ]
    outline = shape(completed(Outline(sections=sections), source_index, "insects"))
    assert outline["Dance"][0] == "S1"
    assert sorted(set(outline["Dance"] + outline["Wasp nests of paper"])) == ["S1", "S2", "S3"]


def test_a_section_that_nobody_gave_a_source_gets_the_best_matching(source_index: SourceIndex) -> None:
    sections = [
        OutlinedSection(title="All", sources=["S1", "S2", "S3"]),
        OutlinedSection(title="Wood and paper", sources=["S77"]),
    ]
    assert shape(completed(Outline(sections=sections), source_index, "insects"))["Wood and paper"][0] == "S2"


@given(st.lists(st.tuples(st.text(min_size=1, max_size=8), st.lists(st.sampled_from(["S1", "S2", "S3", "S4", "x"])))))
def test_a_mended_outline_is_whole(sections: list[tuple[str, list[str]]]) -> None:
    journal = Journal()
    source_index = SourceIndex.of(bees(journal), journal)
    outline = completed(
        Outline(sections=[OutlinedSection(title=title, sources=ids) for title, ids in sections]), source_index, "bees"
    )
    placed = {short_id for section in outline.sections for short_id in section.sources}
    assert all(section.sources for section in outline.sections)
    assert placed == ({"S1", "S2", "S3"} if sections else set())


@pytest.mark.parametrize(("length", "most"), [("short", 2), ("normal", 5), ("long", 8)])
def test_the_length_bounds_the_number_of_sections(length: Length, most: int) -> None:
    assert len(bounded([f"Title {number}" for number in range(20)], length)) == most


def test_sections_that_the_code_writes_itself_are_not_planned() -> None:
    titles = ["Summary", "## Dance", "dance", "References", "Quellen", " ", "Nests:"]
    assert bounded(titles, "long") == ["Dance", "Nests"]


def test_sub_questions_of_the_plan_are_sections_of_what_their_tasks_found() -> None:
    journal = Journal()
    dance, paper = Task(task="How do bees dance?", agent="a"), Task(task="what are nests made of?", agent="a")
    more = Task(task="wasp nest material", agent="a", serves=paper.task)
    found = [
        {**one, "task": task.task}
        for one, task in zip([*bees(journal), *bees(journal)], [dance, more, dance, paper, paper, dance], strict=True)
    ]
    outline = by_task(SourceIndex.of(found, journal), [dance, paper, more], "insects", "normal")
    assert shape(outline) == {dance.task: ["S1", "S3"], "What are nests made of?": ["S1", "S2"]}


def test_a_single_question_has_no_sections_by_task(source_index: SourceIndex) -> None:
    task = Task(task="One question", agent="a")
    assert by_task(source_index, [task, task], "insects", "normal") is None


def test_documents_are_sections_when_nothing_else_is_known(source_index: SourceIndex) -> None:
    outline = by_source(source_index, "How much honey does a colony give?", "normal", "Further findings")
    assert next(iter(shape(outline))) == "hives.md"
    assert list(shape(outline).values()) == [["S3"], ["S1"], ["S2"]]


def test_documents_beyond_the_number_of_sections_share_the_last() -> None:
    journal = Journal()
    found = [plain_record(f"file {number}", f"Bees dance in the hive number {number}.") for number in range(9)]
    outline = by_source(SourceIndex.of(found, journal), "bees", "normal", "Further findings")
    assert len(outline.sections) == 5
    assert outline.sections[-1].title == "Further findings"
    assert len(outline.sections[-1].sources) == 5
