"""The events of a run in the background, in a file beside its journal that any process may follow."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from ..kernel.events import Event
from ..kernel.host import private_file

EVENTS: Final = "events.jsonl"
"""A line of JSON for each event: its name under `event`, and its fields. A line's end in bytes is the event's id."""

MOST_READ: Final = 4_000_000  # bytes that are read at once, and the longest line


class EventLog:
    """Takes the events of a run, one after another; only the process that has the journal's lease may."""

    def __init__(self, journal: Path) -> None:
        path = journal.with_name(EVENTS)
        private_file(path)
        self._file = path.open("ab", buffering=0)
        self._file.write(b"\n")  # what a process that was killed has half written is a line of its own

    def __call__(self, event: Event) -> None:
        """Append an event. Raises OSError when the disk takes none."""
        self._file.write(json.dumps(event.to_record(), default=str).encode() + b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """An event by its id, which grows from event to event, its name and its fields."""

    id: int
    name: str
    data: dict[str, Any]


def events_after(journal: Path, after: int) -> list[LoggedEvent]:
    """Return the events behind the one with this id, in order, some of them when they are many; 0 is before the first.

    Empty when there is none yet. It blocks. An `after` that is no event's id goes on with the next whole line.
    """
    path = journal.with_name(EVENTS)
    if not path.is_file():
        return []
    with path.open("rb") as file:
        at = max(0, min(after, os.fstat(file.fileno()).st_size) - 1)
        file.seek(at)
        text = file.read(MOST_READ)
    if after:
        skipped = text.find(b"\n") + 1  # just the end of the line, where `after` is an event's id
        at, text = (at + skipped, text[skipped:]) if skipped else (at, b"")
    found = []
    for line in text[: text.rfind(b"\n") + 1].splitlines(keepends=True):
        at += len(line)
        if (record := _record(line)) is not None:
            found.append(LoggedEvent(at, str(record.pop("event")), record))
    return found


def _record(line: bytes) -> dict[str, Any] | None:
    """Return the record of a line, None of one that a process did not finish."""
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) and "event" in record else None
