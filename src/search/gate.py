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


_GATES: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, int | None], Gate]] = WeakKeyDictionary()


def gate_of(engine: SearchEngine) -> Gate:
    """Return the gate of an engine at its address with its key.

    Runs share it, for the engine counts the requests of all of them, and one that is down for one run is down for the
    next. It belongs to the event loop, of which a process has one. No run depends on it in its replay: that the
    breaker let nothing through is an answer that the run's journal has.
    """
    gates = _GATES.setdefault(asyncio.get_running_loop(), {})
    key = (engine.account, engine.per_minute)
    if key not in gates:
        gates[key] = Gate(Limits(engine.concurrency, engine.pause, engine.per_minute), Breaker())
    return gates[key]
