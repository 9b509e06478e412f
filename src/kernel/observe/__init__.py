"""Log records and OpenTelemetry spans of runs."""

from .logs import Observer, observer_of

__all__ = ["Observer", "observer_of"]
