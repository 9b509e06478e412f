"""A timeline as lines of a terminal: a row for each phase and for the calls of each kind, over one axis of time."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from rich.text import Text

from ..kernel.one_line import tamed
from ..runs.timeline import OWN, Stretch, Timeline, TimelineRow, levels

LEAST_BAR, TICKS = 20, 9
"""Characters: the shortest bar before a column is left out, and the least between two marks of the axis."""

LONGEST_WAITS: Final = 6  # how many parts of the path are shown
LEAST_SHARE: Final = 0.005  # the share of the whole from which a wait is named
STYLES: Final = {"model": "magenta", "embed": "magenta", "search": "yellow", "fetch": "green"}


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The signs of a drawing: `bars` for 1, 2, … calls at once, the last one for as many and more."""

    phase: str
    bars: str
    failed: str
    gap: str
    axis: str
    tick: str


BLOCKS: Final = Glyphs("━", "▂▃▄▅▆▇█", "×", "┊", "─", "┬")
LETTERS: Final = Glyphs("=", "123456789+", "x", ":", "-", "+")
"""For a terminal that has no others: how many at once, in figures."""


def glyphs_of(encoding: str) -> Glyphs:
    """Return the best signs that an encoding has."""
    try:
        f"{BLOCKS.phase}{BLOCKS.bars}{BLOCKS.failed}{BLOCKS.gap}{BLOCKS.axis}{BLOCKS.tick}".encode(encoding)
    except UnicodeEncodeError:
        return LETTERS
    return BLOCKS


COLUMNS: Final[dict[str, Callable[[TimelineRow], str]]] = {
    "time": lambda row: duration(row.seconds),
    "calls": lambda row: f"{len(row.stretches):,}",
    "failed": lambda row: f"{row.failed:,}" if row.failed else "",
    "again": lambda row: f"{row.again:,}" if row.again else "",
    "cost": lambda row: ("unknown" if row.cost is None else f"${row.cost:.4f}") if row.tokens else "",
    "tokens": lambda row: f"{row.tokens:,}" if row.tokens else "",
    "at once": lambda row: f"{row.at_once:,}",
}
"""The columns of figures behind the bars by their names, the most important one first."""


def drawn(timeline: Timeline, width: int, glyphs: Glyphs) -> list[Text]:
    """Return the lines, none longer than `width` characters where a terminal is wide enough for anything."""
    if not timeline.seconds:
        return [Text("Nothing is on record yet.")]
    return [*_Drawing(timeline, width, glyphs).lines(), Text(), *_waits(timeline, width)]


def sessions(timeline: Timeline) -> list[str]:
    """Say how often the run was taken up, where that was more than once, or how it was broken off."""
    said = []
    for number, one in enumerate(timeline.sessions, 1):
        gap = f"{duration(one.began - timeline.sessions[number - 2].ended)} later, " if number > 1 else ""
        said.append(f"{gap}{duration(one.seconds)} ({one.how})")
    if len(said) == 1 and timeline.sessions[0].how == "ended":
        return []
    broken = any(one.how == "broken off" for one in timeline.sessions)
    lost = "; what was under way when it was broken off is not on record" if broken else ""
    return [f"Sessions: {'; '.join(said)}{lost}"] if said else []


def duration(seconds: float) -> str:
    """Return seconds as one reads them: `0.04 s`, `12.3 s`, `3m05s`, `1h02m`."""
    if seconds < 99.95:
        return f"{seconds:.2f} s" if 0.005 <= seconds < 1 else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02}m" if hours else f"{minutes}m{rest:02}s"


class _Drawing:
    """The rows over their axis."""

    def __init__(self, timeline: Timeline, width: int, glyphs: Glyphs) -> None:
        self._timeline = timeline
        self._glyphs = glyphs
        rows = timeline.calls
        self._label = max((len(row.name) for row in (*timeline.phases, *rows)), default=0) + 4
        self._columns = [name for name, figure in COLUMNS.items() if any(map(figure, rows))] if rows else ["time"]
        while len(self._columns) > 1 and self._room(width) < LEAST_BAR:
            self._columns.pop()
        self._cells = max(LEAST_BAR, self._room(width), len(timeline.sessions))
        self._edges = self._placed()

    def lines(self) -> list[Text]:
        """Return them."""
        head = "".join(column.rjust(self._wide(column)) for column in self._columns)
        numbers, axis = self._axis()
        margin = " " * self._label
        lines = [Text(margin + numbers.ljust(self._bar_width) + head, "dim"), Text(margin + axis, "dim")]
        lines += [Text("Phases", "bold")] if self._timeline.phases else []
        lines += [self._row(row, self._phase(row), "cyan", self._columns[:1]) for row in self._timeline.phases]
        lines += [Text("Calls", "bold")] if self._timeline.calls else []
        for row in self._timeline.calls:
            style = STYLES.get(row.name.partition(" ")[0], "blue")
            lines.append(self._row(row, self._bars(row), style, self._columns))
        return [*lines, self._legend()]

    @property
    def _bar_width(self) -> int:
        return self._cells + len(self._edges) - 2

    def _wide(self, column: str) -> int:
        rows = (*self._timeline.phases, *self._timeline.calls)
        return 2 + max(len(column), *(len(COLUMNS[column](row)) for row in rows))

    def _room(self, width: int) -> int:
        return width - self._label - sum(map(self._wide, self._columns)) - len(self._timeline.gaps)

    def _row(self, row: TimelineRow, bar: str, style: str, columns: Sequence[str]) -> Text:
        line = Text(f"  {tamed(row.name)}".ljust(self._label))
        for failed, part in groupby(bar, lambda sign: sign == self._glyphs.failed):
            line.append("".join(part), "red" if failed else style)
        return line.append("".join(COLUMNS[column](row).rjust(self._wide(column)) for column in columns))

    def _phase(self, row: TimelineRow) -> str:
        return self._cut([self._glyphs.phase if level else " " for level in self._levels(row)])

    def _bars(self, row: TimelineRow) -> str:
        """Return how many were under way at once in each cell, and where one failed."""
        signs = self._glyphs.bars
        cells = [signs[min(level, len(signs)) - 1] if level else " " for level in self._levels(row)]
        for one in row.stretches:
            if one.failed:
                cells[self._cell(one.ended)] = self._glyphs.failed
        return self._cut(cells)

    def _levels(self, row: TimelineRow) -> list[int]:
        found = [0] * self._cells
        for began, ended, level in levels(row.stretches):
            for cell in range(self._cell(began), self._cell(ended, up=True)):
                found[cell] = max(found[cell], level)
        return found

    def _placed(self) -> list[int]:
        """Return the cells at which the sessions begin, and the end of the last one; each has one cell at least."""
        sessions, edges = self._timeline.sessions, [0]
        for number, session in enumerate(sessions[1:], 1):
            wanted = round(session.before / self._timeline.seconds * self._cells)
            edges.append(min(max(wanted, edges[-1] + 1), self._cells - len(sessions) + number))
        return [*edges, self._cells]

    def _cell(self, at: float, *, up: bool = False) -> int:
        """Return the cell of a time; `up`, that before which what ended then ends."""
        starts = [one.before for one in self._timeline.sessions]
        number = max(0, (bisect_left if up else bisect_right)(starts, at) - 1)
        first, last = self._edges[number : number + 2]
        seconds = self._timeline.sessions[number].seconds
        place = first + ((at - starts[number]) / seconds * (last - first) if seconds else 0)
        return min(math.ceil(place), last) if up else min(int(place), last - 1)

    def _cut(self, cells: list[str]) -> str:
        """Return the cells with a sign where the run was left alone."""
        for edge in reversed(self._edges[1:-1]):
            cells.insert(edge, self._glyphs.gap)
        return "".join(cells)

    def _axis(self) -> tuple[str, str]:
        """Return the figures and the line of the axis."""
        step = _nice(self._timeline.seconds * TICKS / self._cells)
        numbers, axis = [" "] * (self._bar_width + TICKS), [self._glyphs.axis] * self._cells
        for number in range(int(self._timeline.seconds / step) + 1):
            cell = self._cell(number * step)
            axis[cell] = self._glyphs.tick
            place = cell + sum(edge <= cell for edge in self._edges[1:-1])
            text = _tick(number * step)
            if place + len(text) <= self._bar_width:
                numbers[place : place + len(text)] = text
        return "".join(numbers).rstrip(), self._cut(axis)

    def _legend(self) -> Text:
        signs = self._glyphs
        said = f"  {signs.bars[:3]} one, two, three at once, {signs.bars[-1]} {len(signs.bars)} or more"
        said += f"; {signs.failed} one failed" if any(row.failed for row in self._timeline.calls) else ""
        said += f"; {signs.gap} left alone" if len(self._edges) > 2 else ""
        return Text(said, "dim")


def _waits(timeline: Timeline, width: int) -> list[Text]:
    """Return what the end waited for: how long for what in all, and the longest parts, in their order."""
    sums: dict[str, float] = {}
    for one in timeline.path:
        sums[one.name] = sums.get(one.name, 0.0) + one.seconds
    shares = {name: seconds / timeline.seconds for name, seconds in sums.items()}
    label = max(map(len, sums)) + 4
    told = [
        f"{f'  {tamed(name)}'.ljust(label)}{duration(sums[name]):>8}{share:>6.0%}"
        for name, share in sorted(shares.items(), key=lambda item: -item[1])
        if share >= LEAST_SHARE
    ]
    long = [one for one in timeline.path if one.seconds >= LEAST_SHARE * timeline.seconds]
    longest = sorted(sorted(long, key=lambda one: -one.seconds)[:LONGEST_WAITS], key=lambda one: one.began)
    heads = Text("What the end waited for", "bold"), Text("The longest of it", "bold")
    return [heads[0], *map(Text, told), heads[1], *(Text(_wait(one)[:width]) for one in longest)]


def _wait(one: Stretch) -> str:
    what = f"{one.name}{' in' if one.name == OWN and one.what else ''} {one.what}".rstrip()
    failed = " (failed)" if one.failed else ""
    return f"  from {duration(one.began):>7}  {duration(one.seconds):>7}  {tamed(what)}{failed}"


def _nice(seconds: float) -> float:
    """Return the next of 1, 2, 5 and 10 times a power of ten; from a minute on, of what divides minutes and hours."""
    for step in (60, 120, 300, 600, 1800, 3600):
        if 50 < seconds <= step:
            return step
    size = 10.0 ** math.floor(math.log10(seconds))
    return next(factor * size for factor in (1, 2, 5, 10) if factor * size >= seconds * (1 - 1e-9))


def _tick(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:g} s" if seconds else "0"
    return duration(seconds)
