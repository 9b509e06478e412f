"""Blocking calls off the event loop, and coroutines for who has none."""

import asyncio
import queue
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

from .ending import to_the_end

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

    return await to_the_end(asyncio.to_thread(work), unwanted.set)


async def in_daemon(call: Callable[[], Value], name: str) -> Value:
    """Return what a blocking call returns, made in a thread of its own that nothing waits for.

    Cancel it to bound it: the call goes on unheard, and does not hold up the end of the process.
    """
    answer: Future[Value] = Future()
    answer.set_running_or_notify_cancel()  # from here on it cannot be cancelled under the hands of the thread

    threading.Thread(target=_answer, args=(answer, call), name=name, daemon=True).start()
    return await asyncio.wrap_future(answer)


class SingleThread:
    """Makes calls one after another in a thread of its own, which is started at first need and dies with the process.

    For libraries that corrupt memory when several threads call them. A caller who is cancelled goes at once; a call
    that has begun goes on and ends for nobody, one that waits is not made. A call that never ends blocks all others for
    ever, so calls must be bounded.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._calls: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = queue.SimpleQueue()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    async def run(self, call: Callable[[], Value]) -> Value:
        """Return what the call returns, or raise what it raises."""
        with self._starting:
            if self._thread is None or not self._thread.is_alive():  # a child of ours has none of our threads
                self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                self._thread.start()
        result: Future[Value] = Future()
        self._calls.put((result, call))
        return await asyncio.wrap_future(result)

    def _work(self) -> None:
        while True:
            result, call = self._calls.get()
            if result.set_running_or_notify_cancel():
                _answer(result, call)
            del result, call  # while waiting, nothing of the last call is kept


def _answer(asked: Future[Value], call: Callable[[], Value]) -> None:
    """Make a call for whoever waits, who is raised whatever it raises."""
    try:
        asked.set_result(call())
    except BaseException as error:  # noqa: BLE001 nothing is handled here: it goes on in the thread of who asked
        asked.set_exception(error)


def in_own_loop(work: Callable[[], Coroutine[Any, Any, Value]]) -> Value:
    """Return what a coroutine returns, run in a thread with an event loop of its own. Blocks its caller only.

    So it works where a loop is running already, as in a notebook.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(work())).result()
