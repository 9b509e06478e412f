"""Configuration files are read as the text of their comments, with the settings between them."""

from pathlib import PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.documents.comments import uncommented
from spyglass.documents.reader import read
from spyglass.rag.chunk import heading_at

CONFIGURATION = """\
# Seconds to wait for a boat.
# Default: 30

#wait = 30

# Names of the piers,
#   with spaces between them.
piers = north south
"""


def test_comments_are_text_and_settings_between_them_are_code() -> None:
    assert uncommented(CONFIGURATION) == (
        "Seconds to wait for a boat.\nDefault: 30\n```\n#wait = 30\n```\n"
        "Names of the piers,\n  with spaces between them.\npiers = north south\n"
    )


@pytest.mark.parametrize("mark", [";", "##", "  #"])
def test_comments_have_one_of_several_marks(mark: str) -> None:
    commented = f"{mark} One line.\n{mark} And one more.\n\nwait = 30\n\n"
    indented = mark[: len(mark) - len(mark.lstrip())]
    assert uncommented(commented) == f"{indented}One line.\n{indented}And one more.\n```\nwait = 30\n```\n"


def test_a_configuration_file_has_no_headings() -> None:
    document = read("text", PurePath("harbour.conf"), CONFIGURATION.encode())
    assert document.title == "harbour"
    assert not any(heading_at(document.text, place) for place in range(len(document.text)))


@pytest.mark.parametrize(
    "text",
    [
        "# Boats\n\nThey float.\n\n## Sails\n\nThey are white.\n",
        "Run this:\n\n```\n# one\n# two\nmake\n```\n\n" + "It is done in time.\n\n" * 20,
        "wait = 30\n\n# Names.\npiers = 2\n",
        "```\na\n```\n",
    ],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert uncommented(text) == text


def test_rows_of_data_are_not_taken_for_settings() -> None:
    data = "# Boats by year\n# Counted at the pier\n\nyear,boats\n1990,4\n\n"
    assert read("text", PurePath("boats.csv"), data.encode()).text == data


def test_markdown_keeps_its_headings_though_they_are_adjacent() -> None:
    text = "# Boats\n# Ships\n\nThey float.\n"
    assert read("text", PurePath("boats.md"), text.encode()).text == text


@given(st.lists(st.sampled_from(["# a", "#", "  # b c", "; d", "#e=1", "f = 2", "", "```", "g"])).map("\n".join))
def test_lines_keep_their_numbers_and_words(text: str) -> None:
    read_text = uncommented(text)
    assert read_text.count("\n") == text.count("\n")
    above = ""
    for line, read_line in zip(text.split("\n"), read_text.split("\n"), strict=True):
        mark = "- " if above.strip("`") and not above.lstrip().startswith(("# ", ";")) and above.strip() != "#" else ""
        assert read_line in (line, "```") or mark + line.lstrip("#; ") == read_line.lstrip()
        above = line


def test_a_comment_directly_below_a_setting_is_about_the_one_below_it() -> None:
    told = "server:\n  timeout: 4s\n  # Checks come on a port of their own,\n  # so that none is lost.\n  port: 8081\n"
    assert uncommented(told) == (
        "server:\n  timeout: 4s\n  - Checks come on a port of their own,\n  so that none is lost.\n  port: 8081\n"
    )
