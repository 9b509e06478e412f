"""An event loop whose clock stands while anything is being done, and jumps where all only wait for their time.

So what takes seconds takes none, and comes in the same order on any machine.
"""

import asyncio
import selectors
import time
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

MOMENT = 0.0005
"""Real seconds in which what was sent on this machine has come."""

MOST_MOMENTS = 20
"""So many are waited through at most."""


class Clock(selectors.DefaultSelector):
    """A selector that looks whether there is anything to do before it lets time pass."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.work: set[Future[Any]] = set()

    def select(self, timeout: float | None = None) -> Any:
        """Return what is ready; time goes on only where nothing is and no thread is at work."""
        ready = super().select(0)
        if ready or (timeout is not None and timeout <= 0):
            return ready
        if self.work or timeout is None:
            return super().select(1.0)
        if not (ready := self._what_has_come()):
            self.now += timeout
        return ready

    def _what_has_come(self) -> Any:
        """Return what is ready after a moment; one that lasted longer tells nothing, for the machine was busy."""
        for _ in range(MOST_MOMENTS):
            began = time.monotonic()
            if (ready := super().select(MOMENT)) or time.monotonic() - began < 4 * MOMENT:
                return ready
        return []


class Simulated(asyncio.SelectorEventLoop):
    """A loop on such a clock. It learns of what threads do where a task begins to wait for them."""

    def __init__(self) -> None:
        self._clock = Clock()
        super().__init__(self._clock)
        waits = asyncio.futures.wrap_future

        def wrap_future(future: Any, *, loop: asyncio.AbstractEventLoop | None = None) -> Any:
            waiting = waits(future, loop=loop)
            if isinstance(future, Future):
                self._clock.work.add(future)
                future.add_done_callback(self._ended)
            return waiting

        asyncio.wrap_future = asyncio.futures.wrap_future = wrap_future

    def _ended(self, future: Future[Any]) -> None:
        """Take note that a thread has done something, and look again: the loop may have learnt of it before."""
        self._clock.work.discard(future)
        with suppress(RuntimeError):  # a loop that is closed
            self.call_soon_threadsafe(int)

    def time(self) -> float:
        """Return the seconds that have passed; what is asked for later is later, as on any clock."""
        self._clock.now += 1e-9
        return self._clock.now
