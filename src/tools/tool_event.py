"""The events of a tool as streamed to clients, with the names of the documented format."""

from dataclasses import dataclass, field
from typing import Any

from ..kernel.errors import SpyglassError
from ..kernel.events import Event, OutputChanged, PhaseChanged, TextDelta

SOURCES = "sources"  # the key of the final result that searching sets first


@dataclass(frozen=True, slots=True)
class ToolEvent:
    """An event of a tool: its name (`tool_update`, `tool_partial_update`, `error` or `tool_end`) and JSON value."""

    name: str
    data: dict[str, Any]


@dataclass(slots=True)
class Teller:
    """Converts a run's events to a tool's, and collects the results so far, which an error event includes."""

    query: str
    phase: str = ""
    gathered: dict[str, Any] = field(default_factory=dict)
    response: str = ""

    def update(self, event: Event) -> ToolEvent | None:
        """Return the tool event for an event of the run, None for one that clients do not get."""
        match event:
            case PhaseChanged(phase=phase, status=status, data=data):
                self.phase = phase
                return ToolEvent("tool_update", {"phase": phase, "status": status, **self._update_data(data)})
            case OutputChanged(key=key, value=value):
                self.gathered[key] = value
                return ToolEvent("tool_update", {key: value, "output_key": key})
            case TextDelta(text=text):
                self.response += text
                return ToolEvent("tool_partial_update", {"content": text, "output_key": "response"})
        return None

    def error(self, error: SpyglassError) -> ToolEvent:
        """Return the last event of a stream that failed, with the results so far."""
        gathered = {"query": self.query, **self.gathered, "response": self.response}
        return ToolEvent("error", {"error": str(error), "type": type(error).__name__, "phase": self.phase, **gathered})

    def _update_data(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return the fields of an update besides phase and status; a phase with sources also sets that output."""
        if not data or "query" in data:
            return data
        if SOURCES not in data:
            return {"data": data}
        self.gathered[SOURCES] = data[SOURCES]
        return {"data": data, "output_key": SOURCES}
