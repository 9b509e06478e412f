"""One run as it is kept: what it asked, how it ended, what it came to."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, Self

from pydantic import BaseModel, Field

from ..kernel.errors import JournalError, UnknownRunError
from ..kernel.journal import FORMAT, Journal, Recorded, other_format
from ..kernel.journal.approval import approved

LONGEST_WHY: Final = 300  # characters of what is wrong with a journal
REPORT = "report"  # what a run makes whose journal says nothing else
RUNNING, INTERRUPTED, UNREADABLE = "running", "interrupted", "unreadable"
"""How a run stands that has not ended: a process is at it, none is, or its journal cannot be read."""

PLANNED: Final = "planned"  # the outcome of a run whose plan waits for the user
_UNFIT: Final = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What comes of values that are not those which they are taken for."""


@contextmanager
def understood(path: str | Path) -> Iterator[None]:
    """Raise JournalError where what a journal holds, which anybody may have written, is not what a run records."""
    try:
        yield
    except _UNFIT as error:
        what = " ".join(
            f"The journal holds what no run of this version records: {type(error).__name__}: {error}".split()
        )
        raise JournalError(what[:LONGEST_WHY], where=str(path)) from error


class Makes(BaseModel, extra="forbid", strict=True):
    """What comes of a run, and what that takes beside the question and the settings."""

    kind: Literal["report", "search", "research", "crawl"]
    depth: int = Field(default=1, ge=1, le=3)
    max_sources: int = Field(default=1, ge=1, le=10)


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run in a folder of its own, or exported to a file.

    Times are ISO in UTC, `cost` US dollars (None: unknown), `size` bytes; `settings` as `kept` made them, None where
    one cannot go on with the run; `makes` says what comes of it, `problem` why its journal cannot be read.
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
        """Return the run whose journal this is; one that cannot be read says why."""
        size = sum(map(_size, path.parent.glob(f"{path.name}*")))
        try:
            with Journal(path, readonly=True) as journal, understood(path):
                return cls.of(journal, path, size)
        except JournalError as error:
            return cls(path.parent.name, path, size=size, problem=str(error))

    @classmethod
    def of(cls, journal: Recorded, path: Path, size: int) -> Self:
        """Return the run of which this is recorded; `size` in bytes. Raises what comes of unfit values."""
        ended = journal.get("ended") or {}
        if ended.get("outcome") == PLANNED and approved(journal):
            ended = {}
        held = journal.holder() is not None
        calls, cost = _spent(ended, journal.get("spent") or {})
        settings, found = journal.get("settings"), journal.get("format")
        is_ours = found in (None, FORMAT)
        return cls(
            id=str(journal.get("id") or path.parent.name),
            path=path,
            question=str(journal.get("question") or ""),
            began=str(journal.get("began") or ""),
            outcome=RUNNING if held else str(ended.get("outcome", INTERRUPTED)) if is_ours else UNREADABLE,
            calls=int(calls),
            cost=None if cost is None else float(cost),
            size=size,
            settings=dict(settings) if is_ours and settings is not None else None,
            makes=Makes.model_validate(journal.get("makes") or {"kind": REPORT}).model_dump(exclude_unset=True),
            problem="" if is_ours else str(other_format(found, "")),
        )

    @property
    def kind(self) -> str:
        """What the run makes: a report, or what a tool answers."""
        return str(self.makes["kind"])

    def to_record(self) -> dict[str, Any]:
        """Return a JSON-able record."""
        shown = ("id", "began", "question", "outcome", "calls", "cost", "size", "problem", "kind")
        return {name: getattr(self, name) for name in shown} | {"resumable": self.settings is not None}

    def required_settings(self) -> dict[str, Any]:
        """Return the settings. Raises UnknownRunError where the journal has none, or cannot be read."""
        if self.problem:
            raise UnknownRunError(f"The run {self.id} cannot be read: {self.problem}", where=str(self.path))
        if self.settings is None:
            raise UnknownRunError(
                f"The run {self.id} was not kept to be gone on with, or an older version began it",
                where=str(self.path),
            )
        return self.settings


def _size(file: Path) -> int:
    """Return the bytes of a file; the log beside a journal may go with the process that ends."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _spent(ended: dict[str, Any], spent: dict[str, Any]) -> tuple[int, float | None]:
    """Return calls and cost: as the run told at its end, else as its budget has them so far."""
    if ended:
        return ended["calls"], ended["cost"]
    return sum(one["calls"] for one in spent.values()), sum(one["cost"] for one in spent.values())
