"""The worker process: it converts the bytes of a file to text, without network, child processes or writing to disk.

Started as `python -m spyglass.documents.worker_process MEGABYTES SECONDS PATIENCE`: the memory, the processor time and
the wall time that a file may take. It reads frames from standard input and exits when that closes, for instance because
its parent has died.
"""

import faulthandler
import os
import queue
import sys
import threading
from dataclasses import asdict
from pathlib import PurePath
from typing import Any, BinaryIO, Final

from ..kernel import host
from ..kernel.errors import ConversionError, DocumentError
from ..kernel.notice import Notice
from . import frames, pdf, reader

GRACE: Final = 5.0
"""Seconds after the end of the wall time at which the worker exits by itself, if its parent has not killed it."""

_FORBIDDEN: Final = (
    *("socket.", "subprocess.", "pty.", "shutil."),
    *("os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.startfile"),
    *("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod"),
)
"""Prefixes of the names of forbidden audit events; see https://docs.python.org/3/library/audit_events.html."""


def main() -> None:
    """Answer frames until standard input closes."""
    megabytes, deadline, patience = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    sys.stdout = sys.stderr  # output of libraries must not get between the frames
    host.limit_memory(megabytes)
    confine()
    requests: queue.SimpleQueue[frames.Frame] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, requests), daemon=True).start()
    while True:
        header, data = requests.get()
        reader.load(header["kind"])
        frames.write(answers, {"ready": True})
        faulthandler.dump_traceback_later(patience + GRACE, exit=True)
        host.limit_time(deadline)
        header, data = _answer(
            header, data, megabytes, lambda done, total: frames.write(answers, {"at": [done, total]})
        )
        host.limit_time(0)
        faulthandler.cancel_dump_traceback_later()
        frames.write(answers, header, data)


def _listen(stream: BinaryIO, requests: "queue.SimpleQueue[frames.Frame]") -> None:
    """Put requests into the queue; end the process when standard input closes."""
    try:
        while True:
            requests.put(frames.read(stream))
    except (EOFError, OSError):
        os._exit(0)


def confine() -> None:
    """Permanently forbid this process actions that reading a document never needs.

    Afterwards, using the network, starting processes and writing to disk raise PermissionError.
    """
    sys.addaudithook(_refuse)


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        mode, flags = arguments[1], arguments[2]
        changes = set(mode) & set("wax+") if isinstance(mode, str) else flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if not changes:
            return
    elif not event.startswith(_FORBIDDEN):
        return
    raise PermissionError(f"a document attempted a forbidden operation: {event}")


def _answer(header: dict[str, Any], data: bytes, megabytes: int, tell: pdf.Tell) -> frames.Frame:
    try:
        if header.get("count"):
            return {"count": pdf.count(data)}, b""
        document = reader.read(header["kind"], PurePath(header["name"]), data, tell)
    except DocumentError as error:
        return {"error": error.to_record()}, b""
    except MemoryError:
        failure = ConversionError(
            Notice("conversion_too_large", megabytes=megabytes),
            remedy=Notice("split_it_or_raise", setting="documents.memory_megabytes"),
        )
        return {"error": failure.to_record()}, b""
    fields = asdict(document)
    return fields, fields.pop("text").encode()


if __name__ == "__main__":
    main()
