"""Shows a run's events on standard error: as a live line on a terminal, as plain lines in a pipe."""

from typing import Any

from rich.markup import escape
from rich.status import Status

from ..kernel.events import Event, FileSkipped, Ingested, Retrying
from ..kernel.one_line import sanitized
from ..runs.words import live_line, permanent_line, step_of
from .console import LastingConsole

MOST_SKIPPED = 3  # files without text that are named individually for each folder


class TerminalProgress:
    """Shows events; use it as a context manager, and as the run's event sink.

    The first MOST_SKIPPED files without text are named, or all with `every_file`. With `steps` each step is a plain
    line: a live line would mix with text written to standard output.
    """

    def __init__(self, *, quiet: bool = False, steps: bool = False, every_file: bool = False) -> None:
        self._console = LastingConsole(stderr=True, quiet=quiet)
        self._steps = steps
        self._retried: set[Retrying] = set()
        self._every_file = every_file
        self._skipped = 0
        live = self._console.is_terminal and not steps
        self._live: Status | None = Status("Starting", console=self._console) if live else None

    def __enter__(self) -> "TerminalProgress":
        """Start the live line, if there is one."""
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_exception: Any) -> None:
        """End the live line."""
        if self._live is not None:
            self._live.stop()

    def __call__(self, event: Event) -> None:
        """Show one event."""
        if isinstance(event, Retrying):
            if event in self._retried:
                return  # shown already: many calls may fail in the same way
            self._retried.add(event)
        if not self._every_file and self._folds(event):
            return
        if self._live is not None and (activity := live_line(event)):
            self._live.update(escape(sanitized(activity)))
        if self._steps and (step := step_of(event)):
            self._console.print(escape(step))
        if line := permanent_line(event):
            self._console.print(escape(line))

    def _folds(self, event: Event) -> bool:
        """Return whether to hide a skipped file; at the end of its folder print how many were hidden."""
        match event:
            case FileSkipped():
                self._skipped += 1
                return self._skipped > MOST_SKIPPED
            case Ingested(folder=folder):
                if (more := self._skipped - MOST_SKIPPED) > 0:
                    self._console.print(
                        escape(sanitized(f"Skipped {more:,} more; “spyglass ingest {folder}” lists them"))
                    )
                self._skipped = 0
        return False
