"""`spyglass report`."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from ..errors import UsageError
from ..generate_report import research
from ..report import Report
from ..run import Run
from ..settings import Settings
from .loop import run_until_done
from .progress import Progress

RENDERERS: dict[str, Callable[[Report], str]] = {
    ".md": lambda report: report.markdown,
    ".json": lambda report: report.model_dump_json(indent=2) + "\n",
}


def write_report(question: str, settings: Settings, out: list[Path], *, quiet: bool) -> str:
    """Make the report, write it to each file of `out` or to standard output, and return its outcome.

    Raises UsageError before anything is spent when a file cannot be written.
    """
    for path in out:
        _require_writable(path)

    async def work(on_interrupt: Callable[[Callable[[], None]], None]) -> Report:
        def started(run: Run) -> None:
            on_interrupt(run.stop)

        return await research(question, settings=settings, on_event=progress, on_start=started)

    with Progress(quiet=quiet) as progress:
        report = run_until_done(work)
    for path in out:
        path.write_text(RENDERERS[path.suffix.lower()](report), encoding="utf-8")
    if not out:
        sys.stdout.write(report.markdown)
    elif not quiet:
        print(f"Written: {', '.join(str(path) for path in out)}", file=sys.stderr)
    return report.outcome


def _require_writable(path: Path) -> None:
    if path.suffix.lower() not in RENDERERS:
        raise UsageError(
            f'"{path.name}" has no suffix that says how to write the report',
            where="--out",
            remedy=f"Known suffixes: {', '.join(RENDERERS)}.",
        )
    target = path if path.exists() else path.parent
    if path.is_dir() or not target.exists() or not os.access(target, os.W_OK):
        raise UsageError(
            "The report cannot be written there",
            where=str(path),
            remedy="Name a file in a folder that you may write to.",
        )
