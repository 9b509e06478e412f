"""An engine is asked by so many at once, with a pause before the next call, and so often a minute."""

import asyncio

import pytest

from loopback.clock import in_no_time
from spyglass.search.limits import Limits


async def call(limits: Limits) -> float:
    """Hold a place for a hundredth of a second, and return when it came."""
    async with limits.slot():
        came = asyncio.get_running_loop().time()
        await asyncio.sleep(0.01)
    return came


@in_no_time
async def test_no_more_calls_at_once_than_there_are_slots() -> None:
    limits = Limits(3, 0.0)
    came = await asyncio.gather(*(call(limits) for _ in range(7)))
    assert came == pytest.approx([0, 0, 0, 0.01, 0.01, 0.01, 0.02])


@in_no_time
async def test_the_pause_delays_the_next_call_and_never_the_answer() -> None:
    limits = Limits(1, 0.3)
    await call(limits)
    assert asyncio.get_running_loop().time() == pytest.approx(0.01)
    assert await call(limits) == pytest.approx(0.31)


@in_no_time
async def test_so_many_requests_a_minute_and_then_a_wait() -> None:
    limits = Limits(120, 0.0, per_minute=120)
    assert await asyncio.gather(*(call(limits) for _ in range(120))) == pytest.approx([0] * 120)
    assert await call(limits) == pytest.approx(0.5, rel=0.1)


@in_no_time
async def test_whoever_is_cancelled_while_waiting_takes_no_place() -> None:
    limits = Limits(1, 0.0)
    async with limits.slot():
        waiting = asyncio.create_task(call(limits))
        await asyncio.sleep(0.01)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    assert await call(limits) == pytest.approx(0.01)
