"""What hears of everything that a run does."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from .logs import log

if TYPE_CHECKING:
    from ..events import Event
    from ..journal import Answer
    from ..settings import Settings

Told: TypeAlias = "Callable[[Answer, bool], None]"  # takes the answer to an effect, and whether it came without a call
_NOBODY: Final = nullcontext[Told](lambda _answer, _replayed: None)


class Observer:
    """Hears of one run: this one writes its events to the log `spyglass`, and draws no spans."""

    def hear(self, run: str, event: "Event") -> None:
        """Take an event of the run of that id."""
        log(run, event)

    def effect(self, kind: str, request: Any) -> AbstractContextManager[Told]:  # noqa: ARG002 nobody to tell
        """Watch an effect for as long as the block lasts, which tells what was answered."""
        return _NOBODY

    def agent(self, name: str, task: str) -> AbstractContextManager[object]:  # noqa: ARG002 nobody to tell
        """Watch an agent at a task for as long as the block lasts."""
        return _NOBODY

    def under(self, traceparent: str | None) -> None:
        """Have the run belong to a trace of somebody else's, as W3C's `traceparent` names it."""

    def here(self) -> str:
        """Return what names the trace that is current here, for a run that another process makes; empty without one."""
        return ""

    def paid(self, cost: float | None) -> None:
        """Take what the call under way has cost in US dollars, None when nobody knows."""


def observer_of(settings: "Settings") -> Observer:
    """Return what hears of a run with these settings. Raises SettingsError where OpenTelemetry is not installed."""
    if not settings.observe.otel:
        return Observer()
    from .tracing import Tracing

    return Tracing(content=settings.observe.otel_content)
