"""Tables from rows of cells of a page: each under its own head, and under none where it is not certain.

A head is certain when it holds no value and names every column of values, each by another name. Rows without values
amid the others that name columns begin another table.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from .box import Box
from .table import table

Cells = dict[int, Box]  # the cells of a row, by column
ALIGNED: Final = 4.0  # points by which the lines of a name that stands in several may differ where they are aligned
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_SIGN: Final = re.compile(r"[$€£¥%()]+")
_VALUE: Final = re.compile(
    r"[*]|(?i:n/?[am]|n\.[am]\.)|[(+−–-]*\s?(?:[$€£¥]\s?)?(?:[—–-]|[(+−–-]?\s?\d[\d.,]*)\s?\)?\s?(?:%|pts|x)?\s?\)?"
    r"(?:\s?[$€£¥])?"
)


def tables(rows: list[Cells]) -> str:
    """Return rows as Markdown, one table or several."""
    return "\n\n".join(part for section in _sections(_folded(rows)) for part in _section(section))


def _sections(rows: list[Cells]) -> Iterator[list[Cells]]:
    """Yield the rows of each table: amid values, a row without any that names columns of values begins another."""
    valued = _valued(rows)
    section: list[Cells] = []
    for row in rows:
        names_some = len(row.keys() & valued) >= min(len(valued), 2) > 0
        if names_some and not _has_value(row) and any(map(_has_value, section)):
            yield section
            section = []
        section.append(row)
    yield section


def _section(rows: list[Cells]) -> Iterator[str]:
    """Yield a table, and before it the lines above its head that are not about single columns."""
    size = next((i for i, row in enumerate(rows) if _has_value(row)), 0)
    valued = _valued(rows[size:], names_count=2)
    while size and not (valued and valued <= rows[size - 1].keys()):
        size -= 1
    if (head := _stacked(rows[:size])) and _differ(head):
        yield table(map(_texts, [head, *rows[size:]]))
    elif size and _differ(rows[size - 1]):
        yield "\n".join(" ".join(text for _, text in sorted(_texts(row).items())) for row in rows[: size - 1])
        yield table(map(_texts, rows[size - 1 :]))
    else:
        yield table(map(_texts, rows), headed=False)


def _has_value(row: Cells) -> bool:
    return any(_is_value(box.text) for box in row.values())


def _valued(rows: Iterable[Cells], *, names_count: int = 1) -> set[int]:
    """Return the columns that have more values than names, of which each counts so many times."""
    balance: dict[int, int] = {}
    for row in rows:
        for column, box in row.items():
            if not _SIGN.fullmatch(box.text):
                balance[column] = balance.get(column, 0) + (1 if _is_value(box.text) else -names_count)
    return {column for column, more in balance.items() if more > 0}


def _is_value(text: str) -> bool:
    return bool(_VALUE.fullmatch(text)) and not _YEAR.fullmatch(text)


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
            _SIGN.fullmatch(row[column].text) or (i < top and following not in row) for i, row in held
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
