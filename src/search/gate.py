"""What stands before an engine, for all runs of the process: its limits and its circuit breaker."""

import asyncio
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from .breaker import Breaker
from .limits import Limits
from .provider import SearchEngine


@dataclass(frozen=True, slots=True)
class Gate:
    """One engine's limits and breaker."""

    limits: Limits
    breaker: Breaker


_LIMITS: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, int | None], Limits]] = WeakKeyDictionary()
_BREAKERS: dict[str, Breaker] = {}


def gate_of(engine: SearchEngine) -> Gate:
    """Return the gate of an engine at its address with its key.

    Runs share it, for the engine counts the requests of all of them, and one that is down for one run is down for the
    next: the breaker is the process's, the limits those of an event loop, of which a process seldom has two. No run
    depends on it in its replay: that the breaker let nothing through is an answer that the run's journal has.
    """
    limits = _LIMITS.setdefault(asyncio.get_running_loop(), {})
    key = (engine.account, engine.per_minute)
    if key not in limits:
        limits[key] = Limits(engine.concurrency, engine.pause, engine.per_minute)
    return Gate(limits[key], _BREAKERS.setdefault(engine.account, Breaker()))


def close_breakers() -> None:
    """Forget which engines are left alone, in the whole process."""
    _BREAKERS.clear()
