"""Workbooks become tables, at the cost of the cells that they hold."""

import datetime
import io
from collections.abc import Callable, Mapping

import openpyxl
import pytest
from openpyxl.styles import Font
from openpyxl.worksheet.table import Table
from openpyxl.worksheet.worksheet import Worksheet

from documents import files
from spyglass.documents import sheet
from spyglass.kernel.errors import TooLargeError


def test_each_sheet_is_a_table_under_its_name() -> None:
    book = files.xlsx(
        {
            "Prices": {"A1": "Fruit", "B1": "Price", "A2": "Apple", "B2": 2.5, "A3": "Pear", "B3": 3},
            "Void": {},
            "B": {"A1": "x"},
        }
    )
    expected = (
        "## Prices\n| Fruit | Price |\n| --- | --- |\n| Apple | 2.5 |\n| Pear | 3 |\n\n## B\n|  |\n| --- |\n| x |"
    )
    assert sheet.read("xlsx", book).text == expected


def test_values_are_shown_as_a_spreadsheet_shows_them() -> None:
    day, moment = datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 12, 30)
    cells = {"A1": 3.0, "B1": 0.1 + 0.2, "C1": True, "D1": day, "E1": moment, "F1": None, "G1": "two\nlines | a bar"}
    row = sheet.read("xlsx", files.xlsx({"S": cells})).text.split("\n")[-1]
    assert row == "| 3 | 0.3 | TRUE | 2024-02-29 | 2024-02-29 12:30:00 | two lines \\| a bar |"


def test_a_sheet_whose_cells_are_its_far_corners_is_a_small_table() -> None:
    text = sheet.read("xlsx", files.xlsx({"S": {"A1": "near", "XFD1048576": "far"}})).text
    assert text == "## S\n|  |  |\n| --- | --- |\n| near |  |\n|  | far |"


def test_a_sheet_that_is_as_wide_as_long_is_refused() -> None:
    diagonal = {f"{sheet_column(i)}{i}": i for i in range(1, 3000)}
    with pytest.raises(TooLargeError, match="2,999 rows and 2,999 columns"):
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


KEYS = {"A1": "Holder", "B1": "Key", "C1": "Place", "A2": "Anna", "B2": "K-17", "C2": "Roof"}


def test_a_first_row_heads_a_sheet_of_words_where_the_workbook_marks_it() -> None:
    def frozen(book: Worksheet) -> None:
        book.freeze_panes = "A2"

    def filtered(book: Worksheet) -> None:
        book.auto_filter.ref = "A1:C2"

    def bold(book: Worksheet) -> None:
        for cell in book[1]:
            cell.font = Font(bold=True)

    def a_table(book: Worksheet) -> None:
        book.add_table(Table(displayName="Keys", ref="A1:C2"))

    def plain(book: Worksheet) -> None:
        book.freeze_panes = "B1"

    heads = {mark.__name__: lines(KEYS, mark)[0] for mark in (frozen, filtered, bold, a_table, plain)}
    named, bare = "| Holder | Key | Place |", "|  |  |  |"
    assert heads == {"frozen": named, "filtered": named, "bold": named, "a_table": named, "plain": bare}


def test_merged_names_stand_before_those_of_the_columns_below_them() -> None:
    cells: dict[str, object] = {
        "A1": "Use of energy",
        "A2": "Site",
        "B2": "Gas",
        "D2": "Oil",
        "B3": "Day",
        "C3": "Night",
        "D3": "Day",
    }
    cells |= {"E3": "Night", "A4": "Bremen", "B4": 1, "C4": 2, "D4": 3, "E4": 4}

    def merged(book: Worksheet) -> None:
        for span in ("A1:E1", "A2:A3", "B2:C2", "D2:E2"):
            book.merge_cells(span)

    assert lines(cells, merged) == [
        "Use of energy",
        "",
        "| Site | Gas Day | Gas Night | Oil Day | Oil Night |",
        "| --- | --- | --- | --- | --- |",
        "| Bremen | 1 | 2 | 3 | 4 |",
    ]


def lines(cells: Mapping[str, object], change: Callable[[Worksheet], None]) -> list[str]:
    """Return the lines of a sheet with these cells, below its name."""
    book = openpyxl.load_workbook(io.BytesIO(files.xlsx({"S": cells})))
    change(book["S"])
    target = io.BytesIO()
    book.save(target)
    return sheet.read("xlsx", target.getvalue()).text.split("\n")[1:]
