"""Detection of tables on a page of a PDF, from the positions of its text.

A PDF records the position of each run of letters, but no tables. The rules here: runs at the same height form a row,
runs close together form a cell, and consecutive rows of several cells that leave the same vertical bands of the page
empty form a table. Newspaper columns also leave such bands, but their text fills the columns; table cells do not.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from statistics import median
from typing import Final

from ..kernel.table_head import SIGN, has_value, head_size, valued
from .pdf_grid import RuledTable
from .table import table

GAP: Final = 0.6
"""Smallest gap between two cells, in heights of their row; the gap between two words is about a third of a height."""

NEAR: Final = 0.6  # largest free space above a row, in heights of the row, within one entry of a table
FAR: Final = 2.5  # smallest free space above a row, in heights of the row, where another table may begin
BAND: Final = 3.0  # smallest width of the empty band between two columns, in points
LEAST_COLUMNS: Final = 3  # a table of two columns reads as well line by line
LEAST_ROWS: Final = 2  # rows with LEAST_COLUMNS cells in a table; a single one may be a widely spaced line
CROSSING: Final = 0.25  # share of rows that may cross the band between two columns: titles, totals, notes
MOST_CROSSING: Final = 10  # most rows that may cross it, however long the table is
FULL: Final = 0.8  # average share of the column's width that prose fills, and table cells do not
MOST: Final = 0.9  # smallest share of rows with several short cells by which a full column beside them is not prose
SHORT: Final = 6.0  # largest width of a short cell, in heights; prose has at most one in a row, a line number
PARAGRAPH_GAP: Final = 1.18
"""The distance between two lines that begins a paragraph, as a multiple of the page's usual distance."""

_LINE_ENDS: Final = ("\r", "\n")
_WORD_END: Final = re.compile(r"[^\W\d_A-Z]|[.,;:)]")
ALIGNED: Final = 4.0  # largest offset, in points, between the aligned lines of a column name of several lines
Piece = tuple[float, float, float, float, str]
"""One or more letters and their position, with the fields of a Box: left, bottom, right, top, text."""


@dataclass(frozen=True, slots=True)
class Box:
    """A run of text and its position in points; y grows upwards, x to the right."""

    left: float
    bottom: float
    right: float
    top: float
    text: str

    @property
    def middle(self) -> float:
        """The vertical centre."""
        return (self.bottom + self.top) / 2

    @property
    def height(self) -> float:
        """The distance from bottom to top."""
        return self.top - self.bottom

    def leads_to(self, other: "Box") -> bool:
        """Whether another box continues this one in the same cell of the same row.

        The letters of a ligature share one box, so the boxes may overlap by the height of the row.
        """
        gap, height = other.left - self.right, max(self.height, other.height)
        return -height <= gap <= GAP * height and self.bottom <= other.middle <= self.top

    def joined(self, other: "Box", between: str = "") -> "Box":
        """Return both boxes merged into one."""
        return Box(
            min(self.left, other.left),
            min(self.bottom, other.bottom),
            max(self.right, other.right),
            max(self.top, other.top),
            self.text + between + other.text,
        )


Row = list[Box]
Cells = dict[int, Box]  # the cells of a row, by column


def runs(pieces: Iterable[Piece]) -> list[Box]:
    """Return consecutive pieces merged into runs by the rule of `Box.leads_to`; a line end also ends a run.

    A page has thousands of pieces, so no Box is made of a single piece.
    """
    boxes: list[Box] = []
    texts: list[str] = []
    left = bottom = right = top = 0.0
    spaced = False
    for start, low, end, high, text in pieces:
        gap, height = start - right, max(top - bottom, high - low)
        if text in _LINE_ENDS:
            boxes += _run(left, bottom, right, top, texts)
            texts = []
        elif texts and -height <= gap <= GAP * height and bottom <= (low + high) / 2 <= top:
            texts.append(" " + text if spaced and gap >= height / 10 else text)
            left, bottom, right, top = min(left, start), min(bottom, low), max(right, end), max(top, high)
            spaced = False
        elif text.isspace():
            spaced = True
        else:
            boxes += _run(left, bottom, right, top, texts)
            texts, left, bottom, right, top, spaced = [text], start, low, end, high, False
    return boxes + _run(left, bottom, right, top, texts)


def _run(left: float, bottom: float, right: float, top: float, texts: list[str]) -> list[Box]:
    return [Box(left, bottom, right, top, "".join(texts).strip())] if texts else []


def has_tables(boxes: Iterable[Box]) -> bool:
    """Whether a page may have a table, judged only by the positions of its runs."""
    page = rows(boxes)
    return any(_table_columns(page, block) for block in _blocks(page))


def with_tables(boxes: Iterable[Box], ruled: Sequence[RuledTable] = ()) -> str | None:
    """Return the text of a page with its tables as Markdown, or None if it has no tables or has newspaper columns.

    Tables in lines (`ruled`, the highest first) are read by these, unless other text is beside them.
    """
    rest, parts = list(boxes), list[str]()
    page = rows(rest)
    usual = _usual_drop(page)
    for lines in ruled:
        level = [box for box in rest if lines.is_level_with(box.middle)]
        if cells := _within(level, lines):
            above = rows(box for box in rest if box.middle >= lines.rows[0])
            rest = [box for box in rest if box.middle <= lines.rows[-1]]
            page = rows(rest)
            if (text := _text(above, _found(above), usual)) is None:
                return None
            is_headed = lines.headed and len(cells) > 1 and _has_distinct_names(cells[0])
            parts += [text, table(map(_texts, cells)) if is_headed else _tables(cells)]
    found = _found(page)
    text = _text(page, found, usual) if parts or found else None
    return None if text is None else "\n\n".join(filter(None, [*parts, text]))


def _within(boxes: Iterable[Box], lines: RuledTable) -> list[Cells]:
    """Return the rows of a table in lines, without empty ones; none if some text is not in it."""
    found: dict[int, dict[int, list[Box]]] = {}
    for box in boxes:
        if (cell := lines.cell(box.left + min(box.height, box.right - box.left) / 2, box.middle)) is None:
            return []
        found.setdefault(cell[0], {}).setdefault(cell[1], []).append(box)
    return [{column: _joined_lines(found[row][column]) for column in sorted(found[row])} for row in sorted(found)]


def _joined_lines(boxes: Iterable[Box]) -> Box:
    """Return the text of a cell as one box; a line of a single letter or mark is the end of a word that had no room."""
    first, *others = (box for row in rows(boxes) for box in row)
    return reduce(lambda one, other: one.joined(other, "" if _WORD_END.fullmatch(other.text) else " "), others, first)


def _usual_drop(page: list[Row]) -> float:
    """Return the usual distance between the rows of a page."""
    return median([one[0].bottom - other[0].bottom for one, other in pairwise(page)] or [0.0])


def _found(page: list[Row]) -> list[tuple[range, list[float]]]:
    """Return the tables among rows, told by their positions: the rows of each, and the left edges of its columns."""
    return [(block, columns) for block in _blocks(page) if (columns := _table_columns(page, block))]


def _text(page: list[Row], found: Sequence[tuple[range, list[float]]], usual: float) -> str | None:
    """Return rows as text with the tables `found` among them, or None if they have newspaper columns."""
    if _is_newspaper(page, {i for block, _ in found for i in block}):
        return None
    parts, at = [], 0
    for block, columns in found:
        parts += [_lines(page[at : block.start], usual), _markdown(page[block.start : block.stop], columns)]
        at = block.stop
    return "\n\n".join(part for part in [*parts, _lines(page[at:], usual)] if part)


def rows(boxes: Iterable[Box]) -> list[Row]:
    """Return the rows of a page from the top, each from left to right, its boxes merged into cells."""
    page: list[Row] = []
    for box in sorted(boxes, key=lambda box: (-box.middle, box.left)):
        if page and page[-1][0].bottom <= box.middle <= page[-1][0].top:
            page[-1].append(box)
        else:
            page.append([box])
    return [_cells(row) for row in page]


def _cells(row: Row) -> Row:
    first, *others = sorted(row, key=lambda box: box.left)
    cells = [first]
    for box in others:
        if cells[-1].leads_to(box):
            touching = box.left - cells[-1].right < box.height / 10
            cells[-1] = cells[-1].joined(box, "" if touching else " ")
        else:
            cells.append(box)
    return cells


def _blocks(page: list[Row]) -> list[range]:
    """Return the ranges of consecutive rows of several cells; they may include a close row of a single cell."""
    blocks, start = [], 0
    for i in range(len(page) + 1):
        ends = i == len(page) or (len(page[i]) == 1 and not _amid(page, start, i))
        if ends or (i > start and _space(page, i) > FAR):
            if i - start > 1:
                blocks.append(range(start, i))
            start = i + 1 if ends else i
    return blocks


def _amid(page: list[Row], start: int, i: int) -> bool:
    """Whether a row of one cell continues a row of the block before it, rather than heading the next block."""
    return start < i < len(page) - 1 and max(_space(page, i), _space(page, i + 1)) < NEAR and len(page[i + 1]) > 1


def _space(page: list[Row], i: int) -> float:
    """Return the space between a row and the row above it, in heights of the row."""
    return (page[i - 1][0].bottom - page[i][0].top) / max(page[i][0].height, 1.0)


def _table_columns(page: list[Row], block: range) -> list[float]:
    """Return the left edges of a table's columns, or an empty list if the block is no table."""
    lines = [page[i] for i in block if len(page[i]) > 1]
    if sum(len(row) >= LEAST_COLUMNS for row in lines) < LEAST_ROWS:
        return []
    most = min(int(CROSSING * len(lines)), MOST_CROSSING)
    columns = max((_columns(lines, crossing) for crossing in range(most + 1)), key=len)
    is_table = len(columns) >= LEAST_COLUMNS and (_has_values(page, block) or not _is_prose(lines, columns))
    return columns if is_table else []


def _has_values(page: list[Row], block: range) -> bool:
    """Whether nearly all rows have several short cells, so that a full column beside these is not prose."""
    short = [sum(box.right - box.left < SHORT * box.height for box in page[i]) for i in block]
    return sum(count > 1 for count in short) >= MOST * len(short)


def _columns(lines: list[Row], allowed: int) -> list[float]:
    """Return the left edges of the columns, which are right of the vertical bands that at most `allowed` rows cross."""
    edges = sorted([(box.left, 1) for row in lines for box in row] + [(box.right, -1) for row in lines for box in row])
    columns, crossing, empty_since = [], 0, float("-inf")
    for (at, change), (following, _) in pairwise([*edges, (float("inf"), 0)]):
        before, crossing = crossing, crossing + change
        if crossing > allowed >= before and at - empty_since >= BAND:
            columns.append(at)
        if before > allowed >= crossing and following > at:
            empty_since = at
    return columns


def _is_prose(lines: list[Row], columns: list[float]) -> bool:
    """Whether some column is wide and filled line after line, as prose is."""
    right = max(box.right for row in lines for box in row)
    width = right - columns[0]
    for i, (left, end) in enumerate(pairwise([*columns, right])):
        cells = [box for row in lines for box in row if _column(columns, box) == i]
        filled = sum(box.right - box.left for box in cells)
        if len(cells) > 4 and end - left > width / 4 and filled > FULL * (end - left) * len(cells):
            return True
    return False


def _is_newspaper(page: list[Row], in_tables: set[int]) -> bool:
    """Whether the page also has prose in columns, which would be shuffled if it were read row by row."""
    split = sum(sum(len(box.text) > 30 for box in row) > 1 for i, row in enumerate(page) if i not in in_tables)
    return split > 4


def _column(columns: list[float], box: Box) -> int:
    return max(bisect_right(columns, box.left + BAND) - 1, 0)


def _markdown(lines: list[Row], columns: list[float]) -> str:
    rows: list[dict[int, Box]] = []
    for row in lines:
        cells: dict[int, Box] = {}
        for box in row:
            i = _column(columns, box)
            cells[i] = cells[i].joined(box, " ") if i in cells else box
        rows.append(cells)
    return _tables(rows)


def _lines(rows: list[Row], usual: float) -> str:
    """Return rows as lines, with a blank line for each gap that is higher than a line or begins a paragraph.

    A paragraph begins after PARAGRAPH_GAP times the `usual` distance between rows.
    """
    text = ""
    for above, row in pairwise([rows[0], *rows] if rows else []):
        if text:
            drop = above[0].bottom - row[0].bottom
            is_new = above[0].bottom - row[0].top > row[0].height or drop > PARAGRAPH_GAP * usual
            text += "\n\n" if is_new else "\n"
        text += " ".join(box.text for box in row)
    return text


# The headers of tables


def _tables(rows: list[Cells]) -> str:
    """Return rows as Markdown tables, each with its header, or without one if that is not certain.

    A header is certain if it contains no values and gives each column of values a different name. A later row without
    values that names columns begins another table.
    """
    return "\n\n".join(part for section in _sections(_folded(rows)) for part in _section(section))


def _sections(rows: list[Cells]) -> Iterator[list[Cells]]:
    """Yield the rows of each table: after values, a row without values that names columns begins a new table."""
    values = valued(map(_texts, rows))
    section: list[Cells] = []
    for row in rows:
        names_some = len(row.keys() & values) >= min(len(values), 2) > 0
        if names_some and not _has_value(row) and any(map(_has_value, section)):
            yield section
            section = []
        section.append(row)
    yield section


def _section(rows: list[Cells]) -> Iterator[str]:
    """Yield the lines above a table's header that are not about single columns, then the table."""
    size = head_size([_texts(row) for row in rows])
    if (head := _stacked(rows[:size])) and _has_distinct_names(head):
        yield table(map(_texts, [head, *rows[size:]]))
    elif size and _has_distinct_names(rows[size - 1]):
        yield "\n".join(" ".join(text for _, text in sorted(_texts(row).items())) for row in rows[: size - 1])
        yield table(map(_texts, rows[size - 1 :]))
    else:
        yield table(map(_texts, rows), headed=False)


def _has_value(row: Cells) -> bool:
    return has_value(_texts(row))


def _stacked(head: list[Cells]) -> Cells | None:
    """Return the rows of a header merged into one, or None if there are none or they are not aligned."""
    merged = head[-1] if head else None
    for row in reversed(head[:-1]):
        if merged is None or not all(column in merged and _aligned(box, merged[column]) for column, box in row.items()):
            return None
        merged = merged | {column: box.joined(merged[column], " ") for column, box in row.items()}
    return merged


def _aligned(box: Box, other: Box) -> bool:
    """Whether two boxes are aligned at the left, at the right, or in the middle."""
    left, right = box.left - other.left, box.right - other.right
    return min(abs(left), abs(right), abs(left + right) / 2) <= ALIGNED


def _has_distinct_names(head: Cells) -> bool:
    return len({box.text for box in head.values()}) == len(head)


def _folded(rows: list[Cells]) -> list[Cells]:
    """Merge columns that contain only currency signs, or names above the values, into the next column."""
    top = next((i for i, row in enumerate(rows) if _has_value(row)), 0)
    for column in sorted({column for row in rows for column in row if column}, reverse=True):
        following = min((other for row in rows for other in row if other > column), default=None)
        occupied = [(i, row) for i, row in enumerate(rows) if column in row]
        if following is not None and all(
            SIGN.fullmatch(row[column].text) or (i < top and following not in row) for i, row in occupied
        ):
            rows = [_merged(row, column, following) for row in rows]
    return rows


def _merged(row: Cells, column: int, into: int) -> Cells:
    if column not in row:
        return row
    rest = {other: box for other, box in row.items() if other != column}
    return {**rest, into: row[column].joined(rest[into], " ") if into in rest else row[column]}


def _texts(row: Cells) -> dict[int, str]:
    return {column: box.text for column, box in row.items()}
