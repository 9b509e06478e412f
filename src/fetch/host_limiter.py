"""Politeness: how many pages of one host are asked for at once, and how long after one another."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass

from ..kernel.run import Run
from ..kernel.settings import Settings


@dataclass(eq=False, slots=True)
class _Visit:
    """A request under way at a host: since when, and the place that it holds."""

    began: float
    place: AsyncExitStack
    overtaken: bool = False


class _HostQueue:
    """Spaces the requests to one host; `visits` are those under way."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.opens_at = 0.0
        self.visits: list[_Visit] = []

    async def enter(self, pause: float) -> None:
        """Block until the host may be asked; then keep the next request back for `pause` seconds."""
        async with self.turn:
            await asyncio.sleep(self.opens_at - _now())
            self.opens_at = _now() + pause

    @asynccontextmanager
    async def stay(self, place: AsyncExitStack, most: int) -> AsyncIterator[None]:
        """Count a request as under way; when it ends well, those it overtook give up their places, `most` at a time.

        A request was overtaken that had been under way as long as this one took before this one even began.
        """
        visit = _Visit(_now(), place)
        self.visits.append(visit)
        try:
            yield
            took = _now() - visit.began
            for earlier in [one for one in self.visits if not one.overtaken and one.began + took <= visit.began]:
                if sum(one.overtaken for one in self.visits) < most:
                    earlier.overtaken = True
                    await earlier.place.aclose()
        finally:
            self.visits.remove(visit)


@asynccontextmanager
async def admitted(run: Run, host: str, settings: Settings, *, pause: float = 0.0) -> AsyncIterator[None]:
    """Block until the run may ask a host, and hold its place; `host_concurrency` counts the runs of the pool together.

    A request that hangs does not hold up the others: one that a later one overtook by far no longer counts, and there
    are at most `host_concurrency` of these. `pause` is what the host itself asks for between the starts of two, in
    seconds; it or `host_pause` counts, whichever is longer.
    """
    queues = await run.shared("hosts", lambda: nullcontext(defaultdict[str, _HostQueue](_HostQueue)))
    queue, most = queues[host], settings.fetch.host_concurrency
    async with AsyncExitStack() as place:
        await place.enter_async_context(run.place(("host", host), most))
        await queue.enter(max(pause, settings.fetch.host_pause))
        async with queue.stay(place, most):
            yield


def _now() -> float:
    return asyncio.get_running_loop().time()
