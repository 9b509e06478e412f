"""The calls of a run that are under way: equal ones are joined, and all can be cancelled at once."""

import asyncio
from collections.abc import Awaitable, Coroutine
from typing import Any, TypeVar

from .errors import StoppedError
from .notice import Notice

Result = TypeVar("Result")

FAREWELL = 5.0
"""Seconds that calls have to end in when their run does; one that will not be cancelled is left to itself."""


class InFlight:
    """Calls by the key of their effect. Once `stopped`, none is made any more."""

    def __init__(self) -> None:
        self._in_flight: dict[str, asyncio.Future[None]] = {}
        self._bounds: set[asyncio.Timeout] = set()
        self.stopped = False

    def stop(self) -> None:
        """Cancel the calls under way, whose callers get StoppedError, and allow no more."""
        self.stopped = True
        self._give_up()

    async def settle(self) -> None:
        """Cancel the calls under way and wait up to FAREWELL seconds, so that none uses what is closed next."""
        self._give_up()
        if self._in_flight:
            await asyncio.wait(self._in_flight.values(), timeout=FAREWELL)

    def _give_up(self) -> None:
        for bound in self._bounds:
            if not bound.expired():
                bound.reschedule(0)

    async def join(self, key: str) -> None:
        """Wait until no call of this key is under way.

        Raises an exception of the call that cannot be recorded, which is a bug of its caller.
        """
        while (flight := self._in_flight.get(key)) is not None:
            await asyncio.wait([flight])
            if not flight.cancelled():
                flight.result()

    async def start_call(self, key: str, call: Coroutine[Any, Any, None]) -> None:
        """Make a call that others may join; it is cancelled with its caller."""
        flight = self._in_flight[key] = asyncio.ensure_future(call)
        try:
            await flight
        finally:
            del self._in_flight[key]

    async def unless_stopped(self, answering: Awaitable[Result]) -> Result:
        """Await an answer. Raises StoppedError when the calls are cancelled by `stop` or `settle`."""
        bound = asyncio.timeout(None)
        self._bounds.add(bound)
        try:
            async with bound:
                return await answering
        except TimeoutError as error:
            if not bound.expired():
                raise
            raise StoppedError(Notice("run_stopped")) from error
        finally:
            self._bounds.discard(bound)
