"""A PDF becomes the text of its pages, each from a known place, with the tables that it shows."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import files
from documents.files import Placed, paragraphs
from spyglass.documents import pdf
from spyglass.errors import EncryptedError, NoTextError


def test_each_page_starts_where_it_says() -> None:
    found = pdf.read(
        files.pdf(paragraphs("The first page", "has two lines"), [], paragraphs("The third"), title="A book")
    )
    assert found.text == "The first page\nhas two lines\n\n\n\nThe third"
    assert [found.text[start:end].strip() for start, end in pairwise([*found.pages, len(found.text)])] == [
        "The first page\nhas two lines",
        "",
        "The third",
    ]
    assert found.title == "A book"


@given(
    st.lists(
        st.lists(st.from_regex(r"[A-Za-z(][a-z(),. ]{0,40}[a-z]", fullmatch=True), max_size=3), min_size=1, max_size=4
    )
)
def test_every_word_is_on_its_page(pages: list[list[str]]) -> None:
    if not any(pages):
        pages[0] = ["some words"]
    found = pdf.read(files.pdf(*(paragraphs(*lines) for lines in pages)))
    texts = [found.text[start:end] for start, end in pairwise([*found.pages, len(found.text)])]
    assert [text.split() for text in texts] == [" ".join(lines).split() for lines in pages]


def test_a_scan_has_no_text_and_says_so() -> None:
    with pytest.raises(NoTextError, match="3 pages and no text layer: it is a scan"):
        pdf.read(files.pdf([], [], []))


def test_a_scan_with_a_stamp_says_how_many_pages_are_empty() -> None:
    found = pdf.read(files.pdf(paragraphs("Received on Monday"), [], []))
    assert found.skipped == ("2 of 3 pages hold no text; they may be scans",)


def test_a_password_is_told() -> None:
    with pytest.raises(EncryptedError, match="password"):
        pdf.read(files.pdf(paragraphs("secret"), password="open sesame"))


def grid(rows: list[list[str]], columns: list[float], top: float = 600) -> list[Placed]:
    return [(columns[j], top - 18 * i, text) for i, row in enumerate(rows) for j, text in enumerate(row) if text]


def test_a_table_without_borders_keeps_its_empty_cells() -> None:
    rows = [
        ["Code", "Place", "Expected", "Actual"],
        ["K-1", "A-12", "450", ""],
        ["", "B-07", "", "289"],
        ["K-2", "", "780", "778"],
    ]
    page = [*paragraphs("Stock on Monday"), *grid(rows, [72, 150, 250, 350]), (72, 300, "Counted by hand.")]
    assert pdf.read(files.pdf(page)).text == (
        "Stock on Monday\n\n"
        "| Code | Place | Expected | Actual |\n| --- | --- | --- | --- |\n"
        "| K-1 | A-12 | 450 |  |\n|  | B-07 |  | 289 |\n| K-2 |  | 780 | 778 |\n\n"
        "Counted by hand."
    )


def test_two_tables_of_different_columns_stay_apart() -> None:
    first = grid([["a", "b", "c"], ["1", "2", "3"]], [72, 150, 250], top=700)
    second = grid([["d", "e", "f", "g"], ["4", "5", "6", "7"]], [100, 200, 300, 400], top=600)
    text = pdf.read(files.pdf([*first, (72, 640, "The second one"), *second])).text
    assert text == (
        "| a | b | c |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n\nThe second one\n\n"
        "| d | e | f | g |\n| --- | --- | --- | --- |\n| 4 | 5 | 6 | 7 |"
    )


def test_columns_of_a_newspaper_are_read_one_after_the_other() -> None:
    line = "words of a story that fill its column well"
    columns = [
        [(x, 700 - 12 * i, f"{name} {i} {line}") for i in range(12)] for name, x in (("left", 40), ("right", 310))
    ]
    text = pdf.read(files.pdf([*columns[0], *columns[1]])).text
    assert "|" not in text
    assert text.index("left 11") < text.index("right 0")


def test_a_list_of_names_and_values_stays_lines() -> None:
    text = pdf.read(files.pdf(grid([["Name:", "Ada"], ["Born:", "1815"]], [72, 150]))).text
    assert text == "Name: Ada\nBorn: 1815"
