"""A run's events as log records of the logger `spyglass`, and a formatter of such records as lines of JSON."""

import json
import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from .. import events

if TYPE_CHECKING:
    from ..journal import Answer
    from ..settings import Settings


LOG: Final = logging.getLogger("spyglass")
LOG.addHandler(logging.NullHandler())

LEVELS: Final[dict[type[events.Event], int]] = {
    events.TextDelta: logging.NOTSET,
    events.SectionDrafted: logging.NOTSET,
    events.IngestProgress: logging.DEBUG,
    events.AnswerRead: logging.DEBUG,
    events.Retrying: logging.WARNING,
    events.Noticed: logging.WARNING,
}
"""The levels of events without an error; others are INFO."""

PRIVATE_FIELDS: Final[dict[type[events.Event], frozenset[str]]] = {
    events.PageRead: frozenset({"title"}),
    events.PhaseChanged: frozenset({"data"}),
    events.OutputChanged: frozenset({"value"}),
    events.AnswerRead: frozenset({"problem"}),
    events.SectionWritten: frozenset({"title"}),
    events.Noticed: frozenset({"notice"}),
}
"""The fields of events that hold text of pages, of files, or of a model."""


class Lines(logging.Formatter):
    """Formats a record as one line of JSON: time (UTC), level, run, event, and the event's own fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line in ASCII, without a line end."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        common = {"time": at, "level": record.levelname, "run": getattr(record, "run", "")}
        fields = {"event": getattr(record, "event", record.getMessage()), **getattr(record, "fields", {})}
        return json.dumps(common | fields, default=str)


def _level(event: events.Event) -> int:
    """Return the log level of an event; 0 for pieces of text, which are not logged."""
    match event:
        case events.RunEnded(outcome="failed"):
            return logging.ERROR
        case events.EngineChanged(state="open"):
            return logging.WARNING
    return logging.WARNING if getattr(event, "error", "") else LEVELS.get(type(event), logging.INFO)


def _fields(event: events.Event) -> dict[str, Any]:
    """Return the fields of an event for the log; the URL of a page without its query, which may contain a secret."""
    record = event.to_record()
    for name in ("event", "run", *PRIVATE_FIELDS.get(type(event), ())):
        record.pop(name, None)
    if isinstance(event, events.PageRead):
        record["url"] = event.url.partition("#")[0].partition("?")[0]
    return record


OnAnswer: TypeAlias = "Callable[[Answer, bool], None]"  # takes the answer to an effect, and whether it was replayed
_NOBODY: Final = nullcontext[OnAnswer](lambda _answer, _replayed: None)


class Observer:
    """The observer of one run: writes its events to the log `spyglass`, without spans."""

    def record_event(self, run: str, event: events.Event) -> None:
        """Write an event of the run of that id to the log, if its level is enabled."""
        level = _level(event)
        if level and LOG.isEnabledFor(level):
            name, fields = type(event).__name__, _fields(event)
            LOG.log(level, "%s %s", name, fields, extra={"run": run, "event": name, "fields": fields})

    def effect(self, kind: str, request: Any) -> AbstractContextManager[OnAnswer]:  # noqa: ARG002 no spans
        """Observe an effect during the block, which calls the yielded function with the answer."""
        return _NOBODY

    def agent(self, name: str, task: str) -> AbstractContextManager[object]:  # noqa: ARG002 no spans
        """Observe an agent's task during the block."""
        return _NOBODY

    def under(self, traceparent: str | None) -> None:
        """Make the run part of the trace that a W3C `traceparent` names."""

    def here(self) -> str:
        """Return the current `traceparent`, for a run in another process; empty without one."""
        return ""

    def record_cost(self, cost: float | None) -> None:
        """Record the cost of the running call in US dollars, None when it is unknown."""


def observer_of(settings: "Settings") -> Observer:
    """Return the observer of a run with these settings. Raises SettingsError if OpenTelemetry is not installed."""
    if not settings.observe.otel:
        return Observer()
    from .tracing import Tracing

    return Tracing(content=settings.observe.otel_content)
