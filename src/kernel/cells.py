"""The cells of lines of data, such as those of a CSV file."""

import csv
from collections import Counter
from collections.abc import Sequence
from typing import Final

SEPARATORS: Final = ("\t", ";", ",")
"""Separators of the cells in a line of data, in order of preference."""

MOST_ROWS: Final = 0.8
"""The least share of the lines that are rows, for a text to be one: a separator in a cell makes another width."""

FEWEST_ROWS: Final = 3
"""The fewest lines by which rows are recognized without the names of their columns."""


def separated(line: str, width: int = 0) -> tuple[str, ...]:
    """Return the cells of a line, split at the first of SEPARATORS that it contains; one cell if it has none.

    The first one by which it has `width` cells is preferred: a remark may contain another one.
    """
    rows = [_split(line, mark) for mark in SEPARATORS if mark in line] or [_split(line, SEPARATORS[-1])]
    return next((row for row in rows if len(row) == width), rows[0])


def are_rows(lines: Sequence[str]) -> bool:
    """Return whether lines are rows of a table: nearly all in Markdown, or with as many cells.

    These are two or more, or three between commas: prose may have one in each line.
    """
    kinds = Counter(0 if line.startswith("|") else _width(line) for line in lines)
    (width, times), *_ = kinds.most_common(1) or [(1, 0)]
    return width != 1 and times >= max(FEWEST_ROWS, MOST_ROWS * len(lines))


def _width(line: str) -> int:
    cells = len(separated(line))
    return 1 if cells == 2 and not any(mark in line for mark in SEPARATORS[:-1]) else cells


def _split(line: str, separator: str) -> tuple[str, ...]:
    try:
        return tuple(cell.strip() for cell in next(csv.reader([line], delimiter=separator), []))
    except csv.Error:  # a cell is too long, or ends within a line
        return (line,)
