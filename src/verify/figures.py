"""Whether what a report says of itself agrees with the rest of it: outcome, spending, who wrote it."""

from ..kernel.outcome import outcome_of
from ..report.report import Report
from .findings import Findings


class Figures:
    """What a report says of itself."""

    def __init__(self, report: Report, findings: Findings) -> None:
        self._report = report
        self._findings = findings

    def check(self) -> None:
        """Check everything."""
        self._check_outcome()
        self._check_spending()
        if self._report.queries:
            self._check_research()

    def _expect(self, holds: bool, what: str) -> None:
        self._findings.count("figures")
        self._findings.expect(holds, "figures", what)

    def _check_outcome(self) -> None:
        """Check that a report is partial where something failed, and only there."""
        report = self._report
        written = bool(report.sections or report.given is not None or not report.queries)
        found = outcome_of(found=written, failed=bool(report.failures))
        self._expect(report.outcome in (found, "cancelled"), f"Its outcome is “{report.outcome}”, and it is {found}")
        self._expect(bool(report.queries) or not report.searches, "It was searched for something that it does not name")

    def _check_spending(self) -> None:
        """Check that the calls come to what was spent."""
        spent, models = self._report.spending, [one for one in self._report.calls if one.kind in ("model", "embed")]
        for field in ("prompt_tokens", "completion_tokens"):
            known, told = getattr(spent, field), sum(getattr(one, field) for one in models)
            self._expect(known == told, f"The {field} are {known}, those of its calls {told}")

    def _check_research(self) -> None:
        """Check what the report of a question says, and that on a stranger's report does not."""
        report = self._report
        quoted = all(section.quoted for section in report.sections)
        self._expect(quoted or bool(report.writer) or report.given is not None, "Nobody wrote what it does not quote")
        self._expect(not quoted or not report.writer, f"{report.writer} wrote it, and all of it is quoted")
