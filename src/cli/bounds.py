"""Memory and time limits for commands that read files of unknown origin; exceeding one is an error."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ..kernel import host
from ..kernel.errors import RunError

MEGABYTES: Final = 2_000
SECONDS: Final = 300.0
"""Memory in bytes and processor seconds of such a command; our largest reports take a tenth of either."""


@contextmanager
def bounded(name: str | Path) -> Iterator[None]:
    """Raise RunError if processing the content of a file or a run takes too much memory or time.

    This is the last resort: each reader has its own, much lower limits.
    """
    try:
        with host.within(MEGABYTES, SECONDS):
            yield
    except MemoryError as error:
        raise RunError(f"Processing the content takes more than {MEGABYTES:,} MB of memory", where=str(name)) from error
    except host.OutOfTime as error:
        raise RunError(
            f"Processing the content takes more than {SECONDS:g} s of processor time", where=str(name)
        ) from error
