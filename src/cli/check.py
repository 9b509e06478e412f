"""`spyglass check`: checks a report by somebody else against its sources."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from ..kernel.errors import UsageError
from ..kernel.notice import recorded
from ..kernel.outcome import Outcome
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..render import Labels, labels_in
from ..report import CitationState
from ..verify import Check, CheckedSentence, Quote, check
from .console import write_result
from .loop import OnInterrupt, run_until_done
from .options import Output
from .output import require_writable, written
from .progress import TerminalProgress

MISSING: tuple[CitationState, ...] = ("dead", "invented")  # the states of citations whose target does not exist


def check_report(path: Path, settings: Settings, files: Sequence[Path], output: Output, *, web: bool) -> Outcome:
    """Check somebody else's report, print each claim with its verdict, and return the outcome.

    The outcome is "complete" if every claim is supported, else "partial"; "nothing_found" for a report without claims,
    and "failed" if a file of the `output` cannot be written. Raises UsageError, and ForeignReportError for an
    unreadable report.
    """
    if not files and not web:
        raise UsageError("There are no sources to check the report against", remedy="Add --files DIR, --web, or both.")
    require_writable(output.files, [*files, path], settings)

    async def work(on_interrupt: OnInterrupt) -> Check:
        async with Run(f"Do the sources of {path.name} say what it says?", settings, on_event=progress) as run:
            on_interrupt(run.stop)
            result = await check(run, path, files, web=web)
            outcomes.append(run.conclude(has_result=bool(result.claims), failed=not result.holds))
            return result

    outcomes: list[Outcome] = []

    with TerminalProgress(quiet=output.quiet) as progress:
        result = run_until_done(work, settings)
    write_result(_record(path, result), "\n".join(_lines(result)), as_json=output.as_json)
    if not written(result.report, output, settings):
        return "failed"
    return outcomes[0]


def _record(path: Path, result: Check) -> dict[str, object]:
    return {
        "report": str(path),
        "holds": result.holds,
        "counts": result.report.counts,
        **{state: [cited.model_dump(mode="json") for cited in result.cited(state)] for state in MISSING},
        "claims": [claim.model_dump(mode="json") for claim in result.claims],
        "citations": [cited.model_dump(mode="json") for cited in result.citations],
        "notices": recorded(result.report.notices),
    }


def _lines(result: Check) -> list[str]:
    """Return the readable form: the counts, then each claim with its verdict, its reasons and the best quote."""
    words = labels_in(result.report.language)
    labelled_counts = ((words.verdicts[verdict], count) for verdict, count in result.report.counts.items())
    counts = words.checked_claims.format(n=f"{len(result.claims):,}", counts=_listed(labelled_counts, words))
    lines = [result.report.title, "", counts]
    citation_counts = (
        (label, sum(citation.state == state for citation in result.citations))
        for state, label in words.citation_states.items()
    )
    lines += [words.cites.format(counts=_listed(citation_counts, words)) if result.citations else words.cites_nothing]
    for state in MISSING:
        label = words.citation_states[state].capitalize()
        lines += [
            f"{label}: {cited.spelled} {cited.place}".rstrip() + f" – {cited.why}" for cited in result.cited(state)
        ]
    lines += [words.named(words.note, words.text_of(notice)) for notice in result.report.notices]
    section = None
    for claim in result.claims:
        if claim.section != section:
            lines += ["", f"## {claim.section}"]
            section = claim.section
        lines += ["", *_claim(claim, words)]
    return lines


def _listed(counts: Iterable[tuple[str, int]], words: Labels) -> str:
    return ", ".join(f"{number:,} {label}" for label, number in counts if number) or words.none


def _claim(claim: CheckedSentence, words: Labels) -> list[str]:
    lines = [
        f"[{words.verdicts[claim.verdict]}] {claim.text}",
        *(f"    {words.text_of(reason)}" for reason in claim.reasons),
    ]
    lines += [_quoted(words, words.evidence, claim.quote)] if claim.quote else []
    return lines + ([_quoted(words, words.elsewhere, claim.elsewhere)] if claim.elsewhere else [])


def _quoted(words: Labels, name: str, quote: Quote) -> str:
    place = f", {quote.place}" if quote.place else ""
    return "    " + words.named(name, f"“{' '.join(quote.text.split())}” ({quote.source}{place})")
