"""Plain text in columns: its rows become those of a Markdown table, or the items of a list.

The number of lines does not change.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import mode
from typing import Final

from ..kernel.table_head import head_of
from .table import headed_table

_FEWEST, _MOST = 3, 5_000  # rows; of more than _MOST no table is made, since each would have all columns
_TALLEST: Final = 20  # lines of a row
_ALIGNED: Final = 2 / 3  # the least share of rows whose second cell begins, or whose last one ends, at the same place
_LONGEST: Final = 300  # characters of a row

_BETWEEN_CELLS: Final = "  ·  "
"""What separates the cells of a row that is an item of a list, as spaces or a line of dots did; shown as “ · ”."""

_DOTS: Final = re.compile(r"\.{4,}")
_GAP: Final = re.compile(r"  |\t|\.{4}")
_CELL: Final = re.compile(r"[^ ]+(?: [^ ]+)*")
"""The text of a cell, which two spaces end, a tab or a line of dots; no-break spaces are in it."""

_MARK: Final = re.compile(r"\s*(?:[-*+•–]|\d+(?:\.\d+)*[.)]?|[a-z][.)]|[|#>])(?:\s|$)")
"""What begins an item of a list, a heading, a quotation or a row of a table: such a line is structured already."""

_RULE: Final = re.compile(r"[ \t]*[-=_+ ]{5,}[ \t]*")
"""A rule of characters, below the names of columns."""


@dataclass(frozen=True, slots=True)
class _Row:
    """The lines of a row, and its cells with the place where each begins."""

    first: int
    last: int
    cells: tuple[tuple[int, str], ...]

    @property
    def end(self) -> int:
        start, text = self.cells[-1]
        return start + len(text)

    def has_below(self, place: int, number: int) -> bool:
        """Return whether a line with this number, whose text begins at a place, goes on with a cell but the first."""
        return place >= self.cells[1][0] and number - self.first < _TALLEST


def marked(text: str) -> str:
    """Return a plain text whose rows in columns are marked: at least three lines with two cells or more, set alike.

    They become a table if its column names are certain, by a rule below them or by what they are, and there is a line
    for the rule; else they become a list.
    """
    lines = text.split("\n")
    for rows in _runs(lines):
        first, last = rows[0].first, rows[-1].last
        is_ruled = _RULE.fullmatch(lines[rows[0].last]) is not None
        first -= not is_ruled and first > 0 and not lines[first - 1].strip()
        columns = _by_column(rows) if len(rows) < min(_MOST, last + 1 - first) else []
        if head_of(columns, int(is_ruled)).size == 1:
            table = headed_table(columns, int(is_ruled)).split("\n")
            lines[first : last + 1] = table + [""] * (last + 1 - first - len(table))
        else:
            for row in rows:
                lines[row.first] = f"- {_BETWEEN_CELLS.join(text for _, text in _cells(lines[row.first]))}"
                for number in range(row.first + 1, row.last + 1):
                    lines[number] = "" if _RULE.fullmatch(lines[number]) else f"  {lines[number].strip()}"
    return "\n".join(lines)


def _runs(lines: Sequence[str]) -> Iterator[list[_Row]]:
    """Yield the runs of rows that are set alike; a rule below the first row is one of its lines."""
    rows: list[_Row] = []
    for number, line in enumerate([*lines, ""]):
        cells = _cells(line)
        if len(rows) == 1 and rows[0].last == rows[0].first and _RULE.fullmatch(line):
            rows[-1] = replace(rows[-1], last=number)
        elif len(cells) > 1 and len(line) <= _LONGEST and not _MARK.match(line):
            rows.append(_Row(number, number, cells))
        elif rows and len(cells) == 1 and rows[-1].has_below(cells[0][0], number) and not _MARK.match(line):
            rows[-1] = replace(rows[-1], last=number, cells=rows[-1].cells + cells)
        else:
            if len(rows) >= _FEWEST and _alike(rows):
                yield rows
            rows = []


def _cells(line: str) -> tuple[tuple[int, str], ...]:
    if not _GAP.search(line):
        return ()
    spaced = _DOTS.sub(lambda dots: " " * len(dots[0]), line.expandtabs())
    return tuple((match.start(), match[0]) for match in _CELL.finditer(spaced))


def _alike(rows: Sequence[_Row]) -> bool:
    places = [row.cells[1][0] for row in rows], [row.end for row in rows]
    return any(one.count(mode(one)) >= _ALIGNED * len(rows) for one in places)


def _by_column(rows: Sequence[_Row]) -> list[dict[int, str]]:
    """Return the cells of each row by column, as the row with most cells has them."""
    starts = [start for start, _ in max(rows, key=lambda row: len({start for start, _ in row.cells})).cells]
    columns = list[dict[int, str]]()
    for row in rows:
        columns.append({})
        for start, text in row.cells:
            column = min(range(len(starts)), key=lambda at: abs(starts[at] - start))
            columns[-1][column] = f"{columns[-1].get(column, '')} {text}".strip()
    return columns
