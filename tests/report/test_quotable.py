"""Each statement knows the heading that it stands below, and whether it is the first there."""

from report.shelf import record
from spyglass.kernel.journal import Journal
from spyglass.report.quotable import closes, following, quotable
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


def test_a_question_heads_what_answers_it() -> None:
    text = "# Boats\n\nCan a boat be moored under way?\n\nNo. It has to stand still.\n\n## Fees\n\nA boat pays a fee.\n"
    journal = Journal()
    found = [one.candidate for one in quotable(SourceIndex.of([record(journal, "a.md", text)], journal))]
    assert [(one.text, one.path[-1]) for one in found] == [
        ("No. It has to stand still.", "Can a boat be moored under way?"),
        ("A boat pays a fee.", "Fees"),
    ]
    journal.close()


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


def test_the_last_line_of_a_paragraph_closes_it_and_an_item_of_a_list_does_not() -> None:
    text = (
        "The lamp that burns at night for the boats.\nLAMP=red\n\n"
        "Some things have to be brought along.\n- a rope of hemp and a new sail of canvas\n\nFEE=12\n"
    )
    journal = Journal()
    found = quotable(SourceIndex.of([record(journal, "harbour.conf", text)], journal))
    assert [one.statement.text for one in found if closes(one, found)] == ["LAMP=red"]
    assert {"FEE=12", "a rope of hemp and a new sail of canvas"} <= {one.statement.text for one in found}
    journal.close()


def test_what_follows_in_the_minutes_of_a_meeting_ends_where_the_next_subject_begins() -> None:
    text = (
        "# Meeting\n\nThe harbour board met on Monday and settled these things:\n\n"
        "- **Pier**: the planks are rotten. New ones cost 400 crowns. Ada orders them from the mill.\n"
        "- **Rent**: the mill wants more of it. It rises to 90 crowns in May.\n- **Nets**: 40 crowns for one of them.\n"
        "- **Ropes**: 30 crowns for one of them.\n\nNobody spoke of the fish this time.\n"
    )
    journal = Journal()
    found = quotable(SourceIndex.of([record(journal, "a.md", text)], journal))
    said = {one.statement.text: [other.statement.text for other in following(one, found)] for one in found}
    assert said["Pier: the planks are rotten."] == ["New ones cost 400 crowns.", "Ada orders them from the mill."]
    assert said["New ones cost 400 crowns."] == ["Ada orders them from the mill."]
    assert said["It rises to 90 crowns in May."] == []
    ropes = "Ropes: 30 crowns for one of them."
    assert said["Nets: 40 crowns for one of them."] == [ropes, "Nobody spoke of the fish this time."]
    assert len(said["The harbour board met on Monday and settled these things:"]) == len(found) - 1
    journal.close()
