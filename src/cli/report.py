"""`spyglass report`."""

import os
from collections.abc import Sequence
from pathlib import Path

from ..errors import FolderError
from ..generate_report import research
from ..outcome import Outcome
from ..report import Report
from ..run import Run
from ..settings import Settings
from .console import tell, write
from .loop import OnInterrupt, run_until_done
from .output import require_writable, written
from .progress import Progress

UNFINISHED = ("cancelled", "failed")
"""Outcomes of a run that can be gone on with."""


def write_report(
    question: str, settings: Settings, files: Sequence[Path], out: Sequence[Path], *, quiet: bool
) -> Outcome:
    """Make the report, write it to each file of `out` or to standard output, and return its outcome.

    `files` are the folders that were asked for on the command line. A report that a file does not take goes to
    standard output, and the outcome is then "failed". Raises UsageError before anything is spent when no folder
    exists, and when a file cannot be written or would be read as a source.
    """
    missing = _missing(files)
    require_writable(out, settings.folders, settings)
    if missing and not quiet:
        tell(f"Note: there is no {', no '.join(map(str, missing))}; the rest is researched.")

    return made(question, settings, out, quiet=quiet)


def made(
    question: str, settings: Settings, out: Sequence[Path], *, quiet: bool, resume: str | Path | None = None
) -> Outcome:
    """Make a report, or go on with the run that makes it; write it, tell how to go on, and return the outcome."""
    begun: list[Run] = []

    async def work(on_interrupt: OnInterrupt) -> Report:
        def started(run: Run) -> None:
            begun.append(run)
            on_interrupt(run.stop)

        return await research(question, settings=settings, on_event=progress, on_start=started, resume=resume)

    whole = False
    try:
        with Progress(quiet=quiet) as progress:
            report = run_until_done(work, settings)
        whole = written(report, out, settings, quiet=quiet)
        if not whole or not out:
            write(report.markdown)
    finally:
        if begun and begun[0].outcome in UNFINISHED:
            tell(f"Nothing that was asked is lost. Go on with: spyglass resume {begun[0].id}")
    return report.outcome if whole else "failed"


def _missing(files: Sequence[Path]) -> list[Path]:
    """Return those that do not exist. Raises FolderError when none does."""
    missing = [path for path in files if not os.path.exists(path.expanduser())]  # noqa: PTH110 Path.exists may raise
    if missing and len(missing) == len(files):
        raise FolderError(
            f"There is no {', no '.join(map(str, missing))}", where="--files", remedy="Name an existing folder or file."
        )
    return missing
