"""What a journal tells of its run: the plan, the tasks, the calls by kind, what failed, and the report it came to."""

from dataclasses import dataclass, field
from typing import Any, Self

from ..kernel.errors import JournalError
from ..kernel.journal import Journal
from ..report import Report
from .stored import RUNNING, StoredRun, understood
from .timeline import Timeline


@dataclass(frozen=True, slots=True)
class Calls:
    """The effects of one kind: how many, how many of them failed, and how many seconds they took, one after another."""

    kind: str
    count: int
    failed: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Account:
    """A run as one reads about it: `tasks` as (agent, task, how many records it added).

    It has a `report` or an `answer` once there is one; `origin` is the `run` that it was made from, from a `step` on.
    `ledger` has the sources that its tools met, as records, once it has ended.
    """

    run: StoredRun
    ended: dict[str, Any]
    tasks: list[tuple[str, str, int]]
    calls: list[Calls]
    failures: list[tuple[str, str]]
    timeline: Timeline = field(repr=False)
    report: Report | None = field(repr=False)
    answer: dict[str, Any] | None = field(repr=False)
    origin: dict[str, str] | None = None
    ledger: list[dict[str, Any]] = field(default_factory=list, repr=False)

    @classmethod
    def of(cls, run: StoredRun) -> Self:
        """Read the account of a run from a copy of its journal. Raises JournalError."""
        if run.problem:
            raise JournalError(f"The run {run.id} cannot be read: {run.problem}", where=str(run.path))
        with Journal.copy_of(run.path) as journal, understood(run.path):
            kept = journal.get("report")
            return cls(
                run=run,
                ended=journal.get("ended") or {},
                tasks=_tasks(journal),
                calls=_calls(journal),
                failures=[(kind, error["what"]) for _, kind, _, error in journal.requests() if error],
                timeline=Timeline.of(journal, running=run.outcome == RUNNING),
                report=None if kept is None else _report(kept, journal),
                answer=journal.get("answer"),
                origin=journal.get("from"),
                ledger=journal.get("ledger") or [],
            )

    def to_record(self) -> dict[str, Any]:
        """Return a JSON-able record, without the report's text."""
        return {
            **self.run.to_record(),
            "ended": self.ended,
            "tasks": [{"agent": agent, "task": task, "added": added} for agent, task, added in self.tasks],
            "calls_by_kind": {
                one.kind: {"count": one.count, "failed": one.failed, "seconds": round(one.seconds, 3)}
                for one in self.calls
            },
            "failures": [{"kind": kind, "what": what} for kind, what in self.failures],
            "answer": self.answer,
            "origin": self.origin,
            "sections": [section.title for section in self.report.sections] if self.report else [],
        }


def _tasks(journal: Journal) -> list[tuple[str, str, int]]:
    """Return the tasks that agents answered with records: neither planner nor reporter adds any."""
    told = ((sender, body["task"], body["added"]) for sender, body in journal.messages())
    return list(
        dict.fromkeys((who, task, len(added)) for who, task, added in told if isinstance(added, list) and added)
    )


def _calls(journal: Journal) -> list[Calls]:
    kinds: dict[str, list[tuple[bool, float]]] = {}
    for one in journal.timed():
        kinds.setdefault(one.kind, []).append((bool(one.error), one.ended - one.began))
    return [
        Calls(kind, len(ends), sum(failed for failed, _ in ends), sum(seconds for _, seconds in ends))
        for kind, ends in kinds.items()
    ]


def _report(kept: dict[str, Any], journal: Journal) -> Report:
    snapshots = [{**one, "text": journal.snapshot(one["hash"]) or ""} for one in kept["snapshots"]]
    return Report.model_validate({**kept, "snapshots": snapshots})
