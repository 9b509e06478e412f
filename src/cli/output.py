"""Writes a report to files, in the format of each file's suffix."""

import os
from collections.abc import Sequence
from pathlib import Path

from ..fetch.chromium import lacking
from ..kernel.errors import BrowserError, UsageError
from ..kernel.outcome import Outcome
from ..kernel.settings import Settings
from ..render import render, suffix_of
from ..render.output import JSON, PDF
from ..report import Report
from ..verify import public_key, signed
from .console import show_markdown, tell
from .loop import run_until_done
from .options import Output


def require_writable(out: Sequence[Path], sources: Sequence[Path], settings: Settings) -> None:
    """Raise UsageError unless a report can be written to each file of `out`, and none is or becomes a source.

    Raises BrowserError for a PDF if no browser can print it.
    """
    if settings.report.sign:
        _require_key(out, settings)
    for path in out:
        if suffix_of(path) == PDF and (why := lacking(settings)):
            remedy = "Or write .html or .docx."
            raise BrowserError(f"Writing a PDF needs a browser. {why}", where=str(path), remedy=remedy)
        _require_apart(path, sources)
        _require_writable(path)


def written(report: Report, output: Output, settings: Settings) -> bool:
    """Write the report to each file, and return whether all were written; failures are printed."""
    done = [path for path in output.files if _written(path, report, settings)]
    if done and not output.quiet:
        tell(f"Written: {', '.join(map(str, done))}")
    return len(done) == len(output.files)


def deliver(report: Report, output: Output, settings: Settings) -> Outcome:
    """Write the report to each file, else to standard output, and return its outcome.

    If a file cannot be written, the report goes to standard output and the outcome is "failed".
    """
    whole = written(report, output, settings)
    if not whole or not output.files:
        show_markdown(report.markdown)
    return report.outcome if whole else "failed"


def _written(path: Path, report: Report, settings: Settings) -> bool:
    """Write the report to a file; print a message if that fails."""
    try:
        content = run_until_done(lambda _: render(report, path, settings), settings)
        if settings.report.sign and suffix_of(path) == JSON:
            content = signed(content, report, settings.data_dir)
        path.write_bytes(content)
    except (OSError, ValueError, BrowserError) as error:  # ValueError: a lone surrogate
        tell(f"spyglass: {path} could not be written: {error}")
        return False
    return True


def _require_key(out: Sequence[Path], settings: Settings) -> None:
    """Raise UsageError before anything is spent if no file is JSON, the only signed form, or no key can be made."""
    if not any(suffix_of(path) == JSON for path in out):
        remedy = "Add --out NAME.json; `spyglass verify NAME.json --shown FILE` checks other files by it."
        raise UsageError("Only a report in JSON can be signed", where="--sign", remedy=remedy)
    public_key(settings.data_dir)


def _require_apart(path: Path, folders: Sequence[Path]) -> None:
    """Raise UsageError for a file that is a source, or that a later report would read as one."""
    target = Path(os.path.realpath(path))
    for folder in folders:
        root = Path(os.path.realpath(folder.expanduser()))
        if target == root or (root.is_file() and target.exists() and target.samefile(root)):
            raise UsageError("The report would overwrite one of its sources", where=str(path))
        if target.is_relative_to(root):
            raise UsageError(
                f"The report would be inside {folder}, and the next report would read it as a source",
                where=str(path),
                remedy="Write it outside the folder, or research a smaller folder.",
            )


def _require_writable(path: Path) -> None:
    """Raise UsageError unless the file can be opened for writing; leaves everything as it was."""
    target = Path(os.path.realpath(path))
    remedy = "Choose a file in a folder that you can write to."
    try:
        existed = target.exists()
        if existed and not target.is_file():
            raise UsageError("The report cannot be written: this is not a regular file", where=str(path), remedy=remedy)
        target.open("ab").close()
        if not existed:
            target.unlink()
    except OSError as error:
        raise UsageError(f"The report cannot be written: {error.strerror}", where=str(path), remedy=remedy) from error
