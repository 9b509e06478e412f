"""Whether what a report counts and lists beside its text agrees with the text."""

from ..evidence.independence import independent
from ..report.confidence import confidence
from ..report.report import Contradiction, Coverage, Removed, Report
from .carried import Carried, shortened
from .findings import Findings


class Figures:
    """What a report says of itself: contradictions, removed sentences, coverage, confidence."""

    def __init__(self, report: Report, findings: Findings, carried: Carried) -> None:
        self._report = report
        self._findings = findings
        self._carried = carried

    def check(self) -> None:
        """Check everything."""
        for contradiction in self._report.contradictions:
            self._check_contradiction(contradiction)
        for removed in self._report.removed:
            self._check_removed(removed)
        for coverage in self._report.coverage:
            self._check_coverage(coverage)
        self._check_confidence()
        self._check_independent()

    def _check_contradiction(self, contradiction: Contradiction) -> None:
        for side in (contradiction.first, contradiction.second):
            self._carried.check_side(side, contradiction.subject)
        dates = contradiction.first.published, contradiction.second.published
        if contradiction.newer:
            newer, older = dates if contradiction.newer == "first" else dates[::-1]
            self._findings.expect(
                bool(older) and newer > older,
                "contradictions",
                f"About “{contradiction.subject}”: the {contradiction.newer} side is called newer, and is not",
            )

    def _check_removed(self, removed: Removed) -> None:
        self._findings.count("removed")
        if not removed.evidence:
            return
        source = self._carried.sources.get(removed.source_id)
        texts = [] if source is None else [self._carried.texts.get(source.snapshot), *(p.text for p in source.passages)]
        self._findings.expect(
            any(removed.evidence in text for text in texts if text is not None),
            "removed",
            f"What is nearest to “{shortened(removed.text)}” is not in its source",
        )

    def _check_coverage(self, coverage: Coverage) -> None:
        self._findings.count("coverage")
        what = f"“{shortened(coverage.question)}”"
        known = range(len(self._report.claims))
        if self._findings.expect(
            all(number in known for number in coverage.claims), "coverage", f"{what} names claims that are not there"
        ):
            self._findings.expect(
                bool(coverage.claims) == (coverage.verdict != "not found"),
                "coverage",
                f"{what} is called {coverage.verdict}, with {len(coverage.claims)} claims",
            )

    def _check_confidence(self) -> None:
        self._findings.count("figures")
        cited = {citation.source_id for citation in self._report.citations}
        found = confidence([source for source in self._report.sources if source.id in cited])
        self._findings.expect(
            found == self._report.confidence,
            "figures",
            f"The confidence is {self._report.confidence}, computed again {found}",
        )

    def _check_independent(self) -> None:
        self._findings.count("figures")
        cited = {citation.source_id for citation in self._report.citations}
        texts = self._carried.texts
        read = [texts[one.snapshot] for one in self._report.sources if one.id in cited and one.snapshot in texts]
        found = len(independent(read))
        self._findings.expect(
            found == self._report.independent,
            "figures",
            f"{self._report.independent} sources are called independent, counted again {found}",
        )
