"""Opens a file of the user's safely: never another file that has replaced it."""

import errno
import os
import stat
from contextlib import ExitStack
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Final, TypeAlias

from ..kernel.errors import UnreadableError
from ..kernel.notice import Notice

Identity: TypeAlias = tuple[int, int]  # a file's device and inode number, which identify it whatever its name
_NO_LINKS: Final = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
"""Whether this system can open a name relative to an open folder, and refuse links."""

_READ: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Beneath:
    """Where a file must be: beneath the folder `root`, a path without links; and its identity, if known."""

    root: Path
    identity: Identity | None = None


def opened(path: Path, beneath: Beneath | None = None) -> BufferedReader:
    """Open a regular file, and nothing else: a pipe would wait for its writer, a device may do anything.

    A file that must be beneath a folder is opened from there, part by part, without following links: so the file that
    was checked is the file that is opened, even if names change meanwhile. Raises UnreadableError and OSError.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise UnreadableError(Notice("file_irregular"))
    descriptor = os.open(path, _READ) if beneath is None else _descended(_real(path, beneath.root), beneath.root)
    file = os.fdopen(descriptor, "rb")
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) and (not beneath or beneath.identity in (None, (status.st_dev, status.st_ino))):
        return file
    file.close()
    raise _replaced()


def is_loop(error: Exception) -> bool:
    """Whether resolving a path failed because its links form a circle."""
    return isinstance(error, RuntimeError) or getattr(error, "errno", None) == errno.ELOOP  # the former before 3.13


def _real(path: Path, root: Path) -> Path:
    """Return a path with its links resolved. Raises UnreadableError if it is outside the folder."""
    real = path.resolve(strict=True)
    if not real.is_relative_to(root):
        raise _replaced()
    return real


def _descended(real: Path, root: Path) -> int:
    """Open a file by a path without links from the folder. Raises UnreadableError if there is a link by now."""
    if not _NO_LINKS:
        return os.open(real, _READ)
    *folders, name = real.relative_to(root).parts
    with ExitStack() as folders_open:
        parent = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        folders_open.callback(os.close, parent)
        try:
            for folder in folders:
                parent = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
                folders_open.callback(os.close, parent)
            return os.open(name, _READ | os.O_NOFOLLOW, dir_fd=parent)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise _replaced() from error
            raise


def _replaced() -> UnreadableError:
    return UnreadableError(Notice("file_replaced"), remedy=Notice("try_again"))
