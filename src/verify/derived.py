"""Whether what a report lists beside its text is what its text and its sources give: made once more from both."""

from collections.abc import Iterator, Sequence

from ..evidence.evidence import Evidence
from ..evidence.reason import BESIDE
from ..evidence.relevance import unmentioned
from ..kernel.source import Verdict
from ..report.checker import titled
from ..report.copies import copied, primary_of
from ..report.coverage import covered
from ..report.disagreement import disagreements
from ..report.report import Contradiction, Removed, Report
from ..report.source_index import SourceIndex
from .carried import Carried, shortened
from .findings import Findings
from .verification import Subject

HOLDS = ("supported", "partial")


class Derived:
    """What follows from the rest of a report: contradictions, removed sentences, coverage, copies."""

    def __init__(self, report: Report, findings: Findings, carried: Carried) -> None:
        self._report = report
        self._findings = findings
        self._carried = carried
        self._index = SourceIndex.carried(report.sources, carried.texts)

    def check(self) -> None:
        """Check everything."""
        self._check_copies()
        self._check_contradictions()
        for removed in self._report.removed:
            self._check_removed(removed)
        self._check_coverage()
        if self._report.queries:
            found = unmentioned(self._report.question, [entry.text for entry in self._index.entries])
            self._expect(found == self._report.unmentioned, "figures", "The words that no source has are others")

    def _expect(self, holds: bool, subject: Subject, what: str) -> bool:
        return self._findings.expect(holds, subject, what)

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

    def _check_contradictions(self) -> None:
        """Check that every contradiction is one, and that none is left out."""
        said = self._report.contradictions
        for one in said:
            for side in (one.first, one.second):
                self._carried.check_side(side, one.subject)
        again = disagreements(self._index, self._report.citations, primary_of(self._report.copies))
        self._findings.count("contradictions", len(again))
        for one in again:
            if one not in said:
                self._tell_contradiction(one, "left out, or changed")
        for one in said:
            if one not in again:
                self._tell_contradiction(one, "listed, and is not what its sources give")

    def _tell_contradiction(self, one: Contradiction, what: str) -> None:
        quotes = f"“{shortened(one.first.quote)}” and “{shortened(one.second.quote)}”"
        self._findings.wrong("contradictions", f"The contradiction between {quotes} is {what}")

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

    def _check_coverage(self) -> None:
        """Check what became of each sub-question, by the sources that are said to have been found for it."""
        said = self._report.coverage
        self._findings.count("coverage", len(said))
        self._expect(bool(said) or not self._report.queries, "coverage", "What became of the question is left out")
        found = {one.question: one.found for one in said}
        self._expect(len(found) == len(said), "coverage", "A sub-question is there twice")
        ranked = {one.question: one.ranked for one in said if one.ranked}
        again = covered(found, self._index, self._report.claims, self._report.citations, ranked)
        for one, other in zip([one for one in said if found[one.question] is one.found], again, strict=True):
            if one != other:
                what = f"“{shortened(one.question)}” is called {one.verdict}, with {len(one.claims)} claims"
                count = f"{other.verdict}, with {len(other.claims)}, from {other.sources} sources"
                self._findings.wrong("coverage", f"{what}; found again {count}")


def _agrees(removed: Removed, again: Verdict) -> bool:
    if BESIDE in removed.reasons and removed.verdict in HOLDS:
        return again.doubtful or again.verdict in HOLDS
    return again.doubtful or (again.verdict, removed.verdict) in (
        ("contradicted", "contradicted"),
        ("unsupported", "unsupported"),
    )
