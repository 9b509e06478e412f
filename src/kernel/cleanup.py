"""Background tasks, work that cancellation does not interrupt, rollback of failed blocks, and SQLite transactions."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

Value = TypeVar("Value")


async def shielded(work: Awaitable[Value], on_cancel: Callable[[], object] = lambda: None) -> Value:
    """Await work to its end, even if the caller is cancelled; raise the CancelledError afterwards.

    A cancellation calls `on_cancel` at once.
    """
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
            on_cancel()
    if cancelled is None:
        return task.result()
    consume_exception(task)  # the cancellation takes precedence
    raise cancelled


def run_in_background(tasks: set[asyncio.Task[Any]], work: Coroutine[Any, Any, Any]) -> None:
    """Start work as a task that is in `tasks` until it ends; asyncio itself does not keep it from being deleted."""
    task = asyncio.create_task(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)


async def cancel_and_wait(*tasks: asyncio.Future[Any]) -> None:
    """Cancel tasks and wait until they have ended; their results and exceptions are dropped."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def consume_exception(task: asyncio.Future[Any]) -> None:
    """Retrieve the exception of a task that nobody awaits, so that asyncio does not log it as never retrieved."""
    if not task.cancelled():
        task.exception()


@contextmanager
def rollback_on_error(undo: Callable[[], object]) -> Iterator[None]:
    """Call `undo` when the block raises, CancelledError included."""
    with ExitStack() as stack:
        stack.callback(undo)
        yield
        stack.pop_all()


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Run the block in a transaction that locks out other writers and is rolled back when the block raises."""
    with db:
        db.execute("BEGIN IMMEDIATE")
        yield
