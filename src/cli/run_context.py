"""The run that a command begins: Ctrl-C stops it, and the last word is how to go on with it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..kernel.run import Run
from ..kernel.settings import Settings
from .console import tell
from .loop import OnInterrupt, run_until_done
from .progress import TerminalProgress

UNFINISHED = ("cancelled", "failed")  # outcomes of a run that one can go on with


class RunContext:
    """The run once it has begun."""

    def __init__(self) -> None:
        self._run: Run | None = None

    @property
    def run(self) -> Run:
        """The run. Only where the command has come so far."""
        assert self._run is not None
        return self._run

    @property
    def how_on(self) -> str:
        """How to go on with the run; nothing where there is no use in that."""
        run = self._run
        if run is not None and run.outcome in UNFINISHED:
            return f"Nothing that was asked is lost. Go on with: spyglass resume {run.id}"
        if run is not None and run.outcome == "partial" and run.may_come:
            return f"What gave no answer may do so later. Ask it again: spyglass resume {run.id}"
        return ""

    def call(self, tool: Any, arguments: dict[str, Any], settings: Settings, quiet: bool, resume: Path | None) -> Any:
        """Return what a tool answers, telling how it goes on, or with `resume` what that run comes to."""

        async def work(on_interrupt: OnInterrupt) -> Any:
            given = {"on_event": progress, "on_start": self.on_start(on_interrupt), "resume": resume}
            return await tool.call(arguments, settings=settings, **given)

        with TerminalProgress(quiet=quiet) as progress:
            return run_until_done(work, settings)

    def on_start(self, on_interrupt: OnInterrupt) -> Callable[[Run], None]:
        """Return what takes the run when it begins, to be stopped by the first Ctrl-C."""

        def started(run: Run) -> None:
            self._run = run
            on_interrupt(run.stop)

        return started


@contextmanager
def run_context() -> Iterator[RunContext]:
    """Have a command begin a run, and tell how to go on with one that is not finished or lacks an answer."""
    begun = RunContext()
    try:
        yield begun
    finally:
        if begun.how_on:
            tell(begun.how_on)
