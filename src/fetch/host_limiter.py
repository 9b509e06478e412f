"""Limits, for politeness, on the concurrent requests to a host and on the time between their starts."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass

from ..kernel.run import Run
from ..kernel.settings import Settings


@dataclass(eq=False, slots=True)
class _Visit:
    """A request in progress at a host: its start time, its `slot`, and whether a later one has overtaken it."""

    began: float
    slot: AsyncExitStack
    overtaken: bool = False


class _HostQueue:
    """Spaces the requests to one host; `visits` are the requests in progress."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.opens_at = 0.0
        self.visits: list[_Visit] = []

    async def enter(self, pause: float) -> None:
        """Wait until a request may start; the next one may start `pause` seconds later."""
        async with self.turn:
            await asyncio.sleep(self.opens_at - _now())
            self.opens_at = _now() + pause

    @asynccontextmanager
    async def stay(self, slot: AsyncExitStack, most: int) -> AsyncIterator[None]:
        """Register a request as in progress; when it succeeds, release the slots of overtaken requests, at most `most`.

        A request is overtaken if it had already run, when this request began, for as long as this request took.
        """
        visit = _Visit(_now(), slot)
        self.visits.append(visit)
        try:
            yield
            took = _now() - visit.began
            for earlier in [
                other for other in self.visits if not other.overtaken and other.began + took <= visit.began
            ]:
                if sum(other.overtaken for other in self.visits) < most:
                    earlier.overtaken = True
                    await earlier.slot.aclose()
        finally:
            self.visits.remove(visit)


@asynccontextmanager
async def admitted(run: Run, host: str, settings: Settings, *, pause: float = 0.0) -> AsyncIterator[None]:
    """Wait for one of the host's `host_concurrency` slots, which the runs of the pool share, and occupy it.

    A hanging request does not delay the others: once a later request has overtaken it, it occupies no slot; this
    applies to at most `host_concurrency` requests. `pause` is the host's own minimum delay between the starts of two
    requests, in seconds; the longer of it and `host_pause` applies.
    """
    queues = await run.shared("hosts", lambda: nullcontext(defaultdict[str, _HostQueue](_HostQueue)))
    queue, most = queues[host], settings.fetch.host_concurrency
    async with AsyncExitStack() as slot:
        await slot.enter_async_context(run.slot(("host", host), most))
        await queue.enter(max(pause, settings.fetch.host_pause))
        async with queue.stay(slot, most):
            yield


def _now() -> float:
    return asyncio.get_running_loop().time()
