"""The log of a background run's events: a file beside its journal that any process can follow."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from ..kernel.events import Event
from ..kernel.host import private_file

EVENTS: Final = "events.jsonl"
"""Each line is an event as JSON: its name under `event`, and its fields. Its id is the line's end offset in bytes."""

MOST_EVENTS: Final = 100  # events returned per call, which bounds the memory of a slow reader
READ: Final = 50_000  # bytes of the read buffer: threads would contend if each event took a system call
LONGEST: Final = 4_000_000  # bytes of a line; a longer line counts as unfinished


class EventLog:
    """Appends the events of a run to the file; only the process that holds the journal's lease may use it."""

    def __init__(self, journal: Path) -> None:
        path = journal.with_name(EVENTS)
        private_file(path)
        self._file = path.open("ab", buffering=0)
        self._file.write(b"\n")  # the partial line of a killed process gets a line of its own

    def __call__(self, event: Event) -> None:
        """Append an event. Raises OSError if it cannot be written."""
        self._file.write(json.dumps(event.to_record(), default=str).encode() + b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """An event: its ascending id, its name and its fields."""

    id: int
    name: str
    data: dict[str, Any]


def events_after(journal: Path, after: int) -> list[LoggedEvent]:
    """Return the first MOST_EVENTS events after the one with this id, in order; 0 is before the first.

    Blocks. If `after` is not the id of an event, the next whole line is the first.
    """
    path = journal.with_name(EVENTS)
    if not path.is_file():
        return []
    events: list[LoggedEvent] = []
    with path.open("rb", buffering=READ) as file:
        offset = file.seek(max(0, min(after, os.fstat(file.fileno()).st_size) - 1))
        if after:
            offset += len(file.readline(LONGEST))  # only the line's end if `after` is an event's id
        while len(events) < MOST_EVENTS and (line := file.readline(LONGEST)).endswith(b"\n"):
            offset += len(line)
            if (record := _record(line)) is not None:
                events.append(LoggedEvent(offset, str(record.pop("event")), record))
    return events


def _record(line: bytes) -> dict[str, Any] | None:
    """Return the record of a line; None for an unfinished line."""
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) and "event" in record else None
