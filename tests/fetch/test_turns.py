"""Turns at a host: so many at once, a pause between, and no host waits for another."""

import asyncio
import time
from itertools import pairwise

from spyglass.fetch.turns import Turns


class Watch:
    """Notes when turns begin and how many are held at once."""

    def __init__(self) -> None:
        self.begun: list[float] = []
        self.now = self.most = 0

    async def visit(self, turns: Turns, host: str, seconds: float = 0.02, pause: float = 0.0) -> None:
        async with turns.at(host, pause=pause):
            self.begun.append(time.monotonic())
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(seconds)
            self.now -= 1

    @property
    def gaps(self) -> list[float]:
        return [after - before for before, after in pairwise(self.begun)]


async def test_no_more_than_allowed_are_at_a_host_at_once() -> None:
    turns, watch = Turns(3, 0.0), Watch()
    await asyncio.gather(*(watch.visit(turns, "a.example") for _ in range(10)))
    assert watch.most == 3


async def test_hosts_do_not_wait_for_one_another() -> None:
    turns, watch = Turns(1, 10.0), Watch()
    async with asyncio.timeout(1):
        await asyncio.gather(*(watch.visit(turns, f"{number}.example") for number in range(5)))
    assert watch.most == 5


async def test_a_pause_lies_between_two_starts() -> None:
    turns, watch = Turns(5, 0.05), Watch()
    await asyncio.gather(*(watch.visit(turns, "a.example") for _ in range(4)))
    assert min(watch.gaps) >= 0.049


async def test_the_longer_pause_counts_when_the_host_asks_for_one() -> None:
    turns, watch = Turns(5, 0.01), Watch()
    await asyncio.gather(*(watch.visit(turns, "a.example", pause=0.06) for _ in range(3)))
    assert min(watch.gaps) >= 0.059


async def test_who_gives_up_waiting_leaves_the_turn_to_the_next() -> None:
    turns, watch = Turns(1, 0.0), Watch()
    first = asyncio.create_task(watch.visit(turns, "a.example", seconds=0.05))
    await asyncio.sleep(0)
    second = asyncio.create_task(watch.visit(turns, "a.example"))
    third = asyncio.create_task(watch.visit(turns, "a.example"))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.gather(first, third)
    assert (second.cancelled() or second.cancelling() > 0, len(watch.begun)) == (True, 2)
