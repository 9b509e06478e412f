"""Text that was typeset in lines gets its words and headings back, and keeps its lines."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.documents import line_breaks

HYPHENATING = "Defined, processed and given: they are de-\nfined, then pro-\ncessed, then gi-\nven.\n"

PAGE = """LVMVDO(7)            System Manager's Manual            LVMVDO(7)

NAME
       lvmvdo — Support for VDO

VDO TOPICS
   1. Memory usage
       The VDO target re‐
       quires 370 MiB.

       SHORT LINE
              explained

   2. Storage
       Up to 256 TiB.

Red Hat, Inc           LVM TOOLS 2.03.16             LVMVDO(7)
"""


@pytest.mark.parametrize(
    ("torn", "whole"),
    [
        ("It was de-\nfined. Defined!", "It was\ndefined. Defined!"),
        ("The (De-\n   fined) is defined.", "The\n   (Defined) is defined."),
        ("We pro‐\n   cess it.", "We\n   process it."),
        ("A VDO‐\nDataLV is", "A\nVDODataLV is"),
        ("The command-\nline, a command-line.", "The\ncommand-line, a command-line."),
        ("The command‐\nline, a command‐line.", "The\ncommand‐line, a command‐line."),
        ("We pro‐\ncess it on-\ndisk, and it is not ondisk.", "We\nprocess it\non-disk, and it is not ondisk."),
    ],
)
def test_a_hyphenated_word_is_joined_in_the_next_line(torn: str, whole: str) -> None:
    assert line_breaks.joined(torn) == whole


@pytest.mark.parametrize(
    "text",
    [
        "Nothing tells of the CC-\nlicensed work.",
        "A pro‐\ncess of well‐known form.",
        "defined\n\nde-\nfined",
        "defined as x-de-\n\nfined",
        "It is de -\nfined, and defined.",
        "It is de-\nfined_by, and defined.",
    ],
)
def test_a_word_that_is_not_surely_hyphenated_stays_as_it_is(text: str) -> None:
    assert line_breaks.joined(text) == text


def test_a_text_that_hyphenates_has_also_words_that_are_nowhere_else() -> None:
    assert line_breaks.joined(HYPHENATING + "It is a recollec-\ntion.").endswith("It is a\nrecollection.")
    assert line_breaks.joined(HYPHENATING + "A mouse, a click: the mouse-\nclick.").endswith("the\nmouse-click.")
    assert line_breaks.joined(HYPHENATING + "All pre-\nand post-processing.").endswith("All pre-\nand post-processing.")


@given(
    st.lists(st.sampled_from(["de", "fined", "defined", "-", "‐", "-\n", "‐\n  ", " ", "\n", "(", "é"])).map("".join)
)
def test_joining_changes_only_hyphens_and_white_space_and_no_number_of_lines(text: str) -> None:
    whole = line_breaks.joined(text)
    assert re.sub(r"[-‐\s]", "", whole) == re.sub(r"[-‐\s]", "", text)
    assert whole.count("\n") == text.count("\n")


def test_a_formatted_manual_page_has_headings_and_a_title_and_as_many_lines() -> None:
    page = line_breaks.read_page(PAGE)
    assert page is not None
    assert page.title == "lvmvdo(7)"
    assert re.findall("^#.*", page.text, re.MULTILINE) == [
        "## NAME",
        "## VDO TOPICS",
        "### 1. Memory usage",
        "### 2. Storage",
    ]
    assert "The VDO target\n       requires 370 MiB." in page.text
    assert "Manager's" not in page.text
    assert "Red Hat" not in page.text
    assert page.text.count("\n") == PAGE.count("\n")


def test_a_title_keeps_its_case_unless_it_is_all_capitals() -> None:
    page = line_breaks.read_page("Xft(3)    X Version 11    Xft(3)\n\nNAME\n     Xft - fonts\n")
    assert page is not None
    assert page.title == "Xft(3)"


@pytest.mark.parametrize(
    "text",
    [
        "LS(1) and CP(1)\n\nNAME\n   ls\n",
        "LS(1)   User Commands   LS(1)\nls lists files.\n",
        "LS(1)   LS(1)\n\nls lists files.\n\nAnd more.",
        "NAME\n    ls\n",
        "",
    ],
)
def test_another_text_is_no_manual_page(text: str) -> None:
    assert line_breaks.read_page(text) is None


@given(st.text(alphabet="aA(1) \n\t#"))
def test_any_text_below_the_title_of_a_page_keeps_its_lines(text: str) -> None:
    source = f"LS(1)   LS(1)\n\nNAME\n  ls\n{text}"
    page = line_breaks.read_page(source)
    assert page is not None
    assert page.text.count("\n") == source.count("\n")
