"""Bounds for commands that read files of unknown origin: they end in an error, whatever the content."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ..kernel import host
from ..kernel.errors import RunError

MEGABYTES: Final = 2_000
SECONDS: Final = 300.0
"""Memory and processor time of such a command; the largest reports of ours take a tenth of either."""


@contextmanager
def bounded(name: str | Path) -> Iterator[None]:
    """Raise RunError where reading and computing what a file or a run holds takes too much memory or time.

    The bounds of what is read, each where it is read, come long before this one.
    """
    try:
        with host.within(MEGABYTES, SECONDS):
            yield
    except MemoryError as error:
        raise RunError(f"What it holds takes more than {MEGABYTES:,} MB of memory", where=str(name)) from error
    except host.OutOfTime as error:
        raise RunError(f"What it holds takes more than {SECONDS:g} s of computing", where=str(name)) from error
