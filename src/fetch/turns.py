"""Politeness: how many pages of one host are asked for at once, and how long after one another."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..run import Run
    from ..settings import Settings


class _Host:
    """One host: who may be there at once, and when the next one may come."""

    def __init__(self, most: int) -> None:
        self.slots = asyncio.Semaphore(most)
        self.door = asyncio.Lock()
        self.opens_at = 0.0


class Turns:
    """A run's turns at every host: at most `most` at once, `pause` seconds from the start of one to the next."""

    def __init__(self, most: int, pause: float) -> None:
        self._most = most
        self._pause = pause
        self._hosts: dict[str, _Host] = {}

    @asynccontextmanager
    async def at(self, name: str, *, pause: float = 0.0) -> AsyncIterator[None]:
        """Wait for a turn at the host and hold it; `pause` is what the host itself asks for, and the longer counts."""
        clock = asyncio.get_running_loop().time
        host = self._hosts.setdefault(name, _Host(self._most))
        async with host.slots:
            async with host.door:
                await asyncio.sleep(host.opens_at - clock())
                host.opens_at = clock() + max(pause, self._pause)
            yield


async def turns_of(run: "Run", settings: "Settings") -> Turns:
    """Return the turns that all fetches of a run take."""
    return await run.client("turns", lambda: nullcontext(Turns(settings.host_concurrency, settings.host_pause)))
