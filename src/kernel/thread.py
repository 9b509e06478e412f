"""Blocking calls in threads, and coroutines in a separate event loop."""

import asyncio
import queue
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

from .cleanup import shielded

P = ParamSpec("P")
Value = TypeVar("Value")


_UNWANTED: ContextVar[threading.Event | None] = ContextVar("unwanted", default=None)


class UnwantedError(Exception):
    """The caller of work in a thread was cancelled."""


def require_wanted() -> None:
    """Raise UnwantedError within `in_thread` if the caller was cancelled; long work calls it at each step."""
    unwanted = _UNWANTED.get()
    if unwanted is not None and unwanted.is_set():
        raise UnwantedError


async def in_thread(call: Callable[P, Value], /, *args: P.args, **kwargs: P.kwargs) -> Value:
    """Make a blocking call in a thread and return its result.

    A cancelled caller waits for the call to end: the call must be short, or call `require_wanted` now and then.
    """
    unwanted = threading.Event()

    def work() -> Value:
        _UNWANTED.set(unwanted)
        return call(*args, **kwargs)

    return await shielded(asyncio.to_thread(work), unwanted.set)


async def in_daemon(call: Callable[[], Value], name: str) -> Value:
    """Make a blocking call in a new daemon thread and return its result.

    If the caller is cancelled, the call goes on, its result is dropped, and it does not delay the end of the process.
    """
    answer: Future[Value] = Future()
    answer.set_running_or_notify_cancel()  # so that it cannot be cancelled while the thread works

    threading.Thread(target=_answer, args=(answer, call), name=name, daemon=True).start()
    return await asyncio.wrap_future(answer)


class SingleThread:
    """Makes calls one after another in its own daemon thread, started at first use.

    For libraries that corrupt memory when several threads call them. A cancelled caller returns at once; its call is
    skipped if it has not begun, else its result is dropped. Calls must be bounded: a hanging call blocks all others.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._calls: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = queue.SimpleQueue()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    async def run(self, call: Callable[[], Value]) -> Value:
        """Return what the call returns, or raise what it raises."""
        with self._starting:
            if self._thread is None or not self._thread.is_alive():  # a forked child has none of our threads
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
            del result, call  # keep no reference to the last call while waiting


def _answer(result: Future[Value], call: Callable[[], Value]) -> None:
    try:
        result.set_result(call())
    except BaseException as error:  # noqa: BLE001 it is raised in the caller
        result.set_exception(error)


def in_own_loop(work: Callable[[], Coroutine[Any, Any, Value]]) -> Value:
    """Run a coroutine in another thread and return its result, even inside a running event loop. Blocks."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(work())).result()
