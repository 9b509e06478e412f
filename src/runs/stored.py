"""A stored run: its question, outcome, and cost."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, Self

from pydantic import BaseModel, Field

from ..kernel.errors import JournalError, UnknownRunError
from ..kernel.journal import FORMAT, Journal, Recorded, other_format
from ..kernel.journal.approval import approved

LONGEST_WHY: Final = 300  # characters of the description of a journal's problem
REPORT = "report"  # the default kind of a run's result
RUNNING, INTERRUPTED, UNREADABLE = "running", "interrupted", "unreadable"
"""Outcomes of a run that has not ended: a process is making it, none is, or its journal cannot be read."""

PLANNED: Final = "planned"  # the outcome of a run whose plan waits for the user
_UNFIT: Final = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""The exceptions that values of an unexpected shape or type cause."""


@contextmanager
def rejecting_unfit_values(path: str | Path) -> Iterator[None]:
    """Raise JournalError if a journal, which may be untrusted, contains values that no run records."""
    try:
        yield
    except _UNFIT as error:
        what = " ".join(
            f"The journal contains data that this version does not record: {type(error).__name__}: {error}".split()
        )
        raise JournalError(what[:LONGEST_WHY], where=str(path)) from error


class Makes(BaseModel, extra="forbid", strict=True):
    """The result of a run: its kind, and its arguments besides the question and the settings."""

    kind: Literal["report", "search", "research", "crawl"]
    depth: int = Field(default=1, ge=1, le=3)
    max_sources: int = Field(default=1, ge=1, le=10)


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run in its folder, or exported to a file.

    Times are ISO in UTC, `cost` is in US dollars (None: unknown), `size` in bytes; `settings` is a `settings_record`,
    None if the run cannot be resumed; `makes` describes the result, `problem` why the journal cannot be read.
    """

    id: str
    path: Path
    question: str = ""
    began: str = ""
    outcome: str = UNREADABLE
    calls: int = 0
    cost: float | None = 0.0
    size: int = 0
    settings: dict[str, Any] | None = field(default=None, repr=False)
    makes: dict[str, Any] = field(default_factory=lambda: {"kind": REPORT}, repr=False)
    problem: str = ""

    @classmethod
    def at(cls, path: Path) -> Self:
        """Return the run of a journal; for an unreadable journal, a run with a `problem`."""
        size = sum(map(_size, path.parent.glob(f"{path.name}*")))
        try:
            with Journal(path, readonly=True) as journal, rejecting_unfit_values(path):
                return cls.of(journal, path, size)
        except JournalError as error:
            return cls(path.parent.name, path, size=size, problem=str(error))

    @classmethod
    def of(cls, journal: Recorded, path: Path, size: int) -> Self:
        """Return the run that a journal records; `size` in bytes. Raises the exceptions of _UNFIT for unfit values."""
        ended = journal.get("ended") or {}
        if ended.get("outcome") == PLANNED and approved(journal):
            ended = {}
        held = journal.holder() is not None
        calls, cost = _spent(ended, journal.get("spent") or {})
        settings, format_ = journal.get("settings"), journal.get("format")
        is_readable = format_ in (None, FORMAT)
        return cls(
            id=str(journal.get("id") or path.parent.name),
            path=path,
            question=str(journal.get("question") or ""),
            began=str(journal.get("began") or ""),
            outcome=RUNNING if held else str(ended.get("outcome", INTERRUPTED)) if is_readable else UNREADABLE,
            calls=int(calls),
            cost=None if cost is None else float(cost),
            size=size,
            settings=dict(settings) if is_readable and settings is not None else None,
            makes=Makes.model_validate(journal.get("makes") or {"kind": REPORT}).model_dump(exclude_unset=True),
            problem="" if is_readable else str(other_format(format_, "")),
        )

    @property
    def kind(self) -> str:
        """The kind of the result: a report, or the answer of a tool."""
        return str(self.makes["kind"])

    def to_record(self) -> dict[str, Any]:
        """Return a JSON-able record."""
        shown = ("id", "began", "question", "outcome", "calls", "cost", "size", "problem", "kind")
        return {name: getattr(self, name) for name in shown} | {"resumable": self.settings is not None}

    def required_settings(self) -> dict[str, Any]:
        """Return the settings. Raises UnknownRunError if the journal has none or cannot be read."""
        if self.problem:
            raise UnknownRunError(f"The run {self.id} cannot be read: {self.problem}", where=str(self.path))
        if self.settings is None:
            raise UnknownRunError(
                f"The run {self.id} cannot be resumed: it was not stored for that, or an older version began it",
                where=str(self.path),
            )
        return self.settings


def _size(file: Path) -> int:
    """Return the size of a file in bytes; the log beside a journal may vanish when its process ends."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _spent(ended: dict[str, Any], spent: dict[str, Any]) -> tuple[int, float | None]:
    """Return the number of calls and the cost: as recorded at the run's end, else as counted so far by its budget."""
    if ended:
        return ended["calls"], ended["cost"]
    return sum(amount["calls"] for amount in spent.values()), sum(amount["cost"] for amount in spent.values())
