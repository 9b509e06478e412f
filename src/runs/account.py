"""A summary of what a run did, read from its journal: tasks, calls by kind, failures, and the report."""

from dataclasses import dataclass, field
from typing import Any, Self

from ..kernel.errors import JournalError
from ..kernel.journal import Journal
from ..report import Report
from .stored import RUNNING, StoredRun, rejecting_unfit_values
from .timeline import Timeline


@dataclass(frozen=True, slots=True)
class Calls:
    """The effects (recorded calls) of one kind: how many, how many failed, and their seconds in total."""

    kind: str
    count: int
    failed: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Account:
    """The account of a run: `tasks` as (agent, task, number of records added).

    `report` or `answer` is set once there is one; `origin` names the `run` that it was branched from, and the `step`.
    `ledger` contains the sources that its tools found, as records, once the run has ended.
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
        with Journal.copy_of(run.path) as journal, rejecting_unfit_values(run.path):
            record = journal.get("report")
            return cls(
                run=run,
                ended=journal.get("ended") or {},
                tasks=_tasks(journal),
                calls=_calls(journal),
                failures=[(kind, error["what"]) for _, kind, _, error in journal.requests() if error],
                timeline=Timeline.of(journal, running=run.outcome == RUNNING),
                report=None if record is None else _report(record, journal),
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
                calls.kind: {"count": calls.count, "failed": calls.failed, "seconds": round(calls.seconds, 3)}
                for calls in self.calls
            },
            "failures": [{"kind": kind, "what": what} for kind, what in self.failures],
            "answer": self.answer,
            "origin": self.origin,
            "sections": [section.title for section in self.report.sections] if self.report else [],
        }


def _tasks(journal: Journal) -> list[tuple[str, str, int]]:
    """Return the tasks that agents answered with records, thus not those of planner and reporter."""
    messages = ((sender, body["task"], body["added"]) for sender, body in journal.messages())
    return list(
        dict.fromkeys((who, task, len(added)) for who, task, added in messages if isinstance(added, list) and added)
    )


def _calls(journal: Journal) -> list[Calls]:
    kinds: dict[str, list[tuple[bool, float]]] = {}
    for call in journal.timed():
        kinds.setdefault(call.kind, []).append((bool(call.error), call.ended - call.began))
    return [
        Calls(kind, len(ends), sum(failed for failed, _ in ends), sum(seconds for _, seconds in ends))
        for kind, ends in kinds.items()
    ]


def _report(report: dict[str, Any], journal: Journal) -> Report:
    snapshots = [{**snapshot, "text": journal.snapshot(snapshot["hash"]) or ""} for snapshot in report["snapshots"]]
    return Report.model_validate({**report, "snapshots": snapshots})
