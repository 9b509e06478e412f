"""Detection of the header rows and merged cells at the start of a sheet, from the XML of its workbook.

openpyxl reads this information only together with all cells, which takes fifty times the memory.
"""

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

from .table import Row, headed_table

FIRST: Final = 20  # first rows of a sheet in which its header is searched for
CHUNK: Final = 1 << 20  # bytes of a sheet's XML that are read before and after its cells

_FROZEN: Final = re.compile(rb'<(?:\w+:)?pane\b(?=[^>]*\bstate="frozen)[^>]*\bySplit="(\d{1,3})"')
_FILTER: Final = re.compile(rb'<(?:\w+:)?(?:autoFilter|table)\b[^>]*\bref="\$?[A-Z]+\$?(\d{1,3}):')
_MERGED: Final = re.compile(rb'<(?:\w+:)?mergeCell\b[^>]*\bref="([A-Z]{1,3})(\d{1,3}):([A-Z]{1,3})\d+"')


def headed(sheet: Any, rows: Mapping[int, Row]) -> str:
    """Return the rows of a sheet, given by number, as a table, with a header if its column names are certain.

    The header is the first rows that are frozen, above a filter, the header of a table, or bold if not all rows are.
    """
    first = {number: row for number, row in islice(rows.items(), FIRST) if number <= FIRST}
    xml = _around_cells(sheet) + _tables(sheet)
    last = max((int(match[1]) for pattern in (_FROZEN, _FILTER) for match in pattern.finditer(xml)), default=0)
    marked = sum(number <= last for number in rows) if last <= FIRST else 0
    marked = marked or _bold(sheet, first)
    return headed_table([*rows.values()], marked if marked < len(rows) else 0, _spread(xml, first))


def _around_cells(sheet: Any) -> bytes:
    """Return the XML of a sheet before and after its cells."""
    with sheet.parent._archive.open(sheet._worksheet_path) as source:
        before, after = source.read(CHUNK), b""
        while chunk := source.read(CHUNK):
            after = (after + chunk)[-2 * CHUNK :]
    return bytes(before + after)


def _tables(sheet: Any) -> bytes:
    """Return the XML of the tables of a sheet."""
    from openpyxl.packaging.relationship import get_dependents, get_rels_path

    archive, relations = sheet.parent._archive, get_rels_path(sheet._worksheet_path)
    if relations not in archive.namelist():
        return b""
    parts = [part.Target for part in get_dependents(archive, relations) if part.Type.endswith("/table")]
    return b"".join(archive.read(part) for part in parts if part in archive.namelist())


def _bold(sheet: Any, first: Mapping[int, Row]) -> int:
    """Return how many of the first rows are bold, or 0 if all are."""
    if not first:
        return 0
    count = 0
    for number, cells in enumerate(sheet.iter_rows(max_row=max(first)), start=1):
        if number in first:
            if not all(cells[column].font.b for column in first[number]):
                return count
            count += 1
    return 0


def _spread(xml: bytes, first: Mapping[int, Row]) -> list[Row]:
    """Return the first rows with the text of each merged cell in all of its columns."""
    from openpyxl.utils import column_index_from_string

    spread = {number: dict(row) for number, row in first.items()}
    for match in _MERGED.finditer(xml):
        left, right = (column_index_from_string(name.decode()) - 1 for name in match.group(1, 3))
        if (row := spread.get(int(match[2]), {})) and left in row:
            row.update(dict.fromkeys(range(left, right + 1), row[left]))
    return [*spread.values()]
