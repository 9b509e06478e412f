"""Detection of the header of a table (the rows that name its columns) in pages, workbooks, PDFs, Markdown and text.

An uncertain name is worse than none: it turns a true row into a false statement.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

Row = Mapping[int, str]
"""The non-empty cells of a row, by column."""

LOOKED_AT: Final = 100
"""Number of rows examined to find the header."""

FEWEST: Final = 2
"""Minimum number of rows to recognise a column of dates, or of values of properties."""

SIGN: Final = re.compile(r"[$€£¥%()]+")
"""A currency or percent sign in a separate cell."""

_DAY: Final = re.compile(r"(?:19|20)\d\d|\d{1,4}([-./])\d{1,2}\1\d{1,4}(?:[T ]\d\d:\d\d(?::\d\d)?)?")
_VALUE: Final = re.compile(
    r"[*]|(?i:n/?[am]|n\.[am]\.)|[(+−–-]*\s?(?:[$€£¥]\s?)?(?:[—–-]|[(+−–-]?\s?\d[\d.,]*)\s?\)?\s?(?:%|pts|x)?\s?\)?"
    r"(?:\s?[$€£¥])?|\d{1,2}:\d\d(?::\d\d)?"
)
_DIGIT: Final = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Head:
    """The header of a table: its number of rows, how many of them describe the whole table, and the column names."""

    size: int = 0
    about: int = 0
    names: Row = field(default_factory=dict)


def is_value(text: str) -> bool:
    """Return whether a cell holds a number, an amount or a time; a date or a year may be a name."""
    return bool(_VALUE.fullmatch(text)) and not _DAY.fullmatch(text)


def has_value(row: Row) -> bool:
    """Return whether a row holds a value, which a row of column names does not."""
    return any(map(is_value, row.values()))


def valued(rows: Iterable[Row], *, names_count: int = 1) -> set[int]:
    """Return the columns with more values than names; each name counts `names_count` times."""
    balance: dict[int, int] = {}
    for row in rows:
        for column, text in row.items():
            if not SIGN.fullmatch(text):
                balance[column] = balance.get(column, 0) + (1 if is_value(text) else -names_count)
    return {column for column, excess in balance.items() if excess > 0}


def is_data(row: Row, below: Sequence[Row]) -> bool:
    """Return whether a row is data: it holds a value, or one of its cells recurs in its column."""
    others = [other for other in below if other != row]
    return has_value(row) or any(
        _recurs(text, [other[column] for other in others if column in other]) for column, text in row.items()
    )


def _recurs(text: str, below: Sequence[str]) -> bool:
    """Return whether a text recurs in the cells below it, apart from digits; for a date, whether most are dates."""
    if _DAY.fullmatch(text):
        return sum(map(bool, map(_DAY.fullmatch, below))) * 2 > len(below)
    kind = _DIGIT.sub("0", text)
    return any(_DIGIT.sub("0", other) == kind for other in below)


def head_size(rows: Sequence[Row]) -> int:
    """Return the number of rows in the header: rows of names, the last of which names each column of values; or 0.

    Without values, columns of only dates count as columns of values; otherwise one row of the header may contain dates.
    """
    examined = rows[:LOOKED_AT]
    days = int(any(map(has_value, examined)))
    size, allowed_days = 0, days
    for row in examined:
        allowed_days -= any(map(_DAY.fullmatch, row.values()))
        if has_value(row) or allowed_days < 0:
            break
        size += 1
    below = examined[size:]
    columns = valued(below, names_count=2) if days else _of_days(below)
    while size and not (columns and columns <= rows[size - 1].keys()):
        size -= 1
    return 0 if size and is_data(rows[size - 1], below) else size


def _of_days(rows: Sequence[Row]) -> set[int]:
    """Return the columns of only dates, at least FEWEST of them."""
    cells = [(column, _DAY.fullmatch(text) is not None) for row in rows for column, text in row.items()]
    counts = Counter(cells)
    return {
        column for column, is_day in counts if is_day and counts[column, True] >= FEWEST and not counts[column, False]
    }


def head_of(rows: Sequence[Row], marked: int = 0) -> Head:
    """Return the header of a table, of size 0 if it is uncertain; the first `marked` rows are marked as header.

    In the first rows, the text of a cell that spans several columns is repeated in each of them.
    """
    marked = 0 if all(map(_is_title, rows[:marked])) else marked
    size = marked or head_size(rows)
    if not size or not (marked or _is_clear(rows, size)):
        return Head()
    about, names = size - 1, rows[size - 1]
    if about and (both := joined(rows[about - 1], names, is_marked=bool(marked))):
        about, names = about - 1, both
    if marked or (_differ(names) and all(_is_about(row, names, bool(at)) for at, row in enumerate(rows[:about]))):
        return Head(size, about, names)
    return Head()


def head_of_figures(rows: Sequence[Row]) -> Head:
    """Return the first of several rows as header if it has no digits, and a column has some in all other rows.

    These may be times from and to, quantities with their units, or codes. As a single row of data may lack what all
    others have, another column must differ from it, too: by digits in all other rows, or by a text that recurs there.
    """
    names, *below = rows
    columns = {column for row in below for column in row}
    is_named = columns and columns <= names.keys() and _differ(names) and not any(map(_DIGIT.search, names.values()))
    if not is_named or len(below) <= FEWEST or is_data(names, below):
        return Head()
    texts = [[row.get(column, "") for row in below] for column in columns]
    figured = [all(map(_DIGIT.search, own)) for own in texts]
    recurring = [any(count > 1 for text, count in Counter(own).items() if text) for own in texts]
    differing = sum(map(any, zip(figured, recurring, strict=True)))
    return Head(1, 0, names) if any(figured) and differing > 1 else Head()


def _is_title(row: Row) -> bool:
    return len({*row.values()}) < 2


def _is_about(row: Row, names: Row, is_below: bool) -> bool:
    """Whether a row describes the whole table: a title, or `is_below` one and has a remark far to its right."""
    if _is_title(row):
        return True
    columns = sorted(names)
    return is_below and len(row) == 2 <= len(names) / 2 and min(row) == columns[0] and sorted(row)[1] > columns[1]


def marked_head(rows: Sequence[Row]) -> Head:
    """Return the header of a Markdown table, whose first row is marked, whether or not it names columns."""
    if is_data(rows[0], rows[1:]):
        return Head()
    both = joined(*rows[:2]) if head_size(rows) == 2 else None
    return Head(2, 0, both) if both else Head(1, 0, rows[0])


def _is_clear(rows: Sequence[Row], size: int) -> bool:
    """Return whether a header is certain although two columns may be properties and their values."""
    columns = {column for row in rows[:LOOKED_AT] for column in row}
    last = [row.get(max(columns), "") for row in rows[size:LOOKED_AT]]
    return len(columns) > 2 or (len(last) >= FEWEST and all(is_value(text) or _DAY.fullmatch(text) for text in last))


def joined(upper: Row, lower: Row, *, is_marked: bool = False) -> Row | None:
    """Return two rows of names merged by column, or None if they are not certainly one header.

    They are one if names in the upper row span several columns: a name is repeated, or several names have empty cells
    to their right, and the lower row is empty where the upper name suffices. If both are marked, they are also one if
    the lower row has units below some names. A single name in the upper row is a title.
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
    """Return whether each of two rows has names where the other is empty, and several span further columns."""
    several = len({at for column, at in over.items() if at != column}) > 1
    return several and bool(upper.keys() - lower.keys()) and all(at in lower for at in over.values())


def _differ(names: Row) -> bool:
    return len({*names.values()}) == len(names)
