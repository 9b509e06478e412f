"""Blocking calls go on off the event loop, and one that hangs holds nobody up."""

import asyncio
import threading
import time

import pytest

from spyglass.kernel.thread import SingleThread, UnwantedError, in_daemon, in_thread, require_wanted


async def test_what_the_call_returns_or_raises_comes_back() -> None:
    assert await in_daemon(lambda: threading.current_thread().name, "asked") == "asked"
    with pytest.raises(ZeroDivisionError):
        await in_daemon(lambda: 1 // 0, "asked")


def test_a_call_that_hangs_is_waited_for_neither_by_the_caller_nor_by_the_loop() -> None:
    go_on, ended = threading.Event(), threading.Event()

    def hang() -> None:
        go_on.wait(60)
        ended.set()

    async def bounded() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await in_daemon(hang, "hanging")

    asyncio.run(bounded())
    assert not ended.is_set()
    go_on.set()
    assert ended.wait(60)


async def test_a_long_call_whose_caller_is_cancelled_ends_at_its_next_step() -> None:
    ended = list[type[BaseException]]()
    begun = threading.Event()

    def work() -> None:
        try:
            for _ in range(3_000):
                require_wanted()
                begun.set()
                time.sleep(0.02)
        except UnwantedError as error:
            ended.append(type(error))
            raise

    waiting = asyncio.ensure_future(in_thread(work))
    assert await asyncio.to_thread(begun.wait, 60)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert ended == [UnwantedError], "and it had ended when its caller went on"


async def test_who_is_cancelled_twice_waits_for_the_call_all_the_same() -> None:
    ended, begun, go_on = list[str](), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        go_on.wait(60)
        ended.append("the call")

    waiting = asyncio.ensure_future(in_thread(work))
    assert await asyncio.to_thread(begun.wait, 60)
    for _ in range(2):
        waiting.cancel()
        await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert ended == ["the call"]


async def test_what_is_called_in_no_thread_of_ours_is_always_wanted() -> None:
    went_on = list[str]()

    def work() -> None:
        require_wanted()
        went_on.append(threading.current_thread().name)

    work()
    await asyncio.to_thread(work)
    assert len(went_on) == 2


async def test_all_calls_are_made_in_one_thread_that_is_not_the_loops() -> None:
    thread = SingleThread("test")
    threads = await asyncio.gather(*(thread.run(threading.get_ident) for _ in range(20)))
    assert len(set(threads)) == 1
    assert threads[0] != threading.get_ident()


async def test_what_a_call_raises_its_caller_gets_and_the_next_call_is_made() -> None:
    thread = SingleThread("test")
    with pytest.raises(ZeroDivisionError):
        await thread.run(lambda: 1 // 0)
    assert await thread.run(lambda: "next") == "next"


async def test_who_is_cancelled_goes_at_once_and_a_call_that_has_not_begun_is_not_made() -> None:
    thread, begun, release = SingleThread("test"), threading.Event(), threading.Event()
    made: list[str] = []

    def hold() -> None:
        begun.set()
        release.wait(120)

    first = asyncio.create_task(thread.run(hold))
    second = asyncio.create_task(thread.run(lambda: made.append("second")))
    third = asyncio.create_task(thread.run(lambda: made.append("third")))
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
    thread = SingleThread("test")
    seen: list[int] = []

    def work() -> None:
        seen.append(asyncio.run(thread.run(threading.get_ident)))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(seen) == 4
    assert len(set(seen)) == 1
