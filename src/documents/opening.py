"""Opens a file of the user's, and no other that has taken its place."""

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

Identity: TypeAlias = tuple[int, int]  # device and number of a file's inode: what it is, whatever it is called
_NO_LINKS: Final = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
"""Whether this system opens a name in an open folder, and refuses one that is a link."""

_READ: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Beneath:
    """Where a file must lie: beneath the folder `root`, a path without links; and which it must be, where known."""

    root: Path
    identity: Identity | None = None


def opened(path: Path, beneath: Beneath | None = None) -> BufferedReader:
    """Open a regular file, and nothing else: a pipe would wait for its writer, a device may do anything.

    A file that must lie beneath a folder is opened from there, part by part, through no link: what its name leads to
    now is what was looked at, and stays so however names change meanwhile. Raises UnreadableError and OSError.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise UnreadableError(Notice("file_irregular"))
    descriptor = os.open(path, _READ) if beneath is None else _descended(_real(path, beneath.root), beneath.root)
    file = os.fdopen(descriptor, "rb")
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and (not beneath or beneath.identity in (None, (found.st_dev, found.st_ino))):
        return file
    file.close()
    raise _other()


def is_loop(error: Exception) -> bool:
    """Say whether resolving a path failed since links in it lead in a circle."""
    return isinstance(error, RuntimeError) or getattr(error, "errno", None) == errno.ELOOP  # the first before 3.13


def _real(path: Path, root: Path) -> Path:
    """Return the file that a path leads to now. Raises UnreadableError when it lies outside the folder."""
    real = path.resolve(strict=True)
    if not real.is_relative_to(root):
        raise _other()
    return real


def _descended(real: Path, root: Path) -> int:
    """Open a file without links on the way from the folder to it. Raises UnreadableError when there is one by now."""
    if not _NO_LINKS:
        return os.open(real, _READ)
    *folders, name = real.relative_to(root).parts
    with ExitStack() as folders_open:
        at = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        folders_open.callback(os.close, at)
        try:
            for folder in folders:
                at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
                folders_open.callback(os.close, at)
            return os.open(name, _READ | os.O_NOFOLLOW, dir_fd=at)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise _other() from error
            raise


def _other() -> UnreadableError:
    return UnreadableError(Notice("file_replaced"), remedy=Notice("try_again"))
