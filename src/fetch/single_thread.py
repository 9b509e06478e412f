"""One thread for libraries that corrupt memory when several threads call them."""

import asyncio
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

Result = TypeVar("Result")


class SingleThread:
    """Makes calls one after another in a thread of its own, which is started at first need and dies with the process.

    A caller who is cancelled goes at once; a call that has begun goes on and ends for nobody, one that waits is
    not made. A call that never ends blocks the lane for ever, so calls must be bounded.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._calls: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = queue.SimpleQueue()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    async def run(self, call: Callable[[], Result]) -> Result:
        """Return what the call returns, or raise what it raises."""
        self._start()
        result: Future[Result] = Future()
        self._calls.put((result, call))
        return await asyncio.wrap_future(result)

    def _start(self) -> None:
        with self._starting:
            if self._thread is None or not self._thread.is_alive():  # a child of ours has none of our threads
                self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                self._thread.start()

    def _work(self) -> None:
        while True:
            result, call = self._calls.get()
            if result.set_running_or_notify_cancel():
                try:
                    result.set_result(call())
                except BaseException as error:  # noqa: BLE001 it belongs to the caller, whatever it is
                    result.set_exception(error)
            del result, call  # while waiting, nothing of the last call is kept
