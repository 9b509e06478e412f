"""The parent's side of a process that converts documents; the other side is `worker_process`."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter

from ..kernel import host
from ..kernel.errors import ConversionError, from_record
from ..kernel.notice import Notice
from ..kernel.thread import in_thread
from . import frames
from .document import Document
from .pdf import Tell, silent

READY_WITHIN: Final = 60.0
"""Seconds in which a worker must start, receive a file and load its libraries; also the limit for its exit."""

PATIENCE: Final = 10.0
"""Limit of a conversion's wall time, as a multiple of its deadline in processor time; a busy machine needs more."""

RECYCLE: Final = 200  # files after which a worker is replaced, to free memory that its libraries have kept
Process = subprocess.Popen[bytes]
_DOCUMENT: Final = TypeAdapter(Document)
Value = TypeVar("Value")


class Worker:
    """A converter of one file at a time, in a separate process that is started on first use.

    The process is ended if a conversion hangs, crashes, is cancelled or runs out of memory; the next conversion starts
    a new one. It exits by itself if its parent dies. `deadline` is in seconds of processor time, so that no file is
    lost on a busy machine; the memory limit is in megabytes (10^6 bytes).
    """

    def __init__(self, memory_megabytes: int, deadline: float, ready_within: float = READY_WITHIN) -> None:
        self._deadline, self._patience, self._ready_within = deadline, PATIENCE * deadline, ready_within
        self._limits = (str(memory_megabytes), str(deadline), str(self._patience))
        self._process: Process | None = None
        self._served = 0

    async def convert(self, kind: str, name: str, data: bytes, tell: Tell = silent) -> Document:
        """Return the text of a file of this kind and name; call `tell` with the progress. Raises DocumentError."""
        answer, text = await self._request({"kind": kind, "name": name}, data, tell)
        return _DOCUMENT.validate_python({**answer, "text": text.decode()})

    async def count(self, data: bytes) -> int:
        """Return the number of pages of a PDF. Raises DocumentError."""
        answer, _ = await self._request({"kind": "pdf", "count": True}, data, silent)
        return int(answer["count"])

    async def _request(self, header: dict[str, Any], data: bytes, tell: Tell) -> frames.Frame:
        """Send a request and return the answer. Raises DocumentError; ends the process if it is no longer usable."""
        if self._served >= RECYCLE:
            await self.close()
        usable = False
        try:
            answer, text = await self._exchange(header, data, tell)
            usable = "error" not in answer or answer["error"]["type"] != ConversionError.__name__
        finally:
            if not usable:
                await self.close()
        if "error" in answer:
            raise from_record(answer["error"])
        return answer, text

    async def close(self) -> None:
        """End the process, whatever it is doing."""
        process, self._process, self._served = self._process, None, 0
        if process is not None:
            process.kill()
            await asyncio.shield(asyncio.to_thread(_bury, process))

    async def _exchange(self, header: dict[str, Any], data: bytes, tell: Tell) -> frames.Frame:
        process = self._process
        if process is None:
            process = await in_thread(self._start)
        self._served += 1
        try:
            await _within(self._ready_within, _unready(self._ready_within), _hand_over, process, header, data)
            loop = asyncio.get_running_loop()
            report = partial(loop.call_soon_threadsafe, tell)  # type: ignore[arg-type]
            return await _within(self._patience, _late(self._patience), _take, process, report)
        except (OSError, EOFError) as error:
            code = await asyncio.to_thread(process.wait, READY_WITHIN)
            if host.is_out_of_time(code):
                raise _late(self._deadline) from error
            crashed = Notice("conversion_crashed", end=_end(code))
            raise ConversionError(crashed, remedy=Notice("try_again_or_as_text")) from error

    def _start(self) -> Process:
        """Start the process, and store it at once, so that `close` can end it if the caller is cancelled."""
        process = self._process = subprocess.Popen(  # noqa: S603 (this interpreter, a module of this package)
            [sys.executable, "-P", "-m", f"{__package__}.worker_process", *self._limits],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            **host.worker_options(),
        )
        return process


async def _within(seconds: float, late: ConversionError, call: Callable[..., Value], *arguments: Any) -> Value:
    """Call a function in a thread and wait at most `seconds`, else raise `late`; ending the process ends the thread."""
    try:
        async with asyncio.timeout(seconds):
            return await asyncio.to_thread(call, *arguments)
    except TimeoutError as error:
        raise late from error


def _late(seconds: float) -> ConversionError:
    remedy = Notice("split_it_or_raise", setting="documents.deadline")
    return ConversionError(Notice("conversion_late", seconds=seconds), remedy=remedy)


def _unready(seconds: float) -> ConversionError:
    return ConversionError(Notice("converter_unready", seconds=seconds), remedy=Notice("give_it_room"))


def _hand_over(process: Process, header: dict[str, Any], data: bytes) -> None:
    """Send a request to the process and block until the process starts on it."""
    assert process.stdin is not None
    assert process.stdout is not None
    frames.write(process.stdin, header, data)
    frames.read(process.stdout)


def _take(process: Process, tell: Callable[[int, int], object]) -> frames.Frame:
    """Block until the process answers, and return the answer; call `tell` with each progress message before it."""
    assert process.stdout is not None
    while "at" in (frame := frames.read(process.stdout))[0]:
        tell(*frame[0]["at"])
    return frame


def _bury(process: Process) -> None:
    """Wait for a process that was killed, and close its pipes."""
    process.wait()
    with suppress(OSError):  # raised for data that was still to be written
        process.communicate()


def _end(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"
