"""Markdown tables, made from rows of cells."""

import re
from collections.abc import Iterable, Mapping, Sequence

from ..kernel.errors import TooLargeError
from ..kernel.notice import Notice
from ..kernel.table_head import head_of
from .text import MOST_CHARACTERS

_HEADLESS = re.compile(r"^\|(?:[ ]*\|)+\n\|(?:[ ]*-{3,}[ ]*\|)+\n(?P<rows>(?:\|[^\n]*\|[ ]*(?:\n|\Z))+)", re.MULTILINE)
_BAR = re.compile(r"(?<!\\)\|")

Row = Mapping[int, str]  # the non-empty cells of a row, by column


def headed_table(rows: Sequence[Row], marked: int = 0, spread: Sequence[Row] = ()) -> str:
    """Return rows as a Markdown table, with a header if its column names are certain; see `head_of`.

    The source marks the first `marked` rows as the header. `spread` are the first rows with the text of each merged
    cell repeated in all of its columns. Rows about the table as a whole are put above it.
    """
    filled = [{i: text for i, text in row.items() if text.strip()} for row in [*spread, *rows[len(spread) :]]]
    head = head_of(filled, marked)
    if not head.size:
        return table(rows, headed=False)
    about = [" ".join(dict.fromkeys(map(_inline, row.values()))) for row in filled[: head.about]]
    return "\n\n".join([*about, table([head.names, *rows[head.size :]])])


def with_heads(text: str) -> str:
    """Return Markdown whose tables without a header have one if their column names are certain."""
    return _HEADLESS.sub(lambda match: headed_table([_cells(line) for line in match["rows"].splitlines()]) + "\n", text)


def _cells(line: str) -> Row:
    cells = _BAR.split(line.strip()[1:-1])
    return {column: cell.strip().replace("\\|", "|") for column, cell in enumerate(cells) if cell.strip()}


def table(rows: Iterable[Row], *, headed: bool = True) -> str:
    """Return rows as a Markdown table whose first row is the header, without empty rows and columns.

    If it is not `headed`, an empty header is added. Raises TooLargeError for a table beyond MOST_CHARACTERS.
    """
    filled = [cells for row in rows if (cells := {i: _inline(text) for i, text in row.items() if text.strip()})]
    columns = sorted({column for row in filled for column in row})
    if len(filled) * len(columns) * 3 > MOST_CHARACTERS:
        size = Notice("table_too_large", rows=f"{len(filled):,}", columns=f"{len(columns):,}")
        raise TooLargeError(size, remedy=Notice("save_it_as_csv"))
    lines = ["| " + " | ".join(row.get(column, "") for column in columns) + " |" for row in filled]
    if lines and not headed:
        lines.insert(0, "|" + "  |" * len(columns))
    if lines:
        lines.insert(1, "|" + " --- |" * len(columns))
    return "\n".join(lines)


def _inline(text: str) -> str:
    """Return a cell's text without line ends and with bars escaped."""
    return " ".join(text.split()).replace("|", "\\|")
