"""The limits and circuit breakers of search engines, which all runs of the process share."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakKeyDictionary

from ..kernel.errors import SearchPausedError
from .breaker import Breaker
from .provider import SearchEngine


class Limits:
    """The limits of an engine in one event loop: `concurrency` calls at once, and `per_minute` calls per minute.

    A slot becomes free `pause` seconds after its call, or at once when an open breaker prevented the call.
    """

    def __init__(self, concurrency: int, pause: float, per_minute: int | None = None) -> None:
        self._slots = asyncio.Semaphore(concurrency)
        self._pause = pause
        self._rate = None
        if per_minute:
            from aiolimiter import AsyncLimiter

            self._rate = AsyncLimiter(per_minute, 60)

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for a slot and hold it during the block."""
        await self._slots.acquire()
        pause = self._pause
        try:
            if self._rate is not None:
                await self._rate.acquire()
            yield
        except SearchPausedError:
            pause = 0.0
            raise
        finally:
            asyncio.get_running_loop().call_later(pause, self._slots.release)


_LIMITS: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, int | None], Limits]] = WeakKeyDictionary()
_BREAKERS: dict[str, Breaker] = {}


def gate_of(engine: SearchEngine) -> tuple[Limits, Breaker]:
    """Return the limits (of this event loop) and the breaker (of the process) of an engine with its address and key.

    A replay does not depend on them: the run's journal records that a breaker was open.
    """
    limits = _LIMITS.setdefault(asyncio.get_running_loop(), {})
    key = (engine.account, engine.per_minute)
    if key not in limits:
        limits[key] = Limits(engine.concurrency, engine.pause, engine.per_minute)
    return limits[key], _BREAKERS.setdefault(engine.account, Breaker())


def close_breakers() -> None:
    """Reset every breaker of the process."""
    _BREAKERS.clear()
