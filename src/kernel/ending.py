"""What ends as it must: work that no cancellation stops, and what is taken back where the rest fails."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TypeVar

Value = TypeVar("Value")


async def to_the_end(work: Awaitable[Value], left: Callable[[], object] = lambda: None) -> Value:
    """Return what work gives that a cancellation may put off but not stop; `left` tells that its caller is gone."""
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
    if not task.cancelled():
        task.exception()  # marks it as looked at: the cancellation is what counts
    raise cancelled


@contextmanager
def undoing(undo: Callable[[], object]) -> Iterator[None]:
    """Call `undo` where the block does not end well, be it cancelled."""
    with ExitStack() as otherwise:
        otherwise.callback(undo)
        yield
        otherwise.pop_all()
