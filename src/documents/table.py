"""A Markdown table from cells."""

from collections.abc import Iterable

from ..kernel.errors import TooLargeError
from ..kernel.notice import Notice
from .text import MOST_CHARACTERS

Row = dict[int, str]  # the cells of a row that hold something, by column


def table(rows: Iterable[Row], *, headed: bool = True) -> str:
    """Return rows as a Markdown table whose first row is the header, without empty rows and columns.

    Where it is not `headed`, the header is empty. Raises TooLargeError for a table beyond MOST_CHARACTERS.
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
    """Keep a cell's text from ending its row or its cell."""
    return " ".join(text.split()).replace("|", "\\|")
