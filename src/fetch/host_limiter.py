"""Politeness: limits how many pages of a host are requested at once, and how fast one after another."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass

from ..kernel.run import Run
from ..kernel.settings import Settings


@dataclass(eq=False, slots=True)
class _Visit:
    """A request in progress at a host: its start time, and the place that it holds."""

    began: float
    place: AsyncExitStack
    overtaken: bool = False


class _HostQueue:
    """Spaces the requests to one host; `visits` are the requests in progress."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.opens_at = 0.0
        self.visits: list[_Visit] = []

    async def enter(self, pause: float) -> None:
        """Block until a request may start; then hold back the next request for `pause` seconds."""
        async with self.turn:
            await asyncio.sleep(self.opens_at - _now())
            self.opens_at = _now() + pause

    @asynccontextmanager
    async def stay(self, place: AsyncExitStack, most: int) -> AsyncIterator[None]:
        """Count a request as in progress; when it succeeds, overtaken requests give up their places, at most `most`.

        A request is overtaken if it had already lasted, when this request began, as long as this request took.
        """
        visit = _Visit(_now(), place)
        self.visits.append(visit)
        try:
            yield
            took = _now() - visit.began
            for earlier in [
                other for other in self.visits if not other.overtaken and other.began + took <= visit.began
            ]:
                if sum(other.overtaken for other in self.visits) < most:
                    earlier.overtaken = True
                    await earlier.place.aclose()
        finally:
            self.visits.remove(visit)


@asynccontextmanager
async def admitted(run: Run, host: str, settings: Settings, *, pause: float = 0.0) -> AsyncIterator[None]:
    """Block until the run may request a page of a host, and hold its place; the pool's runs share `host_concurrency`.

    A hanging request does not delay the others: a request that a later one has overtaken by far no longer counts, for
    at most `host_concurrency` of them. `pause` is the host's own delay between the starts of two requests, in seconds;
    the longer of it and `host_pause` counts.
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
