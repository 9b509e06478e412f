"""A run's events as records of the standard library's log `spyglass`, and such records as lines of JSON."""

import json
import logging
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlsplit

from ..events import (
    AnswerRead,
    EngineChanged,
    Event,
    IngestProgress,
    Noticed,
    PageRead,
    PhaseChanged,
    Retrying,
    RunEnded,
    Searched,
    SectionWritten,
    TaskEnded,
    TextDelta,
)

LOG: Final = logging.getLogger("spyglass")
LOG.addHandler(logging.NullHandler())

UNTOLD: Final[dict[type[Event], frozenset[str]]] = {
    PageRead: frozenset({"title"}),
    PhaseChanged: frozenset({"data"}),
    AnswerRead: frozenset({"problem"}),
    SectionWritten: frozenset({"title"}),
}
"""The fields of events that hold the words of pages, of files, or of a model."""


def log(run: str, event: Event) -> None:
    """Write an event of a run to the log, if anybody wants to have it."""
    level = _level(event)
    if level and LOG.isEnabledFor(level):
        LOG.log(level, "%s", type(event).__name__, extra={"run": run, "fields": _fields(event)})


class Lines(logging.Formatter):
    """Writes a record as one line of JSON: time (UTC), level, run, event, and the event's own fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, in ASCII, without its end."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        known = {"time": at, "level": record.levelname, "run": getattr(record, "run", "")}
        own = {"event": record.getMessage(), **getattr(record, "fields", {})}
        return json.dumps(known | own, default=str)


def _level(event: Event) -> int:
    """Return how much an event matters; 0 for one that is nothing but text."""
    match event:
        case TextDelta():
            return logging.NOTSET
        case RunEnded(outcome="failed"):
            return logging.ERROR
        case Retrying() | Noticed() | EngineChanged(state="open"):
            return logging.WARNING
        case Searched(error=error) | PageRead(error=error) | TaskEnded(error=error) if error:
            return logging.WARNING
        case IngestProgress() | AnswerRead():
            return logging.DEBUG
    return logging.INFO


def _fields(event: Event) -> dict[str, Any]:
    """Return what the log says of an event; the address of a page without its query, in which a secret may stand."""
    record = event.to_record()
    for name in ("event", "run", *UNTOLD.get(type(event), ())):
        record.pop(name, None)
    if isinstance(event, PageRead):
        record["url"] = urlsplit(event.url)._replace(query="", fragment="").geturl()
    return record
