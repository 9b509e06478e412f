"""Whether what a report lists beside its text is what its text and its sources give: made once more from both."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from ..evidence.evidence import Evidence
from ..evidence.reason import BESIDE
from ..kernel.source import HOLDS, Source, Verdict
from ..report.checker import titled
from ..report.copies import copied
from ..report.derive import DERIVED
from ..report.report import Removed, Report
from .same import MOST, differences
from .verification import Findings, Subject, shortened

_SUBJECTS: Final[Mapping[str, Subject]] = {
    "snapshots": "snapshots",
    "references": "references",
    "citations": "citations",
    "contradictions": "contradictions",
    "coverage": "coverage",
}
"""What a derived field is counted under; each of the others is a figure."""


def check_derived(report: Report, again: Report, texts: Mapping[str, str], findings: Findings) -> None:
    """Check what follows from the recorded parts of a report, its copies, and what was removed from it.

    `again` is the report with what follows derived once more; `texts` are those that it carries, by their hash.
    """
    sources = {source.id: source for source in report.sources}
    _check_copies(report, sources, texts, findings)
    for removed in report.removed:
        _check_removed(removed, report.policy, list(_judged(removed, sources, texts)), findings)
    for name in DERIVED:
        subject = _SUBJECTS.get(name, "figures")
        said, found = (one.model_dump(mode="json", include={name})[name] for one in (report, again))
        if subject not in ("snapshots", "citations"):  # which are counted where their spans are checked
            findings.count(subject, len(found) if isinstance(found, list) else 1)
        for place, one, other in islice(differences(said, found, name), MOST):
            findings.wrong(subject, f"{place} is {one}; derived again it is {other}")
    _check_recorded(report, findings)


def _check_copies(report: Report, sources: Mapping[str, Source], texts: Mapping[str, str], findings: Findings) -> None:
    """Check the groups of sources with one text, as far as their texts are there."""

    def named(group: Sequence[str]) -> str:
        own = (sources[one] for one in group)
        return ", ".join(f"“{shortened(source.title)}” ({source.path or source.url})" for source in own)

    known = [source for source in report.sources if source.snapshot in texts]
    ids = {source.id for source in known}
    said = [group for group in report.copies if ids.issuperset(group)]
    found = copied(known, [texts[source.snapshot] for source in known])
    findings.count("copies", len(said))
    for group in [one for one in found if one not in said]:
        findings.wrong("copies", f"{named(group)} have one text, and are not said to")
    for group in [one for one in said if one not in found]:
        findings.wrong("copies", f"{named(group)} are said to have one text, the first of them first")
    listed = [source for group in report.copies for source in group]
    is_sound = len(set(listed)) == len(listed) and sources.keys() >= set(listed)
    findings.expect(is_sound, "copies", "A source is in two groups of copies, or is missing")


def _check_removed(removed: Removed, policy: str, judged: Sequence[Verdict], findings: Findings) -> None:
    """Check that what was removed fails where it is said to, by what is nearest to it; `judged` are its verdicts."""
    findings.count("removed")
    what = f"“{shortened(removed.text)}”"
    if BESIDE in removed.reasons:
        findings.expect(policy != "off", "removed", f"{what} was removed, and the policy removes nothing")
    else:
        findings.expect(policy == "strict", "removed", f"{what} was removed, and the policy keeps it")
        findings.expect(removed.verdict in ("unsupported", "contradicted"), "removed", f"{what} is {removed.verdict}")
    findings.expect(bool(removed.evidence) == bool(removed.source_id), "removed", f"What is nearest to {what} is cut")
    if removed.evidence and not judged:
        findings.wrong("removed", f"What is nearest to {what} is not in its source")
    elif removed.evidence and not any(_agrees(removed, verdict) for verdict in judged):
        findings.wrong("removed", f"{what} is called {removed.verdict}, and what is nearest to it says otherwise")


def _judged(removed: Removed, sources: Mapping[str, Source], texts: Mapping[str, str]) -> Iterator[Verdict]:
    """Yield what each passage makes of a removed sentence that holds what is nearest to it."""
    source = sources.get(removed.source_id) if removed.evidence else None
    if source is not None and removed.evidence in texts.get(source.snapshot, removed.evidence):
        passages = [one for one in source.passages if removed.evidence in one.text]
        evidence = Evidence([titled(source, one) for one in passages])
        yield from (evidence.judge(removed.text, [number]) for number in range(len(passages)))


def _check_recorded(report: Report, findings: Findings) -> None:
    """Check that the recorded parts go together."""
    quoted = all(section.quoted for section in report.sections)
    wrote = bool(report.writer) or report.given is not None
    if report.queries:
        findings.expect(bool(report.coverage), "coverage", "What became of the question is left out")
        findings.expect(quoted or wrote, "figures", "Nobody wrote what it does not quote")
        what = f"{report.writer} wrote it, and all of it is quoted"
        findings.expect(not (quoted and report.writer), "figures", what)
    elif report.searches:
        findings.wrong("figures", "It was searched for something that it does not name")


def _agrees(removed: Removed, again: Verdict) -> bool:
    if BESIDE in removed.reasons and removed.verdict in HOLDS:
        return again.verdict in HOLDS
    return again.verdict in ("unsettled", removed.verdict)
