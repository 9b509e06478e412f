"""Conversion of workbooks to Markdown tables, one per sheet, at a cost that depends on the cells, not on the extent.

A sheet whose only cells are A1 and XFD1048576 becomes a table of two cells; as a grid, it would take gigabytes. This is
two to four times as fast as markitdown, which converts by way of pandas and HTML.
"""

import io
from collections.abc import Iterator
from datetime import date, datetime, time
from typing import Any, Final

from ..kernel.errors import EncryptedError, TooLargeError
from ..kernel.notice import Notice
from . import sheet_head
from .document import Document
from .table import headed_table
from .text import clean

MOST_CELLS: Final = 60_000_000
"""Maximum number of cells in all sheets, including empty cells before the last one of a row, which also take time."""

ROW: Final = 10  # additional cells that each row counts as, including empty rows


def read(kind: str, data: bytes) -> Document:
    """Return an xlsx or xls workbook: each sheet under its name as heading.

    Raises EncryptedError, TooLargeError, and the errors of its library.
    """
    sheets = [f"## {name}\n{table}" for name, table in (_xlsx(data) if kind == "xlsx" else _xls(data)) if table]
    return Document(clean("\n\n".join(sheets)), "", kind)


def _xlsx(data: bytes) -> Iterator[tuple[str, str]]:
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    left = MOST_CELLS
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # the declared dimensions may be wrong
        rows = {}
        for number, row in enumerate(sheet.values, start=1):
            left -= ROW + len(row)
            if left < 0:
                raise TooLargeError(Notice("sheet_too_wide"), remedy=Notice("save_it_as_csv"))
            if any(value is not None for value in row):
                rows[number] = {i: _shown(value) for i, value in enumerate(row) if value is not None}
        yield sheet.title, sheet_head.headed(sheet, rows)


def _xls(data: bytes) -> Iterator[tuple[str, str]]:
    import xlrd

    try:
        book = xlrd.open_workbook(file_contents=data, on_demand=True, ragged_rows=True)
    except xlrd.XLRDError as error:
        if "encrypted" in str(error):
            raise EncryptedError(Notice("file_locked"), remedy=Notice("unlock_it")) from error
        raise
    for sheet in book.sheets():
        rows = [{i: _xls_value(cell, book.datemode) for i, cell in enumerate(row)} for row in sheet.get_rows()]
        yield sheet.name, headed_table(rows)


def _xls_value(cell: Any, datemode: int) -> str:
    import xlrd

    if cell.ctype == xlrd.XL_CELL_DATE:
        return _shown(xlrd.xldate_as_datetime(cell.value, datemode))
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return _shown(bool(cell.value))
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(cell.value, "#ERROR"))
    return _shown(cell.value)


def _shown(value: object) -> str:
    """Return a value as a spreadsheet shows it: 15 digits, dates in ISO form, TRUE and FALSE."""
    match value:
        case bool():
            return str(value).upper()
        case float():
            return format(value, ".15g")
        case datetime():
            return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "seconds")
        case date():
            return value.isoformat()
    return str(value)
