"""Each statement knows the heading that it stands below, and whether it is the first there."""

from report.shelf import record
from spyglass.kernel.journal import Journal
from spyglass.kernel.source import Passage
from spyglass.report.quotable import heading_above, headings_in, quotable
from spyglass.report.source_index import SourceIndex

TEXT = (
    "# Hives\n\nA hive is a wooden box for bees. It has ten frames in it.\n\n"
    "## Where do hives stand?\n\nHives stand in the shade of a tree. They face the morning sun.\n"
)


def test_the_nearest_heading_is_the_one_of_a_statement_and_nothing_before_it_is_its_context() -> None:
    journal = Journal()
    found = [one.candidate for one in quotable(SourceIndex.of([record(journal, "hives.md", TEXT)], journal))]
    assert [(one.heading, one.opens, one.before) for one in found] == [
        ("Hives", True, ""),
        ("Hives", False, "A hive is a wooden box for bees."),
        ("Where do hives stand?", True, ""),
        ("Where do hives stand?", False, "Hives stand in the shade of a tree."),
    ]
    journal.close()


def test_a_heading_stands_below_those_before_it_that_are_higher() -> None:
    text = "### Root\n\nIt is.\n\n### Revoke\n\nIt ends.\n\n## Limits\n\nThere are some.\n\nmost-lines\n\nOf a pier.\n"
    for begins_with in (text, text.removeprefix("### Root\n\n")):
        passage = Passage(text=begins_with, start=0, end=len(begins_with), heading="Directives > Root")
        assert [path for _, _, path in headings_in(passage, "mod_pier")][-3:] == [
            ("mod_pier", "Directives", "Revoke"),
            ("mod_pier", "Limits"),
            ("mod_pier", "Limits", "most-lines"),
        ]


def test_a_term_at_the_beginning_of_a_passage_heads_its_explanation() -> None:
    text = "-p, --pier\n\nMoor at the last pier that was used.\n"
    passage = Passage(text=text, start=90, end=90 + len(text), heading="OPTIONS")
    headings = headings_in(passage, "moor(1)")
    for at in (90, 90 + text.index("Moor")):
        assert heading_above(headings, at) == (90, "-p, --pier", ("moor(1)", "OPTIONS", "-p, --pier"))


def test_a_heading_that_is_repeated_with_its_markup_stands_once_in_the_path() -> None:
    text = "### Where does `pierd` log?\n\nIn its folder.\n"
    passage = Passage(text=text, start=0, end=len(text), heading="Questions > Where does pierd log?")
    assert headings_in(passage, "pierd")[-1][2] == ("pierd", "Questions", "Where does pierd log?")


def test_a_question_heads_what_answers_it() -> None:
    text = "# Boats\n\nCan a boat be moored under way?\n\nNo. It has to stand still.\n\n## Fees\n\nA boat pays a fee.\n"
    journal = Journal()
    found = [one.candidate for one in quotable(SourceIndex.of([record(journal, "a.md", text)], journal))]
    assert [(one.text, one.path[-1]) for one in found] == [
        ("No. It has to stand still.", "Can a boat be moored under way?"),
        ("A boat pays a fee.", "Fees"),
    ]
    journal.close()


def test_a_comment_in_code_heads_nothing() -> None:
    text = "# Piers\n\nTo close one:\n\n```\n# s = Pier()\ns.close()\n```\n\nA closed pier is not lit at night.\n"
    passage = Passage(text=text, start=0, end=len(text), heading="Piers")
    assert [heading for _, heading, _ in headings_in(passage, "Piers")] == ["Piers", "Piers"]


def test_what_goes_on_behind_a_block_of_code_lacks_its_beginning() -> None:
    text = (
        "# Timeouts\n\nThe line\n\n```\nalive 15 3\n```\n\nwill cause a silent client to be thrown out soon.\n\n"
        "There are two ways:\n\n- with a limit, which all of the clients share\n\npierd keeps the others for a day.\n"
    )
    journal = Journal()
    found = [one.candidate for one in quotable(SourceIndex.of([record(journal, "a.md", text)], journal))]
    assert [one.text.partition(" ")[0] for one in found if one.torn] == ["will"]
    assert {"with", "pierd"} <= {one.text.partition(" ")[0] for one in found}
    journal.close()
