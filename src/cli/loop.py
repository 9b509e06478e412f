"""Runs a command's coroutine on a new event loop: handles Ctrl-C and SIGTERM, and writes the log and the spans."""

import asyncio
import logging
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from ..kernel.errors import SettingsError
from ..kernel.observe.export import exported
from ..kernel.observe.logs import LOG, Lines
from ..kernel.run import EventSink, Run
from ..kernel.settings import Settings
from .console import tell

Result = TypeVar("Result")

OnInterrupt = Callable[
    [Callable[[], None]], None
]  # registers the function that the first Ctrl-C calls instead of cancelling the work
TERMINATED: Final = 143  # the exit code after SIGTERM, by the convention of shells: 128 plus the signal's number
UNFINISHED: Final = ("cancelled", "failed")  # outcomes of a run that can be resumed
STDERR: Final = Path("-")  # the name of a log that goes to standard error


def run_until_done(work: Callable[[OnInterrupt], Coroutine[Any, Any, Result]], settings: Settings) -> Result:
    """Run `work` on an event loop, with the log and the spans that the settings ask for, and return its result.

    `work` receives a function by which it registers a callback for the first Ctrl-C. A second Ctrl-C, or the first one
    without a callback, cancels the work and raises KeyboardInterrupt; SIGTERM cancels it and raises SystemExit. In both
    cases the work releases its processes, its locks and the lease of its run.
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
    """Run the work, and append the signals that cancelled it to `ended`."""
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
    """Have the loop call a handler for a signal; does nothing on Windows, where loops cannot."""
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


@contextmanager
def watched(settings: Settings) -> Iterator[None]:
    """Write the log and send the spans that the settings ask for, flushed when the block ends.

    Raises SettingsError if a file cannot be written or an exporter is not installed.
    """
    with ExitStack() as exits:
        if settings.observe.log is not None:
            exits.enter_context(_logged(settings.observe.log))
        if settings.observe.otel:
            exits.enter_context(exported(tell))
        yield


@contextmanager
def _logged(path: Path) -> Iterator[None]:
    """Write the log, a line of JSON for each record, to standard error or append it to a file."""
    try:
        handler = logging.StreamHandler(sys.stderr) if path == STDERR else logging.FileHandler(path.expanduser())
    except OSError as error:
        raise SettingsError(
            f"The log cannot be written: {error.strerror}",
            where=str(path),
            remedy="Set observe.log to another file, or to -.",
        ) from error
    handler.setFormatter(Lines())
    level = LOG.level
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    try:
        yield
    finally:
        LOG.setLevel(level)
        LOG.removeHandler(handler)
        handler.close()


class RunContext:
    """The run that a command starts; prints at its end how to resume it if it is unfinished or lacks answers."""

    def __init__(self) -> None:
        self._run: Run | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        run = self._run
        if run is not None and run.outcome in UNFINISHED:
            tell(f"All answers so far are kept. Continue with: spyglass resume {run.id}")
        elif run is not None and run.outcome == "partial" and run.has_retryable_failure:
            tell(f"Failed calls may succeed later. Retry them with: spyglass resume {run.id}")

    @property
    def run(self) -> Run:
        """The run, once the command has started it."""
        assert self._run is not None
        return self._run

    def call(
        self, tool: Any, arguments: dict[str, Any], settings: Settings, on_event: EventSink, resume: Path | None
    ) -> Any:
        """Return the answer of a tool, or of the run to `resume`."""

        async def work(on_interrupt: OnInterrupt) -> Any:
            options = {"on_event": on_event, "on_start": self.on_start(on_interrupt), "resume": resume}
            return await tool.call(arguments, settings=settings, **options)

        return run_until_done(work, settings)

    def on_start(self, on_interrupt: OnInterrupt) -> Callable[[Run], None]:
        """Return the callback that receives the run when it starts, so that the first Ctrl-C stops the run."""

        def started(run: Run) -> None:
            self._run = run
            on_interrupt(run.stop)

        return started
