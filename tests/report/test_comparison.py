"""What a question compares stands side by side, each line with its source."""

import pytest

from report.shelf import record
from report.written import text_of
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.markup import TableBlock
from spyglass.report.checker import Checker
from spyglass.report.comparison import compared
from spyglass.report.composer import Composer
from spyglass.report.draft import Draft
from spyglass.report.report import claims_of
from spyglass.report.source_index import SourceIndex

LENS = (
    "A refracting telescope gathers light with a lens at the front of its tube. "
    "Colours focus at different places in a refracting telescope."
)
MIRROR = (
    "A reflecting telescope gathers light with a curved mirror. A reflecting telescope brings all colours to one focus."
)
QUESTION = "Compare the refracting telescope with the reflecting telescope"


async def summary(run: Run, question: str, *texts: str) -> tuple[SourceIndex, Draft | None]:
    journal = Journal()
    source_index = SourceIndex.of([record(journal, f"{number}.md", text) for number, text in enumerate(texts)], journal)
    composer = Composer(run, run.settings.updated(retrieval__dense=False), source_index, question)
    await composer.rank()
    return source_index, composer.extractor().summary("Summary")


async def test_a_comparison_is_a_table_whose_lines_say_the_same_of_both(run: Run) -> None:
    source_index, draft = await summary(run, QUESTION, LENS, MIRROR)
    assert draft is not None
    checked = Checker(source_index).judged(draft)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text_of(checked).splitlines()[2:]]
    assert sorted(thing for thing, _ in rows) == ["**reflecting telescope**"] * 2 + ["**refracting telescope**"] * 2
    said = [text for _, text in rows]
    colours = said.index("Colours focus at different places in a refracting telescope. [1]")
    assert said[colours + 1] == "A reflecting telescope brings all colours to one focus. [2]"
    assert {claim.verdict for claim in claims_of([checked])} == {"supported"}


async def test_a_line_speaks_of_its_own_side_by_its_words_or_the_heading_above_it(run: Run) -> None:
    both = "# Telescopes\n\nUnlike a refracting telescope, a reflecting telescope has no lens in the tube at all.\n\n"
    own = "## The reflecting telescope\n\nIt gathers the light with a curved mirror.\n"
    _, draft = await summary(run, QUESTION, LENS, both + own)
    assert draft is not None
    lines = [sentence.text for sentence in draft.units]
    assert any(line.startswith("reflecting telescope: It gathers the light") for line in lines), lines
    assert [line.startswith("Unlike") for line in lines if "Unlike" in line] == [True], "it tells the two apart"


async def test_what_is_told_of_a_command_is_of_the_command_that_it_explains(run: Run) -> None:
    told = (
        "# Commands\n\npop [--index] [-q|--quiet] [<stash>]\n\n"
        "Remove a single state from the list and apply it on top of the working tree.\n\n"
        "apply [--index] [-q|--quiet] [<stash>]\n\n"
        "Like pop, but do not remove the state from the list.\n"
    )
    _, draft = await summary(run, "What is the difference between git stash pop and git stash apply?", told)
    assert draft is not None
    rows = [line for line in text_of(draft).splitlines()[2:] if line.startswith("|")]
    assert [(line.split("**")[1], "Like pop" in line) for line in rows] == [
        ("git stash pop", False),
        ("git stash apply", True),
    ]


async def test_a_comparison_begins_with_what_each_thing_is_below_what_tells_them_apart(run: Run) -> None:
    lens = "# Lenses\n\nA lens is a piece of glass that bends light.\n\nA lens must be kept dry in winter.\n"
    mirror = "# Mirrors\n\nA mirror is a surface that throws light back.\n\nA mirror must be kept dry in winter.\n"
    both = "The main difference between a lens and a mirror is that light goes through a lens only.\n"
    _, draft = await summary(run, "What is the difference between a lens and a mirror?", lens, mirror, both)
    assert draft is not None
    said = text_of(draft).splitlines()
    assert said[0].startswith("The main difference between a lens and a mirror is")
    rows = [line for line in said if line.startswith("| **")]
    assert "A lens is a piece of glass" in rows[0]
    assert "A mirror is a surface" in rows[1]


async def test_a_thing_of_which_nothing_is_said_makes_no_table(run: Run) -> None:
    _, draft = await summary(run, QUESTION, LENS)
    assert draft is None or not isinstance(draft.blocks[0], TableBlock)


async def test_what_only_leads_to_a_list_stands_on_no_side(run: Run) -> None:
    told = (
        "# Forget\n\nThe forget command takes these options:\n\n- one that keeps the last ones\n- one more of them\n\n"
        "The forget command removes a snapshot from the archive.\n\n"
        "# Prune\n\nThe prune command takes these options:\n\n- one that limits the time\n- one more of these\n\n"
        "The prune command removes the data of a snapshot from the archive.\n"
    )
    _, draft = await summary(run, "What is the difference between forget and prune?", told)
    assert draft is not None
    said = text_of(draft)
    assert "removes the data" in said
    assert "these options" not in said


@pytest.mark.parametrize(
    ("question", "things"),
    [
        (QUESTION, ["refracting telescope", "reflecting telescope"]),
        ("SQLite vs. PostgreSQL", ["SQLite", "PostgreSQL"]),
        ("What is the difference between a lens and a mirror?", ["lens", "mirror"]),
        ("How deep is the harbour?", []),
    ],
)
def test_two_things_are_compared_or_none(question: str, things: list[str]) -> None:
    assert compared(question) == things


async def test_whether_two_things_are_told_apart_is_never_sure_where_one_has_all_words_of_the_other(run: Run) -> None:
    journal = Journal()
    told = "The difference between the lens and the {} is that the lens gathers light and the {} keeps it out."
    for other, is_unsure in (("shutter", False), ("lens cap", True)):
        source_index = SourceIndex.of([record(journal, f"{other}.md", told.format(other, other))], journal)
        asked = f"What is the difference between the lens and the {other}?"
        composer = Composer(run, run.settings.updated(retrieval__dense=False), source_index, asked)
        await composer.rank()
        assert (composer.verdicts([])[asked] == "perhaps", composer.is_unsure) == (is_unsure, is_unsure)
    journal.close()
