"""Blocking calls off the event loop, and coroutines for who has none."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
Value = TypeVar("Value")


_UNWANTED: ContextVar[threading.Event | None] = ContextVar("unwanted", default=None)


class UnwantedError(Exception):
    """Nobody waits any more for what a thread is at."""


def require_wanted() -> None:
    """Raise UnwantedError in a call of `in_thread` whose caller was cancelled; long work asks it at each step."""
    unwanted = _UNWANTED.get()
    if unwanted is not None and unwanted.is_set():
        raise UnwantedError


async def in_thread(call: Callable[P, Value], /, *args: P.args, **kwargs: P.kwargs) -> Value:
    """Return what a blocking call returns, made in a thread.

    Whoever is cancelled waits for the call to end: it must be short, or ask `require_wanted` now and then.
    """
    unwanted = threading.Event()

    def work() -> Value:
        _UNWANTED.set(unwanted)
        return call(*args, **kwargs)

    working = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        unwanted.set()
        while not working.done():
            with suppress(asyncio.CancelledError):  # cancelled once more: the call is at what is closed next
                await asyncio.wait([working])
        if not working.cancelled():
            working.exception()  # marks it as looked at: the cancellation is what counts
        raise


async def in_daemon(call: Callable[[], Value], name: str) -> Value:
    """Return what a blocking call returns, made in a thread of its own that nothing waits for.

    Cancel it to bound it: the call goes on unheard, and does not hold up the end of the process.
    """
    answer: Future[Value] = Future()
    answer.set_running_or_notify_cancel()  # from here on it cannot be cancelled under the hands of the thread

    def work() -> None:
        try:
            answer.set_result(call())
        except Exception as error:  # noqa: BLE001 carried over to the one who waits
            answer.set_exception(error)

    threading.Thread(target=work, name=name, daemon=True).start()
    return await asyncio.wrap_future(answer)


def in_own_loop(work: Callable[[], Coroutine[Any, Any, Value]]) -> Value:
    """Return what a coroutine returns, run in a thread with an event loop of its own. Blocks its caller only.

    So it works where a loop is running already, as in a notebook.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(work())).result()
