"""`spyglass report`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..generate_report import research
from ..kernel.outcome import Outcome
from ..kernel.settings import Settings
from ..runs.folders import missing
from .console import tell, write
from .keys import require_keys
from .loop import OnInterrupt, run_until_done
from .output import require_writable, written
from .progress import Progress
from .run_context import run_context

if TYPE_CHECKING:
    from ..report import Report


def write_report(
    question: str, settings: Settings, files: Sequence[Path], out: Sequence[Path], *, quiet: bool
) -> Outcome:
    """Make the report, write it to each file of `out` or to standard output, and return its outcome.

    `files` are the folders that were asked for on the command line. A report that a file does not take goes to
    standard output, and the outcome is then "failed". Raises UsageError before anything is spent when no folder
    exists, when a file cannot be written or would be read as a source, and when a key is missing.
    """
    gone = missing(files, "--files")
    require_writable(out, settings.folders, settings)
    require_keys(settings, web=settings.searches_web)
    if gone and not quiet:
        tell(f"Note: there is no {', no '.join(map(str, gone))}; the rest is researched.")

    return made(question, settings, out, quiet=quiet)


def made(
    question: str, settings: Settings, out: Sequence[Path], *, quiet: bool, resume: str | Path | None = None
) -> Outcome:
    """Make a report, or go on with the run that makes it; write it, tell how to go on, and return the outcome."""

    async def work(on_interrupt: OnInterrupt) -> "Report":
        starting = begun.on_start(on_interrupt)
        return await research(question, settings=settings, on_event=progress, on_start=starting, resume=resume)

    with run_context() as begun:
        with Progress(quiet=quiet) as progress:
            report = run_until_done(work, settings)
        whole = written(report, out, settings, quiet=quiet)
        if not whole or not out:
            write(report.markdown)
    return report.outcome if whole else "failed"
