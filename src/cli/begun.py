"""The run that a command begins: Ctrl-C stops it, and the last word is how to go on with it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..run import Run
from .console import tell
from .loop import OnInterrupt

UNFINISHED = ("cancelled", "failed")
"""Outcomes of a run that one can go on with."""


class Begun:
    """The run once it has begun."""

    def __init__(self) -> None:
        self._run: Run | None = None

    @property
    def run(self) -> Run:
        """The run. Only where the command has come so far."""
        assert self._run is not None
        return self._run

    @property
    def is_unfinished(self) -> bool:
        """Whether one can go on with it."""
        return self._run is not None and self._run.outcome in UNFINISHED

    def on_start(self, on_interrupt: OnInterrupt) -> Callable[[Run], None]:
        """Return what takes the run when it begins, to be stopped by the first Ctrl-C."""

        def started(run: Run) -> None:
            self._run = run
            on_interrupt(run.stop)

        return started


@contextmanager
def begun_run() -> Iterator[Begun]:
    """Have a command begin a run, and tell how to go on with one that it does not finish."""
    begun = Begun()
    try:
        yield begun
    finally:
        if begun.is_unfinished:
            tell(f"Nothing that was asked is lost. Go on with: spyglass resume {begun.run.id}")
