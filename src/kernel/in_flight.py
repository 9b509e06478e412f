"""The running calls of a run: equal calls are made once, and all can be cancelled together."""

import asyncio
from collections.abc import Awaitable, Coroutine
from typing import Any, TypeVar

from .errors import StoppedError
from .notice import Notice

Result = TypeVar("Result")

FAREWELL = 5.0
"""Seconds to wait for cancelled calls at the end of a run; a call that ignores its cancellation is abandoned."""


class InFlight:
    """The running calls, by the keys of their effects. Once `stopped`, no more calls are made."""

    def __init__(self) -> None:
        self._in_flight: dict[str, asyncio.Future[None]] = {}
        self._bounds: set[asyncio.Timeout] = set()
        self.stopped = False

    def stop(self) -> None:
        """Cancel the running calls, whose callers get StoppedError, and allow no further calls."""
        self.stopped = True
        self._cancel_calls()

    async def settle(self) -> None:
        """Cancel the running calls and wait up to FAREWELL seconds, so that none uses clients that are closed next."""
        self._cancel_calls()
        if self._in_flight:
            await asyncio.wait(self._in_flight.values(), timeout=FAREWELL)

    def _cancel_calls(self) -> None:
        for bound in self._bounds:
            if not bound.expired():
                bound.reschedule(0)

    async def join(self, key: str) -> None:
        """Wait until no call with this key is running.

        Raises the exception of a call if it could not be recorded as an answer; that is a bug of the caller.
        """
        while (flight := self._in_flight.get(key)) is not None:
            await asyncio.wait([flight])
            if not flight.cancelled():
                flight.result()

    async def start_call(self, key: str, call: Coroutine[Any, Any, None]) -> None:
        """Make a call that others may join; it is cancelled together with this caller."""
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
