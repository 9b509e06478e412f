"""Rows of plain text that are set in columns are rows of a table or items of a list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.documents.plain_tables import marked

WASTE = """Containers

Stream            Container          Price
Infectious        orange bag         £5.10
Sharps            yellow-lid box     £7.90
Medicines         blue-lid box      £18.75
"""


def test_rows_whose_columns_have_names_are_a_table() -> None:
    assert marked(WASTE).split("\n") == [
        "Containers",
        "| Stream | Container | Price |",
        "| --- | --- | --- |",
        "| Infectious | orange bag | £5.10 |",
        "| Sharps | yellow-lid box | £7.90 |",
        "| Medicines | blue-lid box | £18.75 |",
        "",
    ]


def test_names_above_a_rule_are_those_of_the_columns() -> None:
    rows = ["Maker    Oak       Barrels", "-" * 26, "Murga    American       22", "Clair    French          8"]
    assert marked("\n".join(rows)).split("\n") == [
        "| Maker | Oak | Barrels |",
        "| --- | --- | --- |",
        "| Murga | American | 22 |",
        "| Clair | French | 8 |",
    ]


@pytest.mark.parametrize(
    ("rows", "items"),
    [
        (
            ["Studio 1   on air, four seats", "Studio 2   reserve studio", "Pantry     one person, no microphone"],
            ["Studio 1  ·  on air, four seats", "Studio 2  ·  reserve studio", "Pantry  ·  one person, no microphone"],
        ),
        (
            ["Hats, each ........ £3", "Full costume ...... £12", "Further week ...... £6"],
            ["Hats, each  ·  £3", "Full costume  ·  £12", "Further week  ·  £6"],
        ),
        (
            ["Raffle\t 612,00", "Stalls\t 150,00", "Music\t-831,20"],
            ["Raffle  ·  612,00", "Stalls  ·  150,00", "Music  ·  -831,20"],
        ),
    ],
)
def test_rows_without_names_are_the_items_of_a_list(rows: list[str], items: list[str]) -> None:
    assert marked("\n".join(["Prices:", *rows, "", "Ask Ben."])) == "\n".join(
        ["Prices:", *(f"- {item}" for item in items), "", "Ask Ben."]
    )


def test_a_cell_may_go_on_in_the_next_line() -> None:
    text = "\nMon   Peter    bins out\nTue   Gillian  test a light,\n               write it down\nWed   Anil     taps"
    assert marked(text).split("\n")[2:4] == ["- Tue  ·  Gillian  ·  test a light,", "  write it down"]


@pytest.mark.parametrize(
    "text",
    [
        "He left.  She stayed for a while.\nIt rained a lot.  Nobody came.\nSo it went.  And on.\n",
        "1.1  Shower first.\n1.2  Wear a cap.\n1.3  No shoes.\n",
        "- bread    2\n- milk     1\n- salt     3\n",
        "Bar   opens at 7\nFood  until 9\n",
    ],
)
def test_other_lines_stay_as_they_are(text: str) -> None:
    assert marked(text) == text


def test_of_many_rows_no_table_is_made_whose_rows_have_the_columns_of_the_widest() -> None:
    names = "  ".join(f"name{number}" for number in range(30))
    found = marked("\n".join(["", names, "-" * 300, *["ab  34"] * 6_000]))
    assert found.split("\n")[-1] == "- ab  ·  34"


@given(st.lists(st.lists(st.text("ab1 .£-|#\t", max_size=8), max_size=4).map("   ".join), max_size=8).map("\n".join))
def test_no_line_and_no_word_is_lost(text: str) -> None:
    found = marked(text)
    assert found.count("\n") == text.count("\n")
    kept = found.replace("\\|", "|")
    assert all(kept.count(letter) >= text.count(letter) for letter in "ab1£")


def test_no_break_spaces_are_within_a_cell() -> None:
    rows = [
        "Cheese\u00a0cake    12\u00a0000\u00a0€",
        "Apple\u00a0cake     9\u00a0500\u00a0€",
        "Tea             300\u00a0€",
    ]
    assert marked("\n".join(rows)).split("\n")[0] == "- Cheese\u00a0cake  ·  12\u00a0000\u00a0€"
