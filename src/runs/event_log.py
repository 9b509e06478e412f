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

MOST_EVENTS: Final = 100  # events that are read at once: whoever takes them slowly holds no more of them
READ: Final = 50_000  # bytes that are read at once: threads that go to the system for each event wait for one another
LONGEST: Final = 4_000_000  # bytes of a line; a longer one is waited for as one that is not ended


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
    """Return the events behind the one with this id, in order, the first MOST_EVENTS; 0 is before the first.

    Empty when there is none yet. It blocks. An `after` that is no event's id goes on with the next whole line.
    """
    path = journal.with_name(EVENTS)
    if not path.is_file():
        return []
    found: list[LoggedEvent] = []
    with path.open("rb", buffering=READ) as file:
        place = file.seek(max(0, min(after, os.fstat(file.fileno()).st_size) - 1))
        if after:
            place += len(file.readline(LONGEST))  # just the end of the line, where `after` is an event's id
        while len(found) < MOST_EVENTS and (line := file.readline(LONGEST)).endswith(b"\n"):
            place += len(line)
            if (record := _record(line)) is not None:
                found.append(LoggedEvent(place, str(record.pop("event")), record))
    return found


def _record(line: bytes) -> dict[str, Any] | None:
    """Return the record of a line, None of one that a process did not finish."""
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) and "event" in record else None
