"""Runs calls concurrently, without waiting for calls that keep failing once another has a good result."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from ..kernel.cleanup import cancel_and_wait
from ..model.asking import Trying

Result = TypeVar("Result")


async def side_by_side(
    asking: Sequence[Callable[[Trying], Coroutine[Any, Any, Result]]], good: Callable[[Result], bool]
) -> dict[int, Result]:
    """Make all calls concurrently, and return their results by index.

    Once there is a `good` result, and every unfinished call has failed repeatedly and is waiting for another attempt
    (`Trying.in_vain`), these are cancelled and missing from the results. No task is left running.
    """
    news = asyncio.Event()
    trying = [Trying(news.set) for _ in asking]
    tasks = [asyncio.create_task(ask(one)) for ask, one in zip(asking, trying, strict=True)]
    for task in tasks:
        task.add_done_callback(lambda _: news.set())
    try:
        while not all(task.done() for task in tasks):
            left = [one for task, one in zip(tasks, trying, strict=True) if not task.done()]
            if all(one.in_vain for one in left) and any(task.done() and good(task.result()) for task in tasks):
                break
            news.clear()
            await news.wait()
    finally:
        await cancel_and_wait(*tasks)
    return {number: task.result() for number, task in enumerate(tasks) if not task.cancelled()}
