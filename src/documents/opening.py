"""Safe opening of the user's files: a file that has replaced the checked one is refused."""

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

Identity: TypeAlias = tuple[int, int]  # a file's device and inode number, which do not depend on its name
_NO_LINKS: Final = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
"""Whether this system can open a name relative to an open folder, and refuse links."""

_READ: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Beneath:
    """The folder that must contain a file (`root`, a path without symbolic links), and the file's identity if known."""

    root: Path
    identity: Identity | None = None


def opened(path: Path, beneath: Beneath | None = None) -> BufferedReader:
    """Open a regular file; refuse others, since opening a pipe blocks and a device may have any side effect.

    A file that must be beneath a folder is opened from that folder, one path component at a time, without following
    symbolic links. Thus the opened file is the checked one, even if names change meanwhile. Raises UnreadableError and
    OSError.
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
    """Return whether resolving a path failed because its symbolic links form a cycle."""
    return isinstance(error, RuntimeError) or getattr(error, "errno", None) == errno.ELOOP  # the former before 3.13


def _real(path: Path, root: Path) -> Path:
    """Return a path with its links resolved. Raises UnreadableError if it is outside the folder."""
    real = path.resolve(strict=True)
    if not real.is_relative_to(root):
        raise _replaced()
    return real


def _descended(real: Path, root: Path) -> int:
    """Return a descriptor of the file `real` in `root`. Raises UnreadableError if a part of the path is now a link."""
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
