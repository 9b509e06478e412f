"""The timeline of a run: phases, calls, their cost and the critical path, computed from its journal."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, Final, Literal, Self

from ..kernel.events import AWAITED, LEFT, TAKEN_OVER, TAKEN_UP
from ..kernel.journal import Journal, Mark, Timed
from ..kernel.url import masked

How = Literal["ended", "broken off", "taken over", "going on"]

ENVELOPES: Final = frozenset({"clock", "late", "gather", "read"})
"""Kinds of effects that are not external calls: they enclose other effects, or are measured otherwise."""

OWN: Final = "own work"  # the name of stretches without a call in progress
INSTANT: Final = 1e-6  # seconds assigned to a stretch of length zero, so that it is visible


@dataclass(frozen=True, slots=True)
class Stretch:
    """A call or phase, with begin and end in seconds of work since the run began, without pauses between sessions.

    `what` identifies it: an address, a query, a model.
    """

    name: str
    began: float
    ended: float
    what: str = ""
    failed: bool = False

    @property
    def seconds(self) -> float:
        """Its duration."""
        return self.ended - self.began


@dataclass(slots=True)
class TimelineRow:
    """A phase, or the calls of one kind (model calls: of one role).

    `again` counts retries; `cost` is in US dollars, None if the price of any call is unknown.
    """

    name: str
    stretches: list[Stretch] = field(default_factory=list)
    again: int = 0
    tokens: int = 0
    cost: float | None = 0.0

    @property
    def failed(self) -> int:
        """The number of failed stretches."""
        return sum(stretch.failed for stretch in self.stretches)

    @property
    def seconds(self) -> float:
        """The time during which at least one stretch was in progress."""
        return math.fsum(ended - began for began, ended, level in levels(self.stretches) if level)

    @property
    def at_once(self) -> int:
        """The highest number of stretches in progress at once."""
        return max((level for _, _, level in levels(self.stretches)), default=0)

    def to_record(self) -> dict[str, Any]:
        """Return a JSON-able record."""
        return {
            "name": self.name,
            "count": len(self.stretches),
            "failed": self.failed,
            "tried_again": self.again,
            "at_once": self.at_once,
            "seconds": round(self.seconds, 3),
            "tokens": self.tokens,
            "cost": self.cost,
            "spans": [[round(stretch.began, 3), round(stretch.ended, 3)] for stretch in self.stretches],
        }


@dataclass(frozen=True, slots=True)
class WorkSession:
    """A period in which one process worked on the run, in seconds since 1970; `before` is the work of earlier sessions.

    A session that was broken off ends at its last record; one that was `taken over` belongs to the run from which this
    one was branched.
    """

    began: float
    ended: float
    how: How
    before: float

    @property
    def seconds(self) -> float:
        """Its duration."""
        return self.ended - self.began

    def to_record(self) -> dict[str, Any]:
        """Return a JSON-able record."""
        at = datetime.fromtimestamp(self.began, UTC).isoformat(timespec="milliseconds")
        return {"began": at, "seconds": round(self.seconds, 3), "how": self.how}


@dataclass(frozen=True, slots=True)
class Timeline:
    """The sessions of a run, its phases, its calls, and its critical path in order of time.

    The path is built backwards: the call that ended last, then the call that had ended last when that one began, and so
    on; the gaps are the run's own work. The parts of the path add up to the whole duration.
    """

    sessions: list[WorkSession]
    phases: list[TimelineRow]
    calls: list[TimelineRow]
    path: list[Stretch]

    @classmethod
    def of(cls, journal: Journal, *, running: bool) -> Self:
        """Compute the timeline from a journal; `running` means that a process is working on the run."""
        marks = [mark for mark in journal.marks() if mark[:2] != AWAITED]
        calls = [call for call in journal.timed() if call.kind not in ENVELOPES and call.began]
        sessions = _sessions(marks, calls, running=running)
        if not sessions:
            return cls([], [], [], [])
        clock = _Clock(sessions)
        phases = _phases(marks, clock)
        rows = _rows(calls, clock)
        for name, status, _, at in marks:
            if status == "tried again":
                _count_retry(rows, name, clock(at))
        return cls(sessions, phases, list(rows.values()), _path(sessions, rows.values(), phases))

    @property
    def seconds(self) -> float:
        """The duration of all sessions together."""
        return math.fsum(session.seconds for session in self.sessions)

    @property
    def gaps(self) -> list[tuple[float, float]]:
        """The pauses between sessions as (time in seconds of work, length in seconds)."""
        return [(later.before, later.began - earlier.ended) for earlier, later in pairwise(self.sessions)]

    def to_record(self) -> dict[str, Any]:
        """Return a JSON-able record."""
        return {
            "seconds": round(self.seconds, 3),
            "sessions": [session.to_record() for session in self.sessions],
            "phases": [row.to_record() for row in self.phases],
            "calls": [row.to_record() for row in self.calls],
            "path": [
                {"name": part.name, "what": part.what, "began": round(part.began, 3), "seconds": round(part.seconds, 3)}
                for part in self.path
            ],
        }


def levels(stretches: Iterable[Stretch]) -> Iterator[tuple[float, float, int]]:
    """Yield each interval as (begin, end, number of stretches in progress)."""
    ends = [(max(stretch.ended, stretch.began + INSTANT), -1) for stretch in stretches]
    changes = sorted([*((stretch.began, 1) for stretch in stretches), *ends])
    level = 0
    for (at, change), (following, _) in pairwise(changes):
        level += change
        if following > at:
            yield at, following, level


class _Clock:
    """Converts seconds since 1970 into seconds of work."""

    def __init__(self, sessions: Sequence[WorkSession]) -> None:
        self._sessions = sessions

    def session(self, at: float) -> WorkSession:
        """Return the session that contains this time."""
        return next((session for session in reversed(self._sessions) if session.began <= at), self._sessions[0])

    def __call__(self, at: float, session: WorkSession | None = None) -> float:
        session = session or self.session(at)
        return session.before + min(max(at - session.began, 0.0), session.seconds)


def _sessions(marks: Sequence[Mark], calls: Sequence[Timed], *, running: bool) -> list[WorkSession]:
    times = sorted([*(at for *_, at in marks), *(call.began for call in calls), *(call.ended for call in calls)])
    if not times:
        return []
    begins = sorted({at for name, status, _, at in marks if (name, status) == TAKEN_UP}) or times[:1]
    sessions: list[WorkSession] = []
    before = 0.0
    for began, following in pairwise([*begins, math.inf]):
        mark_times = {(name, status): at for name, status, _, at in marks if began <= at < following}
        within = (at for at in times if began <= at < following and at != mark_times.get(TAKEN_OVER))
        last = max(within, default=began)
        how: How = "taken over" if TAKEN_OVER in mark_times else "ended" if LEFT in mark_times else "broken off"
        if running and following == math.inf:
            how = "going on"
        sessions.append(WorkSession(began, mark_times.get(LEFT, last), how, before))
        before += sessions[-1].seconds
    return sessions


def _phases(marks: Sequence[Mark], clock: _Clock) -> list[TimelineRow]:
    """Return the phases; an unfinished phase lasts until the end of its session."""
    rows: dict[str, TimelineRow] = {}
    open_starts: dict[str, list[float]] = {}
    for name, status, _, at in marks:
        if (name, status) == TAKEN_UP:
            _end_open_phases(rows, open_starts, clock)
        elif status == "started":
            rows.setdefault(name, TimelineRow(name.lower().replace("_", " ")))
            open_starts.setdefault(name, []).append(at)
        elif status == "completed" and open_starts.get(name):
            start = open_starts[name].pop(0)
            rows[name].stretches.append(Stretch(rows[name].name, clock(start), clock(at, clock.session(start))))
    _end_open_phases(rows, open_starts, clock)
    return list(rows.values())


def _end_open_phases(rows: dict[str, TimelineRow], open_starts: dict[str, list[float]], clock: _Clock) -> None:
    for name, starts in open_starts.items():
        for start in starts:
            end = clock(math.inf, clock.session(start))
            rows[name].stretches.append(Stretch(rows[name].name, clock(start), end))
        starts.clear()


def _rows(calls: Sequence[Timed], clock: _Clock) -> dict[tuple[str, str], TimelineRow]:
    rows: dict[tuple[str, str], TimelineRow] = {}
    for call in sorted(calls, key=lambda timed: timed.began):
        role = str(call.request["role"]) if call.kind == "model" else ""
        row = rows.setdefault((call.kind, role), TimelineRow(f"{call.kind} {role}".rstrip()))
        session = clock.session(call.began)
        began, ended = clock(call.began, session), clock(max(call.began, call.ended), session)
        row.stretches.append(Stretch(row.name, began, ended, _subject(call), bool(call.error)))
        if call.charge is not None:
            prompt, completion, cost = call.charge
            row.tokens += prompt + completion
            row.cost = None if cost is None or row.cost is None else row.cost + cost
    return rows


def _count_retry(rows: dict[tuple[str, str], TimelineRow], kind: str, at: float) -> None:
    """Count a retry in the row of this kind that had a call in progress, else in the first row of the kind."""
    of_kind = [row for (row_kind, _), row in rows.items() if row_kind == kind]
    active = [row for row in of_kind if any(call.began <= at <= call.ended for call in row.stretches)]
    for row in [*active, *of_kind][:1]:
        row.again += 1


def _path(sessions: Sequence[WorkSession], rows: Iterable[TimelineRow], phases: Sequence[TimelineRow]) -> list[Stretch]:
    calls = sorted((call for row in rows for call in row.stretches), key=lambda call: (call.ended, -call.began))
    path: list[Stretch] = []
    for session in reversed(sessions):
        at = session.before + session.seconds
        while calls and calls[-1].began >= session.before:
            last = calls.pop()
            if last.ended <= at and last.began < at:
                path += [_own_work(last.ended, at, phases), last]
                at = last.began
        path.append(_own_work(session.before, at, phases))
    return [part for part in reversed(path) if part.seconds > 0]


def _own_work(began: float, ended: float, phases: Sequence[TimelineRow]) -> Stretch:
    """Return a stretch of the run's own work, labelled with the phases in progress at its middle."""
    middle = (began + ended) / 2
    inside = [row.name for row in phases if any(phase.began <= middle <= phase.ended for phase in row.stretches)]
    return Stretch(OWN, began, ended, ", ".join(inside))


def _subject(call: Timed) -> str:
    request = call.request if isinstance(call.request, dict) else {}
    names = ("model", "query", "url", "folder", "path")
    return masked(str(next((request[name] for name in names if name in request), "")))
