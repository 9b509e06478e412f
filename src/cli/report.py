"""`spyglass report`."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from ..errors import FolderError, UsageError
from ..generate_report import research
from ..report import Report
from ..run import Run
from ..settings import Settings
from .console import tell, write
from .loop import run_until_done
from .progress import Progress

RENDERERS: dict[str, Callable[[Report], str]] = {
    ".md": lambda report: report.markdown,
    ".json": lambda report: report.model_dump_json(indent=2) + "\n",
}


def write_report(question: str, settings: Settings, files: Sequence[Path], out: Sequence[Path], *, quiet: bool) -> str:
    """Make the report, write it to each file of `out` or to standard output, and return its outcome.

    `files` are the folders that were asked for on the command line. A report that a file does not take goes to
    standard output, and the outcome is then "failed". Raises UsageError before anything is spent when no folder
    exists, and when a file cannot be written or would be read as a source.
    """
    missing = _missing(files)
    for path in out:
        _require_suffix(path)
        _require_apart(path, settings.folders)
        _require_writable(path)
    if missing and not quiet:
        tell(f"Note: there is no {', no '.join(map(str, missing))}; the rest is researched.")

    async def work(on_interrupt: Callable[[Callable[[], None]], None]) -> Report:
        def started(run: Run) -> None:
            on_interrupt(run.stop)

        return await research(question, settings=settings, on_event=progress, on_start=started)

    with Progress(quiet=quiet) as progress:
        report = run_until_done(work)
    written = [path for path in out if _written(path, report)]
    if len(written) < len(out) or not out:
        write(report.markdown)
    if written and not quiet:
        tell(f"Written: {', '.join(map(str, written))}")
    return report.outcome if len(written) == len(out) else "failed"


def _written(path: Path, report: Report) -> bool:
    """Write the report to a file; say so when it does not take it."""
    try:
        content = RENDERERS[path.suffix.lower()](report).encode()
        path.write_bytes(content)
    except (OSError, ValueError) as error:  # pydantic's and Python's complaints about half a letter are ValueErrors
        tell(f"spyglass: {path} could not be written: {error}")
        return False
    return True


def _missing(files: Sequence[Path]) -> list[Path]:
    """Return those that do not exist. Raises FolderError when none does."""
    missing = [path for path in files if not os.path.exists(path.expanduser())]  # noqa: PTH110 Path.exists may raise
    if missing and len(missing) == len(files):
        raise FolderError(
            f"There is no {', no '.join(map(str, missing))}", where="--files", remedy="Name an existing folder or file."
        )
    return missing


def _require_suffix(path: Path) -> None:
    if path.suffix.lower() not in RENDERERS:
        raise UsageError(
            f'"{path.name}" has no suffix that says how to write the report',
            where="--out",
            remedy=f"Known suffixes: {', '.join(RENDERERS)}.",
        )


def _require_apart(path: Path, folders: Sequence[Path]) -> None:
    """Raise UsageError for a file that is a source itself, or that the next report would take for one."""
    target = Path(os.path.realpath(path))
    for folder in folders:
        root = Path(os.path.realpath(folder.expanduser()))
        if target == root or (root.is_file() and target.exists() and target.samefile(root)):
            raise UsageError("The report would overwrite a file that it is about", where=str(path))
        if target.is_relative_to(root):
            raise UsageError(
                f"The report would lie inside {folder}, and be read as a source by the next one",
                where=str(path),
                remedy="Write it outside the folder, or give a narrower folder.",
            )


def _require_writable(path: Path) -> None:
    """Raise UsageError unless the file can be opened for writing; leaves everything as it was."""
    target = Path(os.path.realpath(path))
    remedy = "Name a file in a folder that you may write to."
    try:
        existed = target.exists()
        if existed and not target.is_file():
            raise UsageError("The report cannot be written there: it is no file", where=str(path), remedy=remedy)
        target.open("ab").close()
        if not existed:
            target.unlink()
    except OSError as error:
        raise UsageError(
            f"The report cannot be written there: {error.strerror}", where=str(path), remedy=remedy
        ) from error
