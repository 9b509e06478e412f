"""Runs a coroutine on an event loop of its own, and ends it as the user asks: early, or now."""

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from ..kernel.run import Run
from ..kernel.settings import Settings
from .console import tell
from .progress import TerminalProgress
from .watching import watched

Result = TypeVar("Result")

OnInterrupt = Callable[[Callable[[], None]], None]  # takes what the first Ctrl-C calls, instead of ending everything
TERMINATED: Final = 143
"""The exit code of a command that SIGTERM has ended, by the convention of shells: 128 and the signal's number."""


def run_until_done(work: Callable[[OnInterrupt], Coroutine[Any, Any, Result]], settings: Settings) -> Result:
    """Run `work`, watched as the settings say; it is handed a function that takes what the first Ctrl-C calls.

    A second Ctrl-C, and the first where nothing was taken, cancels the work and raises KeyboardInterrupt; SIGTERM
    cancels it and raises SystemExit. Either way the work puts its things away: processes, locks, the lease.
    """
    ended: list[signal.Signals] = []
    try:
        with watched(settings):
            return asyncio.run(_listening(work, ended))
    except asyncio.CancelledError:
        if signal.SIGTERM in ended:
            tell("spyglass: terminated")
            raise SystemExit(TERMINATED) from None
        if ended:
            raise KeyboardInterrupt from None
        raise


async def _listening(work: Callable[[OnInterrupt], Coroutine[Any, Any, Result]], ended: list[signal.Signals]) -> Result:
    """Do the work; the signals that cancelled it are put into `ended`."""
    working = asyncio.current_task()
    assert working is not None
    stops: list[Callable[[], None]] = []

    def end(by: signal.Signals) -> None:
        ended.append(by)
        working.cancel()

    def interrupted() -> None:
        if stops:
            stops.pop()()
        else:
            end(signal.SIGINT)

    with _handled(signal.SIGINT, interrupted), _handled(signal.SIGTERM, partial(end, signal.SIGTERM)):
        return await work(stops.append)


@contextmanager
def _handled(number: signal.Signals, handler: Callable[[], None]) -> Iterator[None]:
    """Have the loop call a handler for a signal; on Windows, where loops cannot, it stays as it is."""
    loop = asyncio.get_running_loop()
    try:
        loop.add_signal_handler(number, handler)
    except NotImplementedError:
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(number)


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
