"""Turns at a host: so many at once over all runs, a pause between, and no host waits for another."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from loopback.clock import in_no_time
from spyglass.fetch.host_limiter import admitted
from spyglass.kernel.journal import Journal
from spyglass.kernel.pool import Pool
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings


class Watch:
    """Two runs of one pool; notes when turns begin and how many are held at once."""

    def __init__(self, runs: list[Run]) -> None:
        self.runs = runs
        self.start_times: list[float] = []
        self.now = self.most = 0

    async def visit(
        self, host: str, most: int, seconds: float = 0.02, *, pause: float = 0.0, asked: float = 0.0, run: int = 0
    ) -> None:
        settings = Settings(fetch__host_concurrency=most, fetch__host_pause=pause)
        async with admitted(self.runs[run], host, settings, pause=asked):
            self.start_times.append(asyncio.get_running_loop().time())
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(seconds)
            self.now -= 1


@asynccontextmanager
async def watching(settings: Settings) -> AsyncIterator[Watch]:
    async with AsyncExitStack() as opened:
        pool = await opened.enter_async_context(Pool())
        runs = [Run("What?", settings, journal=Journal(), pool=pool) for _ in range(2)]
        yield Watch([await opened.enter_async_context(run) for run in runs])


@in_no_time
async def test_no_more_than_allowed_are_at_a_host_at_once_over_all_runs(settings: Settings) -> None:
    async with watching(settings) as watch:
        await asyncio.gather(*(watch.visit("a.example", 3, run=number % 2) for number in range(10)))
    assert watch.most == 3


@in_no_time
async def test_who_hangs_does_not_hold_up_those_who_come_later(settings: Settings) -> None:
    async with watching(settings) as watch:
        hanging = asyncio.create_task(watch.visit("a.example", 2, seconds=60))
        async with asyncio.timeout(5):
            await asyncio.gather(*(watch.visit("a.example", 2, seconds=0.05) for _ in range(3)))
            await asyncio.gather(*(watch.visit("a.example", 2, seconds=0.2, run=1) for _ in range(4)))
        assert watch.most == 3, "the one that was overtaken does not count"
        hanging.cancel()
        await asyncio.gather(hanging, return_exceptions=True)
        await watch.visit("a.example", 2)


@in_no_time
async def test_no_more_than_twice_as_many_are_at_a_host(settings: Settings) -> None:
    async with watching(settings) as watch:
        tasks = []
        for _ in range(8):
            tasks.append(asyncio.create_task(watch.visit("a.example", 2, seconds=60)))
            await asyncio.sleep(0.05)
            tasks.append(asyncio.create_task(watch.visit("a.example", 2)))
            await asyncio.sleep(0.05)
        assert watch.most == 4
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@in_no_time
async def test_hosts_do_not_wait_for_one_another(settings: Settings) -> None:
    async with watching(settings) as watch:
        await asyncio.gather(*(watch.visit(f"{number}.example", 1, pause=10) for number in range(5)))
    assert watch.start_times == pytest.approx([0] * 5)


@in_no_time
async def test_a_pause_lies_between_two_starts_of_any_run(settings: Settings) -> None:
    async with watching(settings) as watch:
        await asyncio.gather(*(watch.visit("a.example", 5, pause=0.05, run=number % 2) for number in range(4)))
    assert watch.start_times == pytest.approx([0, 0.05, 0.1, 0.15])


@in_no_time
async def test_the_longer_pause_counts_when_the_host_asks_for_one(settings: Settings) -> None:
    async with watching(settings) as watch:
        await asyncio.gather(*(watch.visit("a.example", 5, pause=0.01, asked=0.06) for _ in range(3)))
    assert watch.start_times == pytest.approx([0, 0.06, 0.12])


@in_no_time
async def test_a_pause_holds_although_nobody_was_there_meanwhile(settings: Settings) -> None:
    async with watching(settings) as watch:
        for host in ("a.example", "b.example", "a.example"):
            await watch.visit(host, 1, pause=0.05, seconds=0)
    assert watch.start_times == pytest.approx([0, 0, 0.05])


@in_no_time
async def test_who_gives_up_waiting_leaves_the_turn_to_the_next(settings: Settings) -> None:
    async with watching(settings) as watch:
        visits = [asyncio.create_task(watch.visit("a.example", 1, seconds=0.05)) for _ in range(3)]
        await asyncio.sleep(0.01)
        visits[1].cancel()
        await asyncio.wait(visits)
    assert [visit.cancelled() for visit in visits] == [False, True, False]
    assert watch.start_times == pytest.approx([0, 0.05])
