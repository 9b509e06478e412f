"""Whether what a report lists beside its text is what its text and its sources give: made once more from both."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from ..evidence.evidence import Evidence
from ..evidence.reason import BESIDE
from ..kernel.source import Verdict
from ..report.checker import titled
from ..report.copies import copied
from ..report.derive import DERIVED
from ..report.report import Removed, Report
from .carried import Carried, shortened
from .findings import Findings
from .same import MOST, differences
from .verification import Subject

HOLDS = ("supported", "partial")

_SUBJECTS: Final[Mapping[str, Subject]] = {
    "snapshots": "snapshots",
    "references": "references",
    "citations": "citations",
    "contradictions": "contradictions",
    "coverage": "coverage",
}
"""What a derived field is counted under; each of the others is a figure."""


class Derived:
    """What follows from the recorded parts of a report, its copies, and what was removed from it."""

    def __init__(self, report: Report, findings: Findings, carried: Carried, again: Report) -> None:
        self._report = report
        self._findings = findings
        self._expect = findings.expect
        self._carried = carried
        self._again = again

    def check(self) -> None:
        """Check everything."""
        self._check_copies()
        for removed in self._report.removed:
            self._check_removed(removed)
        self._check_derived()
        self._check_recorded()

    def _check_copies(self) -> None:
        """Check the groups of sources with one text, as far as their texts are there."""
        known = [source for source in self._report.sources if source.snapshot in self._carried.texts]
        ids = {source.id for source in known}
        said = [group for group in self._report.copies if ids.issuperset(group)]
        found = copied(known, [self._carried.texts[source.snapshot] for source in known])
        self._findings.count("copies", len(said))
        for group in [one for one in found if one not in said]:
            self._expect(False, "copies", f"{self._named(group)} have one text, and are not said to")
        for group in [one for one in said if one not in found]:
            self._expect(False, "copies", f"{self._named(group)} are said to have one text, the first of them first")
        listed = [source for group in self._report.copies for source in group]
        self._expect(
            len(set(listed)) == len(listed) and self._carried.sources.keys() >= set(listed),
            "copies",
            "A source is in two groups of copies, or is missing",
        )

    def _named(self, group: Sequence[str]) -> str:
        sources = (self._carried.sources[one] for one in group)
        return ", ".join(f"“{shortened(source.title)}” ({source.path or source.url})" for source in sources)

    def _check_removed(self, removed: Removed) -> None:
        """Check that what was removed fails where it is said to, by what is nearest to it."""
        self._findings.count("removed")
        what = f"“{shortened(removed.text)}”"
        if BESIDE in removed.reasons:
            self._expect(self._report.policy != "off", "removed", f"{what} was removed, and the policy removes nothing")
        else:
            self._expect(self._report.policy == "strict", "removed", f"{what} was removed, and the policy keeps it")
            self._expect(removed.verdict in ("unsupported", "contradicted"), "removed", f"{what} is {removed.verdict}")
        self._expect(bool(removed.evidence) == bool(removed.source_id), "removed", f"What is nearest to {what} is cut")
        if removed.evidence:
            judged = list(self._judged(removed))
            self._expect(bool(judged), "removed", f"What is nearest to {what} is not in its source")
            self._expect(
                not judged or any(_agrees(removed, verdict) for verdict in judged),
                "removed",
                f"{what} is called {removed.verdict}, and what is nearest to it says otherwise",
            )

    def _judged(self, removed: Removed) -> Iterator[Verdict]:
        """Yield what each passage makes of a removed sentence that holds what is nearest to it."""
        source = self._carried.sources.get(removed.source_id)
        if source is not None and self._carried.texts.get(source.snapshot, removed.evidence).count(removed.evidence):
            passages = [one for one in source.passages if removed.evidence in one.text]
            evidence = Evidence([titled(source, one) for one in passages])
            yield from (evidence.judge(removed.text, [number]) for number in range(len(passages)))

    def _check_recorded(self) -> None:
        """Check that the recorded parts go together."""
        report = self._report
        quoted = all(section.quoted for section in report.sections)
        wrote = bool(report.writer) or report.given is not None
        if report.queries:
            self._expect(bool(report.coverage), "coverage", "What became of the question is left out")
            self._expect(quoted or wrote, "figures", "Nobody wrote what it does not quote")
            self._expect(
                not (quoted and report.writer), "figures", f"{report.writer} wrote it, and all of it is quoted"
            )
        elif report.searches:
            self._expect(False, "figures", "It was searched for something that it does not name")

    def _check_derived(self) -> None:
        """Compare what was derived with what is derived again, field by field."""
        for name in DERIVED:
            subject = _SUBJECTS.get(name, "figures")
            said, found = (one.model_dump(mode="json", include={name})[name] for one in (self._report, self._again))
            if subject not in ("snapshots", "citations"):  # which are counted where their spans are checked
                self._findings.count(subject, len(found) if isinstance(found, list) else 1)
            for place, one, other in islice(differences(said, found, name), MOST):
                self._findings.wrong(subject, f"{place} is {one}; derived again it is {other}")


def _agrees(removed: Removed, again: Verdict) -> bool:
    if BESIDE in removed.reasons and removed.verdict in HOLDS:
        return again.doubtful or again.verdict in HOLDS
    return again.doubtful or (again.verdict, removed.verdict) in (
        ("contradicted", "contradicted"),
        ("unsupported", "unsupported"),
    )
