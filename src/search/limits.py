"""How often an engine is called: so many at once, a pause between, so many a minute."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ..kernel.errors import SearchPausedError

if TYPE_CHECKING:
    from aiolimiter import AsyncLimiter


class Limits:
    """At most `concurrency` calls at once, and `per_minute` a minute; belongs to one event loop.

    A place becomes free `pause` seconds after its call ended: that delays the next call, never the answer. After a
    call that was not made, because the engine's breaker is open, it is free at once.
    """

    def __init__(self, concurrency: int, pause: float, per_minute: int | None = None) -> None:
        self._places = asyncio.Semaphore(concurrency)
        self._pause = pause
        self._rate = _limiter(per_minute) if per_minute else None

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Wait for a place, and hold it."""
        await self._places.acquire()
        pause = self._pause
        try:
            if self._rate is not None:
                await self._rate.acquire()
            yield
        except SearchPausedError:
            pause = 0.0
            raise
        finally:
            asyncio.get_running_loop().call_later(pause, self._places.release)


def _limiter(per_minute: int) -> "AsyncLimiter":
    from aiolimiter import AsyncLimiter

    return AsyncLimiter(per_minute, 60)
