"""Blocking calls, off the event loop."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
Value = TypeVar("Value")


async def in_thread(call: Callable[P, Value], /, *args: P.args, **kwargs: P.kwargs) -> Value:
    """Return what a blocking call returns, made in a thread.

    Whoever is cancelled here waits for the call to end before the cancellation goes on: nothing works on behind the
    back of what is closed next. So the call must be short, or be told to end.
    """
    working = asyncio.ensure_future(asyncio.to_thread(call, *args, **kwargs))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.wait([working])
        if not working.cancelled():
            working.exception()  # marks it as looked at: the cancellation is what counts
        raise
