"""Turns at a host: so many at once over all runs, a pause between, and no host waits for another."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from itertools import pairwise

import pytest

from spyglass.fetch.turns import turn_at
from spyglass.journal import Journal
from spyglass.pool import Pool
from spyglass.run import Run
from spyglass.settings import Settings


class Watch:
    """Two runs of one pool; notes when turns begin and how many are held at once."""

    def __init__(self, runs: list[Run]) -> None:
        self.runs = runs
        self.begun: list[float] = []
        self.now = self.most = 0

    async def visit(
        self, host: str, most: int, seconds: float = 0.02, *, pause: float = 0.0, asked: float = 0.0, run: int = 0
    ) -> None:
        settings = Settings(host_concurrency=most, host_pause=pause)
        async with turn_at(self.runs[run], host, settings, pause=asked):
            self.begun.append(time.monotonic())
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(seconds)
            self.now -= 1

    @property
    def gaps(self) -> list[float]:
        return [after - before for before, after in pairwise(self.begun)]


@pytest.fixture
async def watch(settings: Settings) -> AsyncIterator[Watch]:
    async with AsyncExitStack() as opened:
        pool = await opened.enter_async_context(Pool())
        runs = [Run("What?", settings, journal=Journal(), pool=pool) for _ in range(2)]
        yield Watch([await opened.enter_async_context(run) for run in runs])


async def test_no_more_than_allowed_are_at_a_host_at_once_over_all_runs(watch: Watch) -> None:
    await asyncio.gather(*(watch.visit("a.example", 3, run=number % 2) for number in range(10)))
    assert watch.most == 3


async def test_who_hangs_does_not_hold_up_those_who_come_later(watch: Watch) -> None:
    hanging = asyncio.create_task(watch.visit("a.example", 2, seconds=60))
    async with asyncio.timeout(5):
        await asyncio.gather(*(watch.visit("a.example", 2, seconds=0.05) for _ in range(3)))
        await asyncio.gather(*(watch.visit("a.example", 2, seconds=0.2, run=1) for _ in range(4)))
    assert watch.most == 3, "the one that was overtaken does not count"
    hanging.cancel()
    await asyncio.gather(hanging, return_exceptions=True)
    await watch.visit("a.example", 2)


async def test_no_more_than_twice_as_many_are_at_a_host(watch: Watch) -> None:
    tasks = []
    for _ in range(8):
        tasks.append(asyncio.create_task(watch.visit("a.example", 2, seconds=60)))
        await asyncio.sleep(0.05)
        tasks.append(asyncio.create_task(watch.visit("a.example", 2)))
        await asyncio.sleep(0.05)
    assert watch.most <= 4
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_hosts_do_not_wait_for_one_another(watch: Watch) -> None:
    async with asyncio.timeout(1):
        await asyncio.gather(*(watch.visit(f"{number}.example", 1, pause=10) for number in range(5)))
    assert watch.most == 5


async def test_a_pause_lies_between_two_starts_of_any_run(watch: Watch) -> None:
    await asyncio.gather(*(watch.visit("a.example", 5, pause=0.05, run=number % 2) for number in range(4)))
    assert min(watch.gaps) >= 0.049


async def test_the_longer_pause_counts_when_the_host_asks_for_one(watch: Watch) -> None:
    await asyncio.gather(*(watch.visit("a.example", 5, pause=0.01, asked=0.06) for _ in range(3)))
    assert min(watch.gaps) >= 0.059


async def test_a_pause_holds_although_nobody_was_there_meanwhile(watch: Watch) -> None:
    await watch.visit("a.example", 1, pause=0.05, seconds=0)
    await watch.visit("b.example", 1, seconds=0)
    await watch.visit("a.example", 1, pause=0.05, seconds=0)
    assert watch.begun[2] - watch.begun[0] >= 0.049


async def test_who_gives_up_waiting_leaves_the_turn_to_the_next(watch: Watch) -> None:
    first = asyncio.create_task(watch.visit("a.example", 1, seconds=0.05))
    while not watch.now:  # noqa: ASYNC110 the first one is in
        await asyncio.sleep(0)
    second = asyncio.create_task(watch.visit("a.example", 1))
    third = asyncio.create_task(watch.visit("a.example", 1))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.gather(first, third)
    assert (second.cancelled() or second.cancelling() > 0, len(watch.begun)) == (True, 2)
