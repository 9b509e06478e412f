"""Draws a run's timeline in a terminal: a row for each phase and each kind of call, above one time axis."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from rich.text import Text

from ..kernel.one_line import sanitized
from ..runs.timeline import OWN, Stretch, Timeline, TimelineRow, levels

LEAST_BAR, TICKS = 20, 9
"""Characters: the width of the bars below which a column is dropped, and the least distance of two axis marks."""

LONGEST_WAITS: Final = 6  # stretches of the critical path that are shown
LEAST_SHARE: Final = 0.005  # least share of the whole time of a wait that is listed
STYLES: Final = {"model": "magenta", "embed": "magenta", "search": "yellow", "fetch": "green"}


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters of a drawing: `bars` for 1, 2, … concurrent calls, the last one also for more."""

    phase: str
    bars: str
    failed: str
    gap: str
    axis: str
    tick: str


BLOCKS: Final = Glyphs("━", "▂▃▄▅▆▇█", "×", "┊", "─", "┬")
LETTERS: Final = Glyphs("=", "123456789+", "x", ":", "-", "+")
"""For a terminal that has only ASCII: the number of concurrent calls as a digit."""


def glyphs_of(encoding: str) -> Glyphs:
    """Return the best glyphs that an encoding can show."""
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
"""The numeric columns after the bars, by name, the most important one first."""


def drawn(timeline: Timeline, width: int, glyphs: Glyphs) -> list[Text]:
    """Return the lines of the drawing, none longer than `width` characters unless the terminal is extremely narrow."""
    if not timeline.seconds:
        return [Text("Nothing has been recorded yet.")]
    return [*_Drawing(timeline, width, glyphs).lines(), Text(), *_waits(timeline, width)]


def sessions(timeline: Timeline) -> list[str]:
    """Return a line about the sessions of the run, if there were several or one was interrupted."""
    parts = []
    for number, session in enumerate(timeline.sessions, 1):
        gap = f"{duration(session.began - timeline.sessions[number - 2].ended)} later, " if number > 1 else ""
        parts.append(f"{gap}{duration(session.seconds)} ({session.how})")
    if len(parts) == 1 and timeline.sessions[0].how == "ended":
        return []
    broken = any(session.how == "broken off" for session in timeline.sessions)
    lost = "; calls in progress when it was broken off are not recorded" if broken else ""
    return [f"Sessions: {'; '.join(parts)}{lost}"] if parts else []


def duration(seconds: float) -> str:
    """Return seconds in readable form: `0.04 s`, `12.3 s`, `3m05s`, `1h02m`."""
    if seconds < 99.95:
        return f"{seconds:.2f} s" if 0.005 <= seconds < 1 else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02}m" if hours else f"{minutes}m{rest:02}s"


class _Drawing:
    """The rows of a timeline and their time axis."""

    def __init__(self, timeline: Timeline, width: int, glyphs: Glyphs) -> None:
        self._timeline = timeline
        self._glyphs = glyphs
        rows = timeline.calls
        self._label = max((len(row.name) for row in (*timeline.phases, *rows)), default=0) + 4
        self._columns = [name for name, figure in COLUMNS.items() if any(map(figure, rows))] if rows else ["time"]
        while len(self._columns) > 1 and self._room(width) < LEAST_BAR:
            self._columns.pop()
        self._cells = max(LEAST_BAR, self._room(width), len(timeline.sessions))
        self._edges = self._session_edges()

    def lines(self) -> list[Text]:
        """Return the lines of the drawing: axis, phases, calls and legend."""
        head = "".join(column.rjust(self._column_width(column)) for column in self._columns)
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

    def _column_width(self, column: str) -> int:
        rows = (*self._timeline.phases, *self._timeline.calls)
        return 2 + max(len(column), *(len(COLUMNS[column](row)) for row in rows))

    def _room(self, width: int) -> int:
        return width - self._label - sum(map(self._column_width, self._columns)) - len(self._timeline.gaps)

    def _row(self, row: TimelineRow, bar: str, style: str, columns: Sequence[str]) -> Text:
        line = Text(f"  {sanitized(row.name)}".ljust(self._label))
        for failed, part in groupby(bar, lambda sign: sign == self._glyphs.failed):
            line.append("".join(part), "red" if failed else style)
        return line.append("".join(COLUMNS[column](row).rjust(self._column_width(column)) for column in columns))

    def _phase(self, row: TimelineRow) -> str:
        return self._with_gaps([self._glyphs.phase if level else " " for level in self._levels(row)])

    def _bars(self, row: TimelineRow) -> str:
        """Return the number of concurrent calls in each cell as glyphs, with marks where a call failed."""
        glyphs = self._glyphs.bars
        cells = [glyphs[min(level, len(glyphs)) - 1] if level else " " for level in self._levels(row)]
        for stretch in row.stretches:
            if stretch.failed:
                cells[self._cell(stretch.ended)] = self._glyphs.failed
        return self._with_gaps(cells)

    def _levels(self, row: TimelineRow) -> list[int]:
        cells = [0] * self._cells
        for began, ended, level in levels(row.stretches):
            for cell in range(self._cell(began), self._cell(ended, up=True)):
                cells[cell] = max(cells[cell], level)
        return cells

    def _session_edges(self) -> list[int]:
        """Return the first cell of each session and the end of the last one; a session has at least one cell."""
        sessions, edges = self._timeline.sessions, [0]
        for number, session in enumerate(sessions[1:], 1):
            cell = round(session.before / self._timeline.seconds * self._cells)
            edges.append(min(max(cell, edges[-1] + 1), self._cells - len(sessions) + number))
        return [*edges, self._cells]

    def _cell(self, at: float, *, up: bool = False) -> int:
        """Return the cell of a time; with `up`, the exclusive end cell of a stretch that ended then."""
        starts = [session.before for session in self._timeline.sessions]
        number = max(0, (bisect_left if up else bisect_right)(starts, at) - 1)
        first, last = self._edges[number : number + 2]
        seconds = self._timeline.sessions[number].seconds
        position = first + ((at - starts[number]) / seconds * (last - first) if seconds else 0)
        return min(math.ceil(position), last) if up else min(int(position), last - 1)

    def _with_gaps(self, cells: list[str]) -> str:
        """Return the cells as text, with a mark at each gap between sessions."""
        for edge in reversed(self._edges[1:-1]):
            cells.insert(edge, self._glyphs.gap)
        return "".join(cells)

    def _axis(self) -> tuple[str, str]:
        """Return the numbers and the line of the axis."""
        step = _nice(self._timeline.seconds * TICKS / self._cells)
        numbers, axis = [" "] * (self._bar_width + TICKS), [self._glyphs.axis] * self._cells
        for number in range(int(self._timeline.seconds / step) + 1):
            cell = self._cell(number * step)
            axis[cell] = self._glyphs.tick
            position = cell + sum(edge <= cell for edge in self._edges[1:-1])
            text = _tick(number * step)
            if position + len(text) <= self._bar_width:
                numbers[position : position + len(text)] = text
        return "".join(numbers).rstrip(), self._with_gaps(axis)

    def _legend(self) -> Text:
        glyphs = self._glyphs
        legend = f"  {glyphs.bars[:3]} one, two, three at once, {glyphs.bars[-1]} {len(glyphs.bars)} or more"
        legend += f"; {glyphs.failed} one failed" if any(row.failed for row in self._timeline.calls) else ""
        legend += f"; {glyphs.gap} not running" if len(self._edges) > 2 else ""
        return Text(legend, "dim")


def _waits(timeline: Timeline, width: int) -> list[Text]:
    """Return the critical path: total seconds by name, then its longest stretches in order of time."""
    sums: dict[str, float] = {}
    for stretch in timeline.path:
        sums[stretch.name] = sums.get(stretch.name, 0.0) + stretch.seconds
    shares = {name: seconds / timeline.seconds for name, seconds in sums.items()}
    label = max(map(len, sums)) + 4
    totals = [
        f"{f'  {sanitized(name)}'.ljust(label)}{duration(sums[name]):>8}{share:>6.0%}"
        for name, share in sorted(shares.items(), key=lambda item: -item[1])
        if share >= LEAST_SHARE
    ]
    long = [stretch for stretch in timeline.path if stretch.seconds >= LEAST_SHARE * timeline.seconds]
    longest = sorted(
        sorted(long, key=lambda stretch: -stretch.seconds)[:LONGEST_WAITS], key=lambda stretch: stretch.began
    )
    heads = Text("Critical path", "bold"), Text("Its longest parts", "bold")
    return [heads[0], *map(Text, totals), heads[1], *(Text(_wait(stretch)[:width]) for stretch in longest)]


def _wait(stretch: Stretch) -> str:
    label = f"{stretch.name}{' in' if stretch.name == OWN and stretch.what else ''} {stretch.what}".rstrip()
    failed = " (failed)" if stretch.failed else ""
    return f"  from {duration(stretch.began):>7}  {duration(stretch.seconds):>7}  {sanitized(label)}{failed}"


def _nice(seconds: float) -> float:
    """Return the next of 1, 2, 5 and 10 times a power of ten; from a minute on, a divisor of minutes or hours."""
    for step in (60, 120, 300, 600, 1800, 3600):
        if 50 < seconds <= step:
            return step
    size = 10.0 ** math.floor(math.log10(seconds))
    return next(factor * size for factor in (1, 2, 5, 10) if factor * size >= seconds * (1 - 1e-9))


def _tick(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:g} s" if seconds else "0"
    return duration(seconds)
