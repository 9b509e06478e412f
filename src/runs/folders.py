"""Whether the folders that are to be researched are there, told before anything is spent."""

import os
from collections.abc import Sequence
from pathlib import Path

from ..kernel.errors import FolderError


def missing(paths: Sequence[Path], where: str) -> list[Path]:
    """Return those that do not exist. Raises FolderError when none does; `where` says who named them."""
    gone = [path for path in paths if not os.path.exists(path.expanduser())]  # noqa: PTH110 Path.exists may raise
    if gone and len(gone) == len(paths):
        remedy = "Name an existing folder or file."
        raise FolderError(f"There is no {', no '.join(map(_told, gone))}", where=where, remedy=remedy)
    return gone


def _told(path: Path) -> str:
    return f"{path}, only a link that leads nowhere or in a circle" if os.path.islink(path) else str(path)  # noqa: PTH114
