"""Where the time and the money of a run went, as its journal has it."""

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
"""Kinds of effects that are no call to anybody: what others lie within, and what is known by other means."""

OWN: Final = "own work"  # what a run does while no call is under way
INSTANT: Final = 1e-6  # seconds that what took none is given, so that it can be seen


@dataclass(frozen=True, slots=True)
class Stretch:
    """Something that lasted, in seconds of work from the beginning of the run: what the run was left alone counts not.

    `what` says which it was: an address, a query, a model.
    """

    name: str
    began: float
    ended: float
    what: str = ""
    failed: bool = False

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.ended - self.began


@dataclass(slots=True)
class TimelineRow:
    """A phase, or the calls of one kind (of a model: for one role).

    `again` counts attempts after the first ones; `cost` is in US dollars, None when that of any call is unknown.
    """

    name: str
    stretches: list[Stretch] = field(default_factory=list)
    again: int = 0
    tokens: int = 0
    cost: float | None = 0.0

    @property
    def failed(self) -> int:
        """How many failed."""
        return sum(one.failed for one in self.stretches)

    @property
    def seconds(self) -> float:
        """For how long at least one was under way."""
        return math.fsum(ended - began for began, ended, level in levels(self.stretches) if level)

    @property
    def at_once(self) -> int:
        """How many were under way at once, at most."""
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
            "spans": [[round(one.began, 3), round(one.ended, 3)] for one in self.stretches],
        }


@dataclass(frozen=True, slots=True)
class WorkSession:
    """A time in which a process was at the run, in seconds since 1970; `before` is the work of those before it.

    One that was broken off lasted until the last that is on record; one that was `taken over` is of the run from
    which this one branched off.
    """

    began: float
    ended: float
    how: How
    before: float

    @property
    def seconds(self) -> float:
        """How long it lasted."""
        return self.ended - self.began

    def to_record(self) -> dict[str, Any]:
        """Return a JSON-able record."""
        at = datetime.fromtimestamp(self.began, UTC).isoformat(timespec="milliseconds")
        return {"began": at, "seconds": round(self.seconds, 3), "how": self.how}


@dataclass(frozen=True, slots=True)
class Timeline:
    """The sessions of a run, its phases, its calls, and the path: what the end waited for, from first to last.

    The path is found from the end: before it stands the call that had ended last, before that the one that had ended
    last when it began, and so on; between them the run did work of its own. Its parts add up to the whole.
    """

    sessions: list[WorkSession]
    phases: list[TimelineRow]
    calls: list[TimelineRow]
    path: list[Stretch]

    @classmethod
    def of(cls, journal: Journal, *, running: bool) -> Self:
        """Read it from a journal; `running` says that a process is at it."""
        marks = [mark for mark in journal.marks() if mark[:2] != AWAITED]
        calls = [one for one in journal.timed() if one.kind not in ENVELOPES and one.began]
        sessions = _sessions(marks, calls, running=running)
        if not sessions:
            return cls([], [], [], [])
        clock = _Clock(sessions)
        phases = _phases(marks, clock)
        rows = _rows(calls, clock)
        for name, status, _, at in marks:
            if status == "tried again":
                _count_again(rows, name, clock(at))
        return cls(sessions, phases, list(rows.values()), _path(sessions, rows.values(), phases))

    @property
    def seconds(self) -> float:
        """How long all sessions took."""
        return math.fsum(one.seconds for one in self.sessions)

    @property
    def gaps(self) -> list[tuple[float, float]]:
        """Where the run was left alone, in seconds of work, and for how long."""
        return [(later.before, later.began - earlier.ended) for earlier, later in pairwise(self.sessions)]

    def to_record(self) -> dict[str, Any]:
        """Return a JSON-able record."""
        return {
            "seconds": round(self.seconds, 3),
            "sessions": [one.to_record() for one in self.sessions],
            "phases": [one.to_record() for one in self.phases],
            "calls": [one.to_record() for one in self.calls],
            "path": [
                {"name": one.name, "what": one.what, "began": round(one.began, 3), "seconds": round(one.seconds, 3)}
                for one in self.path
            ],
        }


def levels(stretches: Iterable[Stretch]) -> Iterator[tuple[float, float, int]]:
    """Yield from when to when how many were under way at once."""
    ends = [(max(one.ended, one.began + INSTANT), -1) for one in stretches]
    turns = sorted([*((one.began, 1) for one in stretches), *ends])
    level = 0
    for (at, change), (following, _) in pairwise(turns):
        level += change
        if following > at:
            yield at, following, level


class _Clock:
    """Turns a time since 1970 into seconds of work."""

    def __init__(self, sessions: Sequence[WorkSession]) -> None:
        self._sessions = sessions

    def session(self, at: float) -> WorkSession:
        """Return the session in which that was."""
        return next((one for one in reversed(self._sessions) if one.began <= at), self._sessions[0])

    def __call__(self, at: float, session: WorkSession | None = None) -> float:
        there = session or self.session(at)
        return there.before + min(max(at - there.began, 0.0), there.seconds)


def _sessions(marks: Sequence[Mark], calls: Sequence[Timed], *, running: bool) -> list[WorkSession]:
    signs = sorted([*(at for *_, at in marks), *(one.began for one in calls), *(one.ended for one in calls)])
    if not signs:
        return []
    begun = sorted({at for name, status, _, at in marks if (name, status) == TAKEN_UP}) or signs[:1]
    sessions: list[WorkSession] = []
    before = 0.0
    for began, following in pairwise([*begun, math.inf]):
        told = {(name, status): at for name, status, _, at in marks if began <= at < following}
        within = (at for at in signs if began <= at < following and at != told.get(TAKEN_OVER))
        last = max(within, default=began)
        how: How = "taken over" if TAKEN_OVER in told else "ended" if LEFT in told else "broken off"
        if running and following == math.inf:
            how = "going on"
        sessions.append(WorkSession(began, told.get(LEFT, last), how, before))
        before += sessions[-1].seconds
    return sessions


def _phases(marks: Sequence[Mark], clock: _Clock) -> list[TimelineRow]:
    """Return the phases; one that the run did not come to the end of lasts as long as its session."""
    rows: dict[str, TimelineRow] = {}
    begun: dict[str, list[float]] = {}
    for name, status, _, at in marks:
        if (name, status) == TAKEN_UP:
            _break_off(rows, begun, clock)
        elif status == "started":
            rows.setdefault(name, TimelineRow(name.lower().replace("_", " ")))
            begun.setdefault(name, []).append(at)
        elif status == "completed" and begun.get(name):
            start = begun[name].pop(0)
            rows[name].stretches.append(Stretch(rows[name].name, clock(start), clock(at, clock.session(start))))
    _break_off(rows, begun, clock)
    return list(rows.values())


def _break_off(rows: dict[str, TimelineRow], begun: dict[str, list[float]], clock: _Clock) -> None:
    for name, starts in begun.items():
        for start in starts:
            end = clock(math.inf, clock.session(start))
            rows[name].stretches.append(Stretch(rows[name].name, clock(start), end))
        starts.clear()


def _rows(calls: Sequence[Timed], clock: _Clock) -> dict[tuple[str, str], TimelineRow]:
    rows: dict[tuple[str, str], TimelineRow] = {}
    for one in sorted(calls, key=lambda call: call.began):
        role = str(one.request["role"]) if one.kind == "model" else ""
        row = rows.setdefault((one.kind, role), TimelineRow(f"{one.kind} {role}".rstrip()))
        session = clock.session(one.began)
        began, ended = clock(one.began, session), clock(max(one.began, one.ended), session)
        row.stretches.append(Stretch(row.name, began, ended, _what(one), bool(one.error)))
        if one.charge is not None:
            prompt, completion, cost = one.charge
            row.tokens += prompt + completion
            row.cost = None if cost is None or row.cost is None else row.cost + cost
    return rows


def _count_again(rows: dict[tuple[str, str], TimelineRow], kind: str, at: float) -> None:
    """Count another attempt where a call of that kind was under way."""
    of_kind = [row for (own, _), row in rows.items() if own == kind]
    under_way = [row for row in of_kind if any(one.began <= at <= one.ended for one in row.stretches)]
    for row in [*under_way, *of_kind][:1]:
        row.again += 1


def _path(sessions: Sequence[WorkSession], rows: Iterable[TimelineRow], phases: Sequence[TimelineRow]) -> list[Stretch]:
    calls = sorted((one for row in rows for one in row.stretches), key=lambda one: (one.ended, -one.began))
    path: list[Stretch] = []
    for session in reversed(sessions):
        at = session.before + session.seconds
        while calls and calls[-1].began >= session.before:
            last = calls.pop()
            if last.ended <= at and last.began < at:
                path += [_own(last.ended, at, phases), last]
                at = last.began
        path.append(_own(session.before, at, phases))
    return [one for one in reversed(path) if one.seconds > 0]


def _own(began: float, ended: float, phases: Sequence[TimelineRow]) -> Stretch:
    """Return work of the run's own, and in which phase it was done."""
    middle = (began + ended) / 2
    inside = [row.name for row in phases if any(one.began <= middle <= one.ended for one in row.stretches)]
    return Stretch(OWN, began, ended, ", ".join(inside))


def _what(call: Timed) -> str:
    asked = call.request if isinstance(call.request, dict) else {}
    return masked(str(next((asked[name] for name in ("model", "query", "url", "folder", "path") if name in asked), "")))
