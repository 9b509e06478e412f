"""Blocking calls go on off the event loop, and one that hangs holds nobody up."""

import asyncio
import threading
import time

import pytest

from spyglass.thread import in_daemon


async def test_what_the_call_returns_or_raises_comes_back() -> None:
    assert await in_daemon(lambda: threading.current_thread().name, "asked") == "asked"
    with pytest.raises(ZeroDivisionError):
        await in_daemon(lambda: 1 // 0, "asked")


def test_a_call_that_hangs_is_waited_for_neither_by_the_caller_nor_by_the_loop() -> None:
    go_on, ended = threading.Event(), threading.Event()

    def hang() -> None:
        go_on.wait(10)
        ended.set()

    async def bounded() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await in_daemon(hang, "hanging")

    began = time.monotonic()
    asyncio.run(bounded())
    assert time.monotonic() - began < 5
    go_on.set()
    assert ended.wait(5)
