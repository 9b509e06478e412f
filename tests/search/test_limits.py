"""An engine is asked by so many at once, with a pause before the next call, and so often a minute."""

import asyncio
from time import monotonic

import pytest

from spyglass.search.limits import Limits


async def test_no_more_calls_at_once_than_there_are_places() -> None:
    limits, now, most = Limits(3, 0.0), 0, 0

    async def call() -> None:
        nonlocal now, most
        async with limits.place():
            now += 1
            most = max(most, now)
            await asyncio.sleep(0.01)
            now -= 1

    await asyncio.gather(*(call() for _ in range(10)))
    assert most == 3


async def test_the_pause_delays_the_next_call_and_never_the_answer() -> None:
    limits, began = Limits(1, 0.3), monotonic()
    async with limits.place():
        pass
    answered = monotonic() - began
    async with limits.place():
        waited = monotonic() - began
    assert answered < 0.15
    assert waited >= 0.28


async def test_so_many_requests_a_minute_and_then_a_wait() -> None:
    limits = Limits(10, 0.0, per_minute=120)

    async def call() -> None:
        async with limits.place():
            pass

    began = monotonic()
    await asyncio.gather(*(call() for _ in range(120)))
    at_once = monotonic() - began
    await call()
    assert at_once < 0.4
    assert monotonic() - began >= 0.45


async def test_whoever_is_cancelled_while_waiting_takes_no_place() -> None:
    limits = Limits(1, 0.0)
    async with limits.place():
        waiting = asyncio.create_task(_held(limits))
        await asyncio.sleep(0.01)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    await asyncio.wait_for(_held(limits), 1)


async def _held(limits: Limits) -> None:
    async with limits.place():
        await asyncio.sleep(0)
