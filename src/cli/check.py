"""`spyglass check`."""

import json
from collections.abc import Sequence
from pathlib import Path

from ..kernel.errors import UsageError
from ..kernel.notice import recorded
from ..kernel.one_line import tamed
from ..kernel.outcome import Outcome
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..verify.check import check
from ..verify.checked import Check, CheckedSentence, Judged, Quote
from ..verify.citation_resolver import State
from .console import write
from .loop import OnInterrupt, run_until_done
from .output import require_writable, written
from .progress import TerminalProgress

MISSING: dict[State, str] = {"dead": "Dead link", "invented": "Invented"}
"""What is said of a citation of what is not there."""

SHOWN: dict[Judged, str] = {
    "supported": "supported",
    "partial": "partly supported",
    "unsupported": "not supported",
    "contradicted": "contradicted",
    "unchecked": "not checkable",
}


def check_report(
    path: Path, settings: Settings, files: Sequence[Path], out: Sequence[Path], *, web: bool, as_json: bool, quiet: bool
) -> Outcome:
    """Check somebody else's report, print each claim with its verdict, and return the outcome.

    It is "complete" when every claim is supported, else "partial", "nothing_found" where the report claims nothing, and
    "failed" when a file of `out` did not take it. Raises UsageError, and ForeignReportError when the report cannot be
    read.
    """
    if not files and not web:
        raise UsageError("There is nothing to check it against", remedy="Give --files DIR, --web, or both.")
    require_writable(out, [*files, path], settings)

    async def work(on_interrupt: OnInterrupt) -> Check:
        async with Run(f"Do the sources of {path.name} say what it says?", settings, on_event=progress) as run:
            on_interrupt(run.stop)
            found = await check(run, path, files, web=web)
            outcomes.append(run.conclude(found=bool(found.claims), failed=not found.holds))
            return found

    outcomes: list[Outcome] = []

    with TerminalProgress(quiet=quiet) as progress:
        found = run_until_done(work, settings)
    write(json.dumps(_record(path, found), indent=2) + "\n" if as_json else tamed("\n".join(_told(found))) + "\n")
    if not written(found.report, out, settings, quiet=quiet):
        return "failed"
    return outcomes[0]


def _record(path: Path, found: Check) -> dict[str, object]:
    return {
        "report": str(path),
        "holds": found.holds,
        "counts": {verdict: found.count(verdict) for verdict in SHOWN},
        "support_rate": found.report.support_rate,
        **{state: [cited.model_dump(mode="json") for cited in found.cited(state)] for state in MISSING},
        "claims": [claim.model_dump(mode="json") for claim in found.claims],
        "citations": [cited.model_dump(mode="json") for cited in found.citations],
        "notices": recorded(found.report.notices),
    }


def _told(found: Check) -> list[str]:
    """Return what a person reads: the counts, then each claim with its verdict, its reasons and the best quote."""
    counts = ", ".join(f"{found.count(verdict):,} {shown}" for verdict, shown in SHOWN.items() if found.count(verdict))
    rate = found.report.support_rate
    lines = [found.report.title, "", f"{len(found.claims):,} claims: {counts or 'none'}."]
    lines += [f"Support rate: {rate:.0%} of those that could be checked."] if rate is not None else []
    lines += [f"Citations: {_citations(found)}."] if found.citations else ["It cites nothing."]
    for state, shown in MISSING.items():
        lines += [f"{shown}: {one.spelled} {one.place}".rstrip() + f" – {one.why}" for one in found.cited(state)]
    lines += [f"Note: {notice}" for notice in found.report.notices]
    section = None
    for claim in found.claims:
        if claim.section != section:
            lines += ["", f"## {claim.section}"]
            section = claim.section
        lines += ["", *_claim(claim)]
    return lines


def _citations(found: Check) -> str:
    states = {"read": "read", "dead": "dead", "invented": "invented", "unreadable": "not readable"}
    states |= {"unresolved": "without an address", "not followed": "not followed"}
    counted = {shown: sum(one.state == state for one in found.citations) for state, shown in states.items()}
    return ", ".join(f"{number:,} {shown}" for shown, number in counted.items() if number)


def _claim(claim: CheckedSentence) -> list[str]:
    lines = [f"[{SHOWN[claim.verdict]}] {claim.text}", *(f"    {reason}" for reason in claim.reasons)]
    lines += [_quoted("Evidence", claim.quote)] if claim.quote else []
    return lines + ([_quoted("Elsewhere", claim.elsewhere)] if claim.elsewhere else [])


def _quoted(name: str, quote: Quote) -> str:
    place = f", {quote.place}" if quote.place else ""
    return f"    {name}: “{' '.join(quote.text.split())}” ({quote.source}{place})"
