"""`spyglass verify`."""

import json
from functools import partial
from pathlib import Path

from ..journal import Journal
from ..outcome import Outcome, outcome_of
from ..report import Report
from ..run import Run
from ..settings import Settings
from ..verify.file import read_report
from ..verify.refetch import Today, refetch
from ..verify.verification import Verification
from ..verify.verify import verify
from .console import plain, write
from .loop import OnInterrupt, run_until_done


def verify_report(path: Path, settings: Settings, *, again: bool, as_json: bool) -> Outcome:
    """Check a report's JSON again, print what was checked and what does not agree, and return the outcome.

    It is "complete" when all agrees and "failed" when something does not. With `again` its pages and files are read
    anew: "partial" says that a quote no longer stands where it stood, "cancelled" that not all were read. Raises
    ReportFileError.
    """
    file = read_report(path)
    report, verification = file.report, verify(file.report, file.checksum)
    today, stopped = run_until_done(partial(_read_again, report, settings), settings) if again else ([], False)
    if as_json:
        record = {"report": str(path), "holds": verification.holds, **verification.model_dump(mode="json")}
        record |= {"today": [one.model_dump(mode="json") for one in today]} if again else {}
        write(json.dumps(record, indent=2) + "\n")
    else:
        write(plain("\n".join([*_told(report, verification), *map(_of_today, today)])) + "\n")
    if not verification.holds:
        return "failed"
    lost = any(one.state in ("gone", "quote gone") for one in today)
    return outcome_of(found=True, failed=lost, stopped=stopped)


async def _read_again(report: Report, settings: Settings, on_interrupt: OnInterrupt) -> tuple[list[Today], bool]:
    """Return what became of the sources, and whether the user stopped it before all were read."""
    async with Run(f"verify {report.title}", settings, journal=Journal()) as run:
        on_interrupt(run.stop)
        today = await refetch(run, report)
        run.conclude(found=True)
        return today, run.stopped


def _told(report: Report, verification: Verification) -> list[str]:
    """Return what a person reads: what was checked, then what is wrong, then what nobody could check."""
    lines = [f"{number:>6,} {subject}" for subject, number in verification.checked.items()]
    rate = report.support_rate
    supported = f" {rate:.0%} of its claims are supported." if rate is not None else ""
    wrong = len(verification.mismatches)
    verdict = f"The report holds.{supported}" if not wrong else f"The report does not hold: {wrong} mismatches."
    told = [f"- {one.where or one.subject}: {one.what}" for one in verification.mismatches]
    return [
        report.title,
        "",
        "Checked:",
        *lines,
        "",
        verdict,
        *told,
        *(f"Note: {what}" for what in verification.unchecked),
    ]


def _of_today(today: Today) -> str:
    states = {
        "unchanged": "unchanged",
        "changed": "changed, but everything that was quoted still stands there",
        "quote gone": "changed",
        "gone": "gone",
        "unreadable": "not readable now",
    }
    why = f": {today.why}" if today.why else ""
    lost = [f"  - no longer there: “{' '.join(quote.split())}”" for quote in today.lost]
    return "\n".join([f"{today.place}: {states[today.state]}{why}", *lost])
