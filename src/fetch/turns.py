"""Politeness: how many pages of one host are asked for at once, and how long after one another."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..run import Run
    from ..settings import Settings


class _Door:
    """The door of one host: who comes next waits until it opens."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.opens_at = 0.0
        self.users = 0


class Doors:
    """The doors of all hosts; one that stands open and that nobody passes is forgotten."""

    def __init__(self) -> None:
        self._doors: dict[str, _Door] = {}

    async def enter(self, host: str, pause: float) -> None:
        """Wait for the host's door, and keep it shut for the next one for so many seconds."""
        clock = asyncio.get_running_loop().time
        door = self._doors.setdefault(host, _Door())
        door.users += 1
        try:
            async with door.turn:
                await asyncio.sleep(door.opens_at - clock())
                door.opens_at = clock() + pause
        finally:
            door.users -= 1
            self._forget(clock())

    def _forget(self, now: float) -> None:
        for host in [host for host, door in self._doors.items() if not door.users and door.opens_at <= now]:
            del self._doors[host]


@asynccontextmanager
async def turn_at(run: "Run", host: str, settings: "Settings", *, pause: float = 0.0) -> AsyncIterator[None]:
    """Wait for the run's turn at a host and hold it: the settings' `host_concurrency` is for all runs of the pool.

    `pause` is what the host itself asks for between the starts of two, in seconds; it or `host_pause` counts, whichever
    is longer.
    """
    doors = await run.shared("doors", lambda: nullcontext(Doors()))
    async with run.place(("host", host), settings.host_concurrency):
        await doors.enter(host, max(pause, settings.host_pause))
        yield
