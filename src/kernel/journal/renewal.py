"""Holds a journal's lease for as long as a run lasts."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from ..errors import JournalError, LeaseError
from .journal import Journal


@asynccontextmanager
async def held(journal: Journal, stop: Callable[[], None]) -> AsyncIterator[None]:
    """Take the lease, renew it, and give it back; call `stop` when another process has it, or the run is to stop.

    Raises LeaseError where another process has it.
    """
    await journal.own()
    renewing = asyncio.create_task(_renewed(journal, stop))
    try:
        yield
    finally:
        renewing.cancel()
        with suppress(asyncio.CancelledError):
            await renewing
        await journal.kept()
        with suppress(JournalError):  # a disk that is full: the lease runs out by itself
            journal.release()


async def _renewed(journal: Journal, stop: Callable[[], None]) -> None:
    while True:
        await asyncio.sleep(journal.renewed_after)
        try:
            ours = journal.renew()
            await journal.kept()
        except LeaseError:
            ours = False
        except JournalError:  # busy or full for now; whether the lease is still ours, the next write finds out
            continue
        if not ours or journal.stop_asked:
            stop()
        if not ours:
            return
