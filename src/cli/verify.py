"""`spyglass verify`: checks one of our reports again."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from ..generate_report import replay
from ..kernel.errors import ReportFileError, UnknownRunError
from ..kernel.journal import Journal
from ..kernel.outcome import Outcome, outcome_of
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..render import labels_in, render
from ..report import Report
from ..runs import Account, RunStore
from ..verify import ReportFile, Today, Verification, compared, read_report, refetch, verify, with_shown
from .bounds import bounded
from .console import write_result
from .loop import OnInterrupt, run_until_done

SQLITE: Final = b"SQLite format 3\0"  # the first bytes of a journal


def verify_report(
    name: str,
    settings: Settings,
    *,
    run: str | None,
    renderings: Sequence[Path],
    again: bool,
    folder: Path | None,
    signer: str,
    as_json: bool,
) -> Outcome:
    """Check a report again, print what was checked and what disagrees, and return the outcome.

    `name` is the report's JSON file or a run. That run, or `run`, is replayed and must give the same report. `again`
    re-reads the cited pages and files, `folder` the files in it. `signer` is the public key that must have signed the
    report. The outcome is "failed" if anything disagrees, "partial" if a quote is gone from its source, "cancelled" if
    not all sources were read. Raises ReportFileError, UnknownRunError, NotRecordedError and SettingsError.
    """
    with bounded(name):
        report, verification = _checked(name, settings, run, signer)
    for path in renderings:
        verification = with_shown(verification, path.name, _read(path), asyncio.run(render(report, path, settings)))
    reads = again or folder is not None
    read_again = partial(_read_again, report, settings, folder, again)
    today, stopped = run_until_done(read_again, settings) if reads else ([], False)
    record = {"report": name, "holds": verification.holds, **verification.model_dump(mode="json")}
    record |= {"today": [source.model_dump(mode="json") for source in today]} if reads else {}
    write_result(record, "\n".join([*_lines(report, verification), *map(_of_today, today)]), as_json=as_json)
    if not verification.holds:
        return "failed"
    lost = any(source.state in ("gone", "quote gone") for source in today)
    return outcome_of(has_result=True, failed=lost, stopped=stopped)


def _checked(name: str, settings: Settings, run: str | None, signer: str) -> tuple[Report, Verification]:
    """Return a report and its verification, compared with its run if one is named."""
    is_run = _is_run(Path(name))
    file = _of_run(name, settings) if is_run else read_report(Path(name))
    verification = verify(file.report, file.checksum, file.signature, signer)
    if maker := name if is_run else run:
        verification = compared(verification, file.report, asyncio.run(replay(maker, settings=settings)))
    return file.report, verification


def _is_run(path: Path) -> bool:
    """Return whether a path is a bare name of a run, or the file of an exported run."""
    if not path.is_file():
        return not path.suffix and path.parent == Path()
    with path.open("rb") as file:
        return file.read(len(SQLITE)) == SQLITE


def _of_run(name: str, settings: Settings) -> ReportFile:
    stored = RunStore.of(settings).find(name)
    report = Account.of(stored).report
    if report is None:
        raise UnknownRunError(f"The run {stored.id} has no report", where=str(stored.path))
    return ReportFile(report, report.checksum)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ReportFileError(f"The file cannot be read: {error.strerror}", where=str(path)) from error


async def _read_again(
    report: Report, settings: Settings, folder: Path | None, web: bool, on_interrupt: OnInterrupt
) -> tuple[list[Today], bool]:
    """Return the current state of the sources, and whether the user stopped before all were read."""
    async with Run(f"verify {report.title}", settings, journal=Journal()) as run:
        on_interrupt(run.stop)
        is_own = folder is None and await in_thread(_is_own, report, settings)
        today = await refetch(run, report, folder, web=web, is_own=is_own)
        run.conclude(has_result=True)
        return today, run.stopped


def _is_own(report: Report, settings: Settings) -> bool:
    store = RunStore.of(settings)
    run = next((run for run in store.all() if run.id == report.run), None)
    stored = Account.of(store.fetch(run)).report if run else None
    return stored is not None and stored.checksum == report.checksum


def _lines(report: Report, verification: Verification) -> list[str]:
    """Return the readable form: what was checked, then what is wrong, then what could not be checked."""
    lines = [f"{number:>6,} {subject}" for subject, number in verification.checked.items()]
    words = labels_in("en")
    tally = words.tally(report.counts, whole=bool(report.checked))
    supported = f" {words.named(words.checked, ', '.join(tally))}." if tally else ""
    count = len(verification.mismatches)
    verdict = f"All checks passed.{supported}" if not count else f"Checks failed: {count} mismatches."
    mismatches = [f"- {it.where or it.subject}: {it.what}" for it in verification.mismatches]
    return [
        report.title,
        "",
        "Checked:",
        *lines,
        "",
        verdict,
        *mismatches,
        *(f"Note: {reason}" for reason in verification.unchecked),
        *([f"Signed by {verification.signer}; not changed since."] if verification.signer else []),
        *(["", "Taken on trust; to check this too, add --run RUN:"] if verification.on_trust else []),
        *(f"- {item}" for item in verification.on_trust),
    ]


def _of_today(today: Today) -> str:
    states = {
        "unchanged": "unchanged",
        "changed": "changed, but still contains everything that was quoted",
        "quote gone": "changed",
        "gone": "gone",
        "unreadable": "cannot be read now",
    }
    why = f": {today.why}" if today.why else ""
    lost = [f"  - no longer there: “{' '.join(quote.split())}”" for quote in today.lost]
    return "\n".join([f"{today.place}: {states[today.state]}{why}", *lost])
