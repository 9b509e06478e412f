"""A lane makes its calls in one thread, one after another, for whoever still waits."""

import asyncio
import threading

import pytest

from spyglass.fetch.single_thread import SingleThread


async def test_all_calls_are_made_in_one_thread_that_is_not_the_loops() -> None:
    lane = SingleThread("test")
    threads = await asyncio.gather(*(lane.run(threading.get_ident) for _ in range(20)))
    assert len(set(threads)) == 1
    assert threads[0] != threading.get_ident()


async def test_what_a_call_raises_its_caller_gets_and_the_next_call_is_made() -> None:
    lane = SingleThread("test")
    with pytest.raises(ZeroDivisionError):
        await lane.run(lambda: 1 // 0)
    assert await lane.run(lambda: "next") == "next"


async def test_who_is_cancelled_goes_at_once_and_a_call_that_has_not_begun_is_not_made() -> None:
    lane, begun, release = SingleThread("test"), threading.Event(), threading.Event()
    made: list[str] = []

    def hold() -> None:
        begun.set()
        release.wait(120)

    first = asyncio.create_task(lane.run(hold))
    second = asyncio.create_task(lane.run(lambda: made.append("second")))
    third = asyncio.create_task(lane.run(lambda: made.append("third")))
    await asyncio.to_thread(begun.wait)
    first.cancel()
    second.cancel()
    async with asyncio.timeout(60):
        await asyncio.wait([first, second])
    assert first.cancelled()
    assert second.cancelled()
    release.set()
    await third
    assert made == ["third"]


def test_event_loops_of_several_threads_share_it() -> None:
    lane = SingleThread("test")
    seen: list[int] = []

    def work() -> None:
        seen.append(asyncio.run(lane.run(threading.get_ident)))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(seen) == 4
    assert len(set(seen)) == 1
