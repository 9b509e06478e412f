"""Work that cancellation does not stop, and undoing where a block fails."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

Value = TypeVar("Value")


async def to_the_end(work: Awaitable[Value], left: Callable[[], object] = lambda: None) -> Value:
    """Await work to its end; a cancellation is raised after it, and `left` is called at once."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
            left()
    if cancelled is None:
        return task.result()
    look_at(task)  # the cancellation is what counts
    raise cancelled


def look_at(task: asyncio.Future[Any]) -> None:
    """Retrieve the exception of a task that nobody waits for, or asyncio logs that nobody did."""
    if not task.cancelled():
        task.exception()


@contextmanager
def undoing(undo: Callable[[], object]) -> Iterator[None]:
    """Call `undo` when the block raises, CancelledError included."""
    with ExitStack() as otherwise:
        otherwise.callback(undo)
        yield
        otherwise.pop_all()


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Keep other processes from writing to the database in the block, whose changes are undone when it raises."""
    with db:
        db.execute("BEGIN IMMEDIATE")
        yield
