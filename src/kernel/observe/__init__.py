"""Tells those who watch a program what its runs do: log records, and OpenTelemetry spans."""

from .logs import Observer, observer_of

__all__ = ["Observer", "observer_of"]
