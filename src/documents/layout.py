"""Where text stands on a page: rows, cells and columns, and from them the tables that a PDF does not name.

A PDF says where each run of letters is, and nothing of tables. What is read here: runs at the same height are a row,
runs close together are a cell, and rows of several cells, one under another, that leave the same vertical bands of the
page empty are a table. Newspaper columns leave such bands too, but fill what is between them; the cells of a table do
not.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ..kernel.table_head import SIGN, has_value, head_size, valued
from .table import table

GAP: Final = 0.6
"""Heights of its row by which two runs are apart at least if they are two cells; between words it is a third of one."""

NEAR: Final = 0.6  # heights of a row that are left free above it, at most, within one entry of a table
FAR: Final = 2.5  # heights of a row that are left free above it, at least, where another table may begin
BAND: Final = 3.0  # points that the empty band between two columns is wide at least
LEAST_COLUMNS: Final = 3  # a table of two columns reads as well line by line
LEAST_ROWS: Final = 2  # rows that have as many cells; one alone may be a line set wide
CROSSING: Final = 0.25  # the share of rows that may run across the band between two columns: titles, totals, notes
MOST_CROSSING: Final = 10  # rows that may do so at most, however long the table
FULL: Final = 0.8  # the share of its column's width that prose takes, on average, and the cells of a table do not
MOST: Final = 0.9  # the share of the rows of a table that has several short cells beside a column that is full
SHORT: Final = 6.0  # heights that a short cell is wide at most; prose has one beside it, the number of a line, not more
_LINE_ENDS: Final = ("\r", "\n")
ALIGNED: Final = 4.0  # points by which the lines of a name that stands in several may differ where they are aligned
Piece = tuple[float, float, float, float, str]
"""A letter, or more, and its place as in a box: left, bottom, right, top, text."""


@dataclass(frozen=True, slots=True)
class Box:
    """A run of text and its place, in points, upwards and to the right."""

    left: float
    bottom: float
    right: float
    top: float
    text: str

    @property
    def middle(self) -> float:
        """Half way up."""
        return (self.bottom + self.top) / 2

    @property
    def height(self) -> float:
        """From bottom to top."""
        return self.top - self.bottom

    def leads_to(self, other: "Box") -> bool:
        """Say whether another box goes on where this one ends, in the same cell of the same row.

        The letters of a ligature share one box, so the other may begin as far back as a letter is wide.
        """
        gap, height = other.left - self.right, max(self.height, other.height)
        return -height <= gap <= GAP * height and self.bottom <= other.middle <= self.top

    def joined(self, other: "Box", between: str = "") -> "Box":
        """Return both as one."""
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
    """Return the runs that pieces make one after another, as `Box.leads_to` has it; a line end breaks them.

    A page has thousands of pieces, so none of them becomes a box.
    """
    found: list[Box] = []
    texts: list[str] = []
    left = bottom = right = top = 0.0
    spaced = False
    for start, low, end, high, text in pieces:
        gap, height = start - right, max(top - bottom, high - low)
        if text in _LINE_ENDS:
            found += _run(left, bottom, right, top, texts)
            texts = []
        elif texts and -height <= gap <= GAP * height and bottom <= (low + high) / 2 <= top:
            texts.append(" " + text if spaced and gap >= height / 10 else text)
            left, bottom, right, top = min(left, start), min(bottom, low), max(right, end), max(top, high)
            spaced = False
        elif text.isspace():
            spaced = True
        else:
            found += _run(left, bottom, right, top, texts)
            texts, left, bottom, right, top, spaced = [text], start, low, end, high, False
    return found + _run(left, bottom, right, top, texts)


def _run(left: float, bottom: float, right: float, top: float, texts: list[str]) -> list[Box]:
    return [Box(left, bottom, right, top, "".join(texts).strip())] if texts else []


def has_tables(boxes: Iterable[Box]) -> bool:
    """Say whether a page may have a table, from where its runs stand alone."""
    found = rows(boxes)
    return any(_table_columns(found, block) for block in _blocks(found))


def with_tables(boxes: Iterable[Box]) -> str | None:
    """Return a page from top to bottom with its tables as Markdown, or None when it has none."""
    found = rows(boxes)
    blocks = [(block, columns) for block in _blocks(found) if (columns := _table_columns(found, block))]
    if not blocks or _is_newspaper(found, {i for block, _ in blocks for i in block}):
        return None
    parts, at = [], 0
    for block, columns in blocks:
        parts += [_lines(found[at : block.start]), _markdown(found[block.start : block.stop], columns)]
        at = block.stop
    return "\n\n".join(part for part in [*parts, _lines(found[at:])] if part)


def rows(boxes: Iterable[Box]) -> list[Row]:
    """Return the rows of a page from the top, each from left to right, its boxes merged into cells."""
    found: list[Row] = []
    for box in sorted(boxes, key=lambda box: (-box.middle, box.left)):
        if found and found[-1][0].bottom <= box.middle <= found[-1][0].top:
            found[-1].append(box)
        else:
            found.append([box])
    return [_cells(row) for row in found]


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


def _blocks(found: list[Row]) -> list[range]:
    """Return the runs of rows of several cells; a single line amid them that stands close belongs to them."""
    blocks, start = [], 0
    for i in range(len(found) + 1):
        ends = i == len(found) or (len(found[i]) == 1 and not _amid(found, start, i))
        if ends or (i > start and _space(found, i) > FAR):
            if i - start > 1:
                blocks.append(range(start, i))
            start = i + 1 if ends else i
    return blocks


def _amid(found: list[Row], start: int, i: int) -> bool:
    """Say whether a row of one cell goes on with a row of the block before it, rather than heading the next."""
    return start < i < len(found) - 1 and max(_space(found, i), _space(found, i + 1)) < NEAR and len(found[i + 1]) > 1


def _space(found: list[Row], i: int) -> float:
    """Return the room between a row and the one above it, in heights of the row."""
    return (found[i - 1][0].bottom - found[i][0].top) / max(found[i][0].height, 1.0)


def _table_columns(found: list[Row], block: range) -> list[float]:
    """Return where the columns of a table begin, or nothing when the block is not one."""
    lines = [found[i] for i in block if len(found[i]) > 1]
    if sum(len(row) >= LEAST_COLUMNS for row in lines) < LEAST_ROWS:
        return []
    most = min(int(CROSSING * len(lines)), MOST_CROSSING)
    columns = max((_columns(lines, crossing) for crossing in range(most + 1)), key=len)
    is_table = len(columns) >= LEAST_COLUMNS and (_has_values(found, block) or not _is_prose(lines, columns))
    return columns if is_table else []


def _has_values(found: list[Row], block: range) -> bool:
    """Say whether each row, but for a few, has several short cells: what fills its column beside them is no prose."""
    short = [sum(box.right - box.left < SHORT * box.height for box in found[i]) for i in block]
    return sum(count > 1 for count in short) >= MOST * len(short)


def _columns(lines: list[Row], allowed: int) -> list[float]:
    """Return where columns begin: right of the vertical bands that at most `allowed` rows run across."""
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
    """Say whether some column is wide and filled line after line, as prose is."""
    right = max(box.right for row in lines for box in row)
    width = right - columns[0]
    for i, (left, end) in enumerate(pairwise([*columns, right])):
        cells = [box for row in lines for box in row if _column(columns, box) == i]
        filled = sum(box.right - box.left for box in cells)
        if len(cells) > 4 and end - left > width / 4 and filled > FULL * (end - left) * len(cells):
            return True
    return False


def _is_newspaper(found: list[Row], in_tables: set[int]) -> bool:
    """Say whether prose stands in columns beside the tables: read from the top, it would be shuffled."""
    split = sum(sum(len(box.text) > 30 for box in row) > 1 for i, row in enumerate(found) if i not in in_tables)
    return split > 4


def _column(columns: list[float], box: Box) -> int:
    return max(bisect_right(columns, box.left + BAND) - 1, 0)


def _markdown(lines: list[Row], columns: list[float]) -> str:
    found: list[dict[int, Box]] = []
    for row in lines:
        cells: dict[int, Box] = {}
        for box in row:
            i = _column(columns, box)
            cells[i] = cells[i].joined(box, " ") if i in cells else box
        found.append(cells)
    return _tables(found)


def _lines(found: list[Row]) -> str:
    """Return rows as lines, with a blank line where the page leaves the room of one."""
    text = ""
    for above, row in pairwise([found[0], *found] if found else []):
        if text:
            text += "\n\n" if above[0].bottom - row[0].top > row[0].height else "\n"
        text += " ".join(box.text for box in row)
    return text


# The heads of tables


def _tables(rows: list[Cells]) -> str:
    """Return rows as Markdown: tables each under its own head, and under none where it is not certain.

    A head is certain when it holds no value and names every column of values, each by another name. Rows without values
    amid the others that name columns begin another table.
    """
    return "\n\n".join(part for section in _sections(_folded(rows)) for part in _section(section))


def _sections(rows: list[Cells]) -> Iterator[list[Cells]]:
    """Yield the rows of each table: amid values, a row without any that names columns of values begins another."""
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
    """Yield a table, and before it the lines above its head that are not about single columns."""
    size = head_size([_texts(row) for row in rows])
    if (head := _stacked(rows[:size])) and _differ(head):
        yield table(map(_texts, [head, *rows[size:]]))
    elif size and _differ(rows[size - 1]):
        yield "\n".join(" ".join(text for _, text in sorted(_texts(row).items())) for row in rows[: size - 1])
        yield table(map(_texts, rows[size - 1 :]))
    else:
        yield table(map(_texts, rows), headed=False)


def _has_value(row: Cells) -> bool:
    return has_value(_texts(row))


def _stacked(head: list[Cells]) -> Cells | None:
    """Return the lines of a head as one, or None where there are none or one does not stand right above the next."""
    below = head[-1] if head else None
    for row in reversed(head[:-1]):
        if below is None or not all(column in below and _aligned(box, below[column]) for column, box in row.items()):
            return None
        below = below | {column: box.joined(below[column], " ") for column, box in row.items()}
    return below


def _aligned(box: Box, other: Box) -> bool:
    """Say whether two boxes are aligned at the left, at the right, or in the middle."""
    left, right = box.left - other.left, box.right - other.right
    return min(abs(left), abs(right), abs(left + right) / 2) <= ALIGNED


def _differ(head: Cells) -> bool:
    return len({box.text for box in head.values()}) == len(head)


def _folded(rows: list[Cells]) -> list[Cells]:
    """Return the rows without columns that only have names, above, and signs of currencies for the next column."""
    top = next((i for i, row in enumerate(rows) if _has_value(row)), 0)
    for column in sorted({column for row in rows for column in row if column}, reverse=True):
        following = min((other for row in rows for other in row if other > column), default=None)
        held = [(i, row) for i, row in enumerate(rows) if column in row]
        if following is not None and all(
            SIGN.fullmatch(row[column].text) or (i < top and following not in row) for i, row in held
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
