"""What a piece of work leaves behind: tasks, threads at work, connections, processes."""

import asyncio
import os
import signal
import sys
import threading
import time
from types import FrameType

from fetch.processes import alive, beneath

IDLE = {("thread.py", "_worker"), ("thread.py", "_work")}
"""Where threads wait for work: those of a pool, and the one that lasts as long as the process."""


class Leftovers:
    """What there is now beside what there was when this was made; the running task does not count."""

    def __init__(self) -> None:
        self._processes = set(beneath())
        self._threads = set(threading.enumerate())

    async def found(self) -> list[str]:
        """Return what is still there after a minute; where nothing is left, that is known at once."""
        until = time.monotonic() + 60
        while (left := self._now()) and time.monotonic() < until:  # noqa: ASYNC110 processes tell nobody
            await asyncio.sleep(0.02)
        return left

    def _now(self) -> list[str]:
        tasks = [str(task.get_coro()) for task in asyncio.all_tasks() - {asyncio.current_task()} if not _serves(task)]
        processes = {process: line for process, line in beneath().items() if process not in self._processes}
        return [*tasks, *self._busy(), *alive(processes)]

    def _busy(self) -> list[str]:
        frames = sys._current_frames()
        new = [thread for thread in threading.enumerate() if thread not in self._threads and thread.ident in frames]
        return [f"{one.name}: {_place(frames[one.ident])}" for one in new if one.ident and not _idle(frames[one.ident])]


def _serves(task: "asyncio.Task[object]") -> bool:
    """Say whether a task is one of the tests' own servers, which may take its time over a visitor who has gone."""
    return "RequestHandler." in str(task.get_coro())


def _idle(frame: FrameType) -> bool:
    return (frame.f_code.co_filename.rpartition("/")[2], frame.f_code.co_name) in IDLE


def _place(frame: FrameType) -> str:
    return f"{frame.f_code.co_filename}:{frame.f_lineno} {frame.f_code.co_name}"


def converting() -> bool:
    """Say whether a document is being converted beneath this process, and halt that: it does not end by itself now."""
    children = [process for process, line in beneath().items() if "documents.worker_process" in line]
    for process in children:
        os.kill(process, signal.SIGSTOP)
    return bool(children)
