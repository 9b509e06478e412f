"""Detection of ruled tables on a page of a PDF, from the lines that are drawn around their cells.

The text of a cell may have several lines, which only these lines tell from the next row: by the positions of its words
alone a wrapped cell is two rows, of which the second one lacks the rest.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Final

THIN: Final = 2.5  # largest width of a line, in points
SHORTEST: Final = 4.0  # smallest length of a line, in points
TOUCHING: Final = 2.0  # largest distance, in points, of lines that meet
COVERED: Final = 0.5  # share of the width or height of a table by which a line divides it; others divide merged cells
LEAST: Final = 3  # lines in each direction: of two rows, and of two columns
MOST: Final = 1_000  # lines and areas of a page on which tables are looked for; a drawing has more
FILLED: Final = 0.9  # share of a row that areas cover if it is marked by its colour

Rule = tuple[float, float, float, float]
"""The position of a drawn line or area: left, bottom, right, top, in points; y grows upwards."""

Span = tuple[float, float, float]
"""A line by its place across its direction, its start and its end."""


@dataclass(frozen=True, slots=True)
class RuledTable:
    """The lines of a table: the left edges of its columns and its right edge, the top edges of its rows and its bottom.

    `columns` ascend, `rows` descend. It is `headed` if its first row alone is marked by its colour.
    """

    columns: tuple[float, ...]
    rows: tuple[float, ...]
    headed: bool = False

    def is_level_with(self, height: float) -> bool:
        """Whether a height on the page lies between its top and its bottom."""
        return self.rows[-1] < height < self.rows[0]

    def cell(self, across: float, height: float) -> tuple[int, int] | None:
        """Return the row and the column of a point, None if it is outside."""
        left, right = self.columns[0], self.columns[-1]
        if not (self.is_level_with(height) and left - TOUCHING < across < right + TOUCHING):
            return None
        row = bisect_right([-edge for edge in self.rows], -height) - 1
        return row, min(max(bisect_right(self.columns, across) - 1, 0), len(self.columns) - 2)


def ruled_tables(rules: Iterable[Rule]) -> list[RuledTable]:
    """Return the ruled tables of a page, the highest first; none if it has more than MOST lines and areas."""
    across, upright, areas = list[Span](), list[Span](), list[Rule]()
    drawn = list(islice(rules, MOST + 1))
    for left, bottom, right, top in drawn if len(drawn) <= MOST else ():
        if top - bottom <= THIN and right - left >= SHORTEST:
            across.append(((top + bottom) / 2, left, right))
        elif right - left <= THIN and top - bottom >= SHORTEST:
            upright.append(((left + right) / 2, bottom, top))
        else:
            areas.append((left, bottom, right, top))
    found = [_table(*one) for one in _connected(_merged(across), _merged(upright))]
    headed = [replace(grid, headed=_marked(grid, areas) == [0]) for grid in found if grid]
    return sorted(headed, key=lambda grid: -grid.rows[0])


def _marked(grid: RuledTable, areas: Iterable[Rule]) -> list[int]:
    """Return the rows of a table that areas of the same height cover."""
    covered = [0.0] * (len(grid.rows) - 1)
    left, right = grid.columns[0], grid.columns[-1]
    for start, bottom, end, top in areas:
        for row, (high, low) in enumerate(pairwise(grid.rows)):
            if abs(top - high) <= TOUCHING and abs(bottom - low) <= TOUCHING:
                covered[row] += max(0.0, min(end, right) - max(start, left))
    return [row for row, width in enumerate(covered) if width >= FILLED * (right - left)]


def _merged(lines: Iterable[Span]) -> list[Span]:
    """Return lines with those at the same place that meet merged into one."""
    merged: list[Span] = []
    for place, start, end in sorted(lines):
        same = range(bisect_left(merged, (place - TOUCHING / 2,)), len(merged))
        at = next((n for n in same if start <= merged[n][2] + TOUCHING and merged[n][1] <= end + TOUCHING), None)
        if at is None:
            merged.append((place, start, end))
        else:
            merged[at] = (merged[at][0], min(start, merged[at][1]), max(end, merged[at][2]))
    return merged


def _connected(across: Sequence[Span], upright: Sequence[Span]) -> list[tuple[list[Span], list[Span]]]:
    """Return the groups of lines that meet, each with those across and the upright ones."""
    groups: list[tuple[list[Span], list[Span]]] = []
    for line in across:
        met = [one for one in upright if _meet(line, one)]
        joined = [group for group in groups if any(one in group[1] for one in met)]
        own = [one for one in met if not any(one in group[1] for group in joined)]
        groups = [group for group in groups if group not in joined]
        groups.append(
            (
                [line, *(one for group in joined for one in group[0])],
                [*own, *(one for group in joined for one in group[1])],
            )
        )
    return groups


def _meet(across: Span, upright: Span) -> bool:
    height, left, right = across
    place, bottom, top = upright
    return left - TOUCHING <= place <= right + TOUCHING and bottom - TOUCHING <= height <= top + TOUCHING


def _table(across: Sequence[Span], upright: Sequence[Span]) -> RuledTable | None:
    """Return the table of lines that meet, None if they are too few."""
    rows, columns = _dividing(across), _dividing(upright)
    if min(len(rows), len(columns)) < LEAST:
        return None
    return RuledTable(tuple(columns), tuple(reversed(rows)))


def _dividing(lines: Sequence[Span]) -> list[float]:
    """Return the places of the lines that divide a table, in ascending order."""
    if not lines:
        return []
    length = max(end for _, _, end in lines) - min(start for _, start, _ in lines)
    places: list[float] = []
    covered: list[float] = []
    for place, start, end in sorted(lines):
        if places and place - places[-1] <= TOUCHING:
            covered[-1] += end - start
        else:
            places.append(place)
            covered.append(end - start)
    return [place for place, long in zip(places, covered, strict=True) if long >= COVERED * length]
