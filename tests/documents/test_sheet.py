"""Workbooks become tables, at the cost of the cells that they hold."""

import datetime

import pytest

from documents import files
from spyglass.documents import sheet
from spyglass.kernel.errors import TooLargeError


def test_each_sheet_is_a_table_under_its_name() -> None:
    book = files.xlsx(
        {"Prices": {"A1": "Fruit", "B1": "Price", "A2": "Apple", "B2": 2.5}, "Void": {}, "B": {"A1": "x"}}
    )
    expected = "## Prices\n| Fruit | Price |\n| --- | --- |\n| Apple | 2.5 |\n\n## B\n| x |\n| --- |"
    assert sheet.read("xlsx", book).text == expected


def test_values_are_shown_as_a_spreadsheet_shows_them() -> None:
    day, moment = datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 12, 30)
    cells = {"A1": 3.0, "B1": 0.1 + 0.2, "C1": True, "D1": day, "E1": moment, "F1": None, "G1": "two\nlines | a bar"}
    header = sheet.read("xlsx", files.xlsx({"S": cells})).text.split("\n")[1]
    assert header == "| 3 | 0.3 | TRUE | 2024-02-29 | 2024-02-29 12:30:00 | two lines \\| a bar |"


def test_a_sheet_whose_cells_are_its_far_corners_is_a_small_table() -> None:
    text = sheet.read("xlsx", files.xlsx({"S": {"A1": "near", "XFD1048576": "far"}})).text
    assert text == "## S\n| near |  |\n| --- | --- |\n|  | far |"


def test_a_sheet_that_is_as_wide_as_long_is_refused() -> None:
    diagonal = {f"{sheet_column(i)}{i}": i for i in range(1, 3000)}
    with pytest.raises(TooLargeError, match="2,999 rows of 2,999 columns"):
        sheet.read("xlsx", files.xlsx({"S": diagonal}))


def test_a_book_whose_cells_lie_too_far_apart_is_refused() -> None:
    for sheets in ({"S": {f"XFD{row}": 1 for row in range(1, 4_000)}}, {f"S{n}": {"A1048576": 1} for n in range(8)}):
        with pytest.raises(TooLargeError, match="too far apart"):
            sheet.read("xlsx", files.xlsx(sheets))


def sheet_column(number: int) -> str:
    letters = ""
    while number:
        number, digit = divmod(number - 1, 26)
        letters = chr(65 + digit) + letters
    return letters


def test_a_workbook_of_the_old_excel_is_read() -> None:
    book = files.xls("Tab", [["Fruit", "Price"], ["Apple", 2.5], ["Pear", 3.0]])
    assert sheet.read("xls", book).text == "## Tab\n| Fruit | Price |\n| --- | --- |\n| Apple | 2.5 |\n| Pear | 3 |"
