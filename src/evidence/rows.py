"""Reads rows of Markdown tables and lines of data: their cells, the names of their columns, and where they end."""

import re
from collections.abc import Iterator, Sequence

from ..kernel.cells import MOST_ROWS, separated
from ..kernel.table_head import Row, head_of, head_of_figures, marked_head
from .visible_text import visible

MARKED = re.compile(r"^\|", re.MULTILINE)
"""The beginning of a row of a Markdown table."""

_FARTHEST = 200_000
"""Most characters between a row and the start of its table."""

_LONGEST_HEAD = 2_000
"""Most characters of the line with the column names."""

_LOOKED_AT = 5
"""Number of first lines by which a text is recognized as rows."""

_RULER = re.compile(r"[^\n]*\n[ \t]*\|?[ \t]*:?-{3,}")

_NAME = re.compile(r"(?!unnamed: \d|nan$)[^\W_].{0,60}", re.IGNORECASE)

_LISTED = re.compile(r"[,;] ")
"""A separator with a space behind it, as in a sentence."""

_EMPTY_CELL = re.compile(r"nan|none|null|unnamed: \d+|-+|", re.IGNORECASE)


def columns(text: str, start: int, end: int) -> list[str]:
    """Return the column names of the table with `text[start:end]` in one of its rows; an empty list elsewhere."""
    if "\n" in text[start:end].strip():
        return []
    line = text.rfind("\n", 0, start) + 1
    if text.startswith("|", line):
        return _of_table(text, line)
    names, begins = head_of_lines(text)
    is_row = line >= begins and len(separated(text[line : _end(text, start)], len(names))) == len(names)
    return names if is_row else []


def columns_above(text: str, start: int) -> list[str]:
    """Return the names of the columns of the table in which the passage at an offset begins, if they are before it.

    Lines of data end with an empty line, or where two lines have another number of cells.
    """
    line = text.rfind("\n", 0, start) + 1
    if text.startswith("|", line):
        return _of_table(text, line)
    names, begins = head_of_lines(text)
    if not 0 < begins <= line or text.find("\n\n", begins, line) >= 0:
        return []
    near = text[line : line + 2 * _LONGEST_HEAD].split("\n")[:2]
    return names if any(len(separated(one, len(names))) == len(names) for one in near) else []


def _of_table(text: str, line: int) -> list[str]:
    """Return the column names of the Markdown table with a row at `line`; an empty list if the row is the head."""
    lowest, at = max(0, line - _FARTHEST), line
    while text.startswith("|", at):
        if is_table_head(text, end := _end(text, at)):
            names, begins = table_head(text, at, end)
            return list(names) if begins <= line else []
        if at <= lowest:
            break
        at = text.rfind("\n", 0, at - 1) + 1
    return []


def table_head(text: str, start: int, end: int) -> tuple[Sequence[str], int]:
    """Return the column names of a Markdown table whose first row is at `start`, and the offset of its data rows.

    The next rows may continue the names. The first row may be a data row, as in a table that continues from the page
    before: then the names are empty.
    """
    rows, starts = [_cells_by_column(cells(text[start:end]))], [start]
    below = _end(text, _end(text, end) + 1) + 1
    while len(rows) < _LOOKED_AT and text.startswith("|", below):
        starts.append(below)
        rows.append(_cells_by_column(cells(text[below : _end(text, below)])))
        below = _end(text, below) + 1
    head = marked_head(rows)
    width = len(cells(text[start:end]))
    return _listed(head.names, width), [*starts, end][head.size]


def head_of_lines(text: str) -> tuple[list[str], int]:
    """Return the column names in the first lines of a text, and the offset of the lines below them.

    A text with an empty line among the first ones, or a heading as the first, is prose.
    """
    first = text[: _LOOKED_AT * _LONGEST_HEAD].rstrip("\n").split("\n")[:_LOOKED_AT]
    width = len(separated(first[0][:_LONGEST_HEAD]))
    rows = [separated(line[:_LONGEST_HEAD], width) for line in first]
    if width < 2 or first[0].startswith(("# ", "|")) or any(len(row) != width for row in rows):
        return [], 0
    by_column = [*map(_cells_by_column, rows)]
    head = head_of(by_column)
    if not head.size and width > 2 and not _LISTED.search(first[0]):
        head = head_of_figures(by_column)
    return _listed(head.names, width) if head.size else [], sum(len(line) + 1 for line in first[: head.size])


def end_of_rows(text: str, start: int, width: int, *, is_cut: bool) -> int:
    """Return where the rows of data of this width that begin at an offset end; 0 if nearly all lines are none.

    They end with the last line of this width above an empty line, or at the end of the text, where one may be cut off.
    Sentences may be in them. The first line does not count if the text `is_cut` there.
    """
    if not width:
        return 0
    below = text.find("\n\n", start)
    lines = text[start : below if below >= 0 else len(text)].split("\n")
    widths = [len(separated(line, width)) for line in lines]
    if below < 0 and widths[-1] < width:
        del widths[-1]
    while widths and widths[-1] != width:
        del widths[-1]
    whole = widths[is_cut and len(widths) > 1 :]
    if not whole or sum(one == width for one in whole) < MOST_ROWS * len(whole):
        return 0
    return start + sum(len(line) + 1 for line in lines[: len(widths)])


def blanked(text: str, end: int) -> str:
    """Return a text with spaces instead of all that is before an offset, but for the ends of lines."""
    return re.sub(".", " ", text[:end]) + text[end:]


def lines_of_data(raw: str, names: Sequence[str]) -> Iterator[tuple[int, int, Sequence[str]]]:
    """Yield the start and end of each line of a block, with the column names if the line has as many cells."""
    for match in re.finditer(r"\S(?:[^\n]*\S)?", raw):
        yield *match.span(), names if len(separated(match[0], len(names))) == len(names) else ()


def is_table_head(text: str, end: int) -> bool:
    """Whether the row that ends at an offset is a table head: a ruler (`|---|`) follows."""
    return bool(_RULER.match(text, end))


def row_text(row: Sequence[str], head: Sequence[str]) -> str:
    """Return the visible text of a row's cells, each preceded by its column name, if it has one.

    In a row of two cells without column names the first cell is the name of the second.
    """
    if len(row) == 2 and head and not any(head) and _NAME.fullmatch(row[0]) and not _EMPTY_CELL.fullmatch(row[1]):
        row, head = row[1:], row[:1]
    names = [*(name.rstrip(": ") for name in head), *[""] * (len(row) - len(head))]
    pairs = [(name, cell) for name, cell in zip(names, row, strict=False) if not _EMPTY_CELL.fullmatch(cell)]
    return " · ".join(f"{name}: {cell}" if _NAME.fullmatch(name) else cell for name, cell in pairs)


def cells(row: str) -> tuple[str, ...]:
    """Return the visible text of each cell of a table row."""
    return tuple(visible(cell) for cell in row.strip().removeprefix("|").removesuffix("|").split("|"))


def _cells_by_column(row: Sequence[str]) -> Row:
    return {column: cell for column, cell in enumerate(row) if not _EMPTY_CELL.fullmatch(cell)}


def _listed(names: Row, width: int) -> list[str]:
    return [names.get(column, "") for column in range(width)]


def _end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end
