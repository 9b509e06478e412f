"""Which first rows of a table name its columns: one rule for pages, workbooks, PDFs, Markdown and lines of data.

A name that is not certain is worse than none: it makes a false statement of a true row.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

Row = Mapping[int, str]
"""The cells of a row that hold something, by column."""

LOOKED_AT: Final = 100
"""Rows of a table by which it is told whether the first ones name its columns."""

FEWEST: Final = 2
"""Rows that show what a column holds where one alone does not: of days, or of what may be properties."""

SIGN: Final = re.compile(r"[$€£¥%()]+")
"""The sign of a currency or a share in a cell of its own."""

_DAY: Final = re.compile(r"(?:19|20)\d\d|\d{1,4}([-./])\d{1,2}\1\d{1,4}(?:[T ]\d\d:\d\d(?::\d\d)?)?")
_VALUE: Final = re.compile(
    r"[*]|(?i:n/?[am]|n\.[am]\.)|[(+−–-]*\s?(?:[$€£¥]\s?)?(?:[—–-]|[(+−–-]?\s?\d[\d.,]*)\s?\)?\s?(?:%|pts|x)?\s?\)?"
    r"(?:\s?[$€£¥])?|\d{1,2}:\d\d(?::\d\d)?"
)
_DIGIT: Final = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Head:
    """The rows above the data of a table: how many there are, how many of them tell of all of it, and the names."""

    size: int = 0
    about: int = 0
    names: Row = field(default_factory=dict)


def is_value(text: str) -> bool:
    """Say whether a cell holds a number, a sum or a time. A day, or a year, may be a name."""
    return bool(_VALUE.fullmatch(text)) and not _DAY.fullmatch(text)


def has_value(row: Row) -> bool:
    """Say whether a row holds a value, as one that names columns does not."""
    return any(map(is_value, row.values()))


def valued(rows: Iterable[Row], *, names_count: int = 1) -> set[int]:
    """Return the columns that have more values than names, of which each counts so many times."""
    balance: dict[int, int] = {}
    for row in rows:
        for column, text in row.items():
            if not SIGN.fullmatch(text):
                balance[column] = balance.get(column, 0) + (1 if is_value(text) else -names_count)
    return {column for column, more in balance.items() if more > 0}


def is_data(row: Row, below: Sequence[Row]) -> bool:
    """Say whether a row is one of data: it holds a value, or a cell goes on in its column."""
    others = [other for other in below if other != row]
    return has_value(row) or any(
        _goes_on(text, [other[column] for other in others if column in other]) for column, text in row.items()
    )


def _goes_on(text: str, below: Sequence[str]) -> bool:
    """Say whether a text stands in the cells below it again, but for its digits; of a day, whether most are days."""
    if _DAY.fullmatch(text):
        return sum(map(bool, map(_DAY.fullmatch, below))) * 2 > len(below)
    kind = _DIGIT.sub("0", text)
    return any(_DIGIT.sub("0", other) == kind for other in below)


def head_size(rows: Sequence[Row]) -> int:
    """Return how many first rows hold names alone, down to one that names each column of values; 0 where none does.

    Where there are no values, columns of nothing but days are ones; else one row of the head may hold days.
    """
    looked_at = rows[:LOOKED_AT]
    days = int(any(map(has_value, looked_at)))
    size, left = 0, days
    for row in looked_at:
        left -= any(map(_DAY.fullmatch, row.values()))
        if has_value(row) or left < 0:
            break
        size += 1
    below = looked_at[size:]
    columns = valued(below, names_count=2) if days else _of_days(below)
    while size and not (columns and columns <= rows[size - 1].keys()):
        size -= 1
    return 0 if size and is_data(rows[size - 1], below) else size


def _of_days(rows: Sequence[Row]) -> set[int]:
    """Return the columns of nothing but days, a few at least."""
    cells = [(column, _DAY.fullmatch(text) is not None) for row in rows for column, text in row.items()]
    counts = Counter(cells)
    return {
        column for column, is_day in counts if is_day and counts[column, True] >= FEWEST and not counts[column, False]
    }


def head_of(rows: Sequence[Row], marked: int = 0) -> Head:
    """Return the head of a table, without a size where it is not certain; so many first rows are marked as its head.

    In the first rows the text of a cell that reaches over several columns stands in each of these.
    """
    marked = 0 if all(map(_is_title, rows[:marked])) else marked
    size = marked or head_size(rows)
    if not size or not (marked or _is_clear(rows, size)):
        return Head()
    about, names = size - 1, rows[size - 1]
    if about and (both := joined(rows[about - 1], names, is_marked=bool(marked))):
        about, names = about - 1, both
    if marked or (_differ(names) and all(map(_is_title, rows[:about]))):
        return Head(size, about, names)
    return Head()


def _is_title(row: Row) -> bool:
    return len({*row.values()}) < 2


def marked_head(rows: Sequence[Row]) -> Head:
    """Return the head of a table of Markdown, whose first row is marked, whether it names columns or not."""
    if is_data(rows[0], rows[1:]):
        return Head()
    both = joined(*rows[:2]) if head_size(rows) == 2 else None
    return Head(2, 0, both) if both else Head(1, 0, rows[0])


def _is_clear(rows: Sequence[Row], size: int) -> bool:
    """Say whether a head is one although there are two columns, which may be properties and what they are."""
    columns = {column for row in rows[:LOOKED_AT] for column in row}
    last = [row.get(max(columns), "") for row in rows[size:LOOKED_AT]]
    return len(columns) > 2 or (len(last) >= FEWEST and all(is_value(text) or _DAY.fullmatch(text) for text in last))


def joined(upper: Row, lower: Row, *, is_marked: bool = False) -> Row | None:
    """Return two rows of names as one, or None where they are not certainly one head.

    They are where a name above stands over several columns: it is repeated, or several have empty cells right of them,
    and the row below is empty where the one above says all; and where both are marked, for units below some names. A
    single name above is a title.
    """
    if _is_title(upper):
        return None
    over = {column: max((at for at in upper if at <= column), default=-1) for column in lower}
    repeats = not _differ(upper)
    reaches = not repeats and _complement(upper, lower, over)
    if not (repeats or reaches or (is_marked and lower.keys() < upper.keys())):
        return None
    above = {**upper, **{column: upper[at] for column, at in over.items()}} if reaches else upper
    columns = sorted({*above, *lower})
    both = {column: " ".join(filter(None, (above.get(column), lower.get(column)))) for column in columns}
    return both if is_marked or _differ(both) else None


def _complement(upper: Row, lower: Row, over: Mapping[int, int]) -> bool:
    """Say whether each of two rows has names where the other is empty, and several reach over more than their own."""
    several = len({at for column, at in over.items() if at != column}) > 1
    return several and bool(upper.keys() - lower.keys()) and all(at in lower for at in over.values())


def _differ(names: Row) -> bool:
    return len({*names.values()}) == len(names)
