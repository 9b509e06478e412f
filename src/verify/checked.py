"""What came of checking a report that somebody else wrote."""

from pydantic import BaseModel

from ..kernel.notice import Notice
from ..kernel.source import Judged
from ..report import CheckedCitation, CitationState, Report


class Quote(BaseModel, frozen=True):
    """Words of a source, verbatim: its address or path, and where in it they stand."""

    text: str
    source: str
    place: str = ""


class CheckedSentence(BaseModel, frozen=True):
    """A sentence and its verdict: `unchecked` when nothing that it cites could be read.

    `quote` is the best evidence in what it cites, or, without a citation, in all that was read. `elsewhere` supports
    a sentence that its own citations do not support.
    """

    section: str
    text: str
    verdict: Judged
    score: float = 0.0
    reasons: list[Notice] = []
    cites: list[CheckedCitation] = []
    quote: Quote | None = None
    elsewhere: Quote | None = None


class Check(BaseModel, frozen=True):
    """What came of checking a report: its claims in order, and it as a report of ours."""

    claims: list[CheckedSentence]
    report: Report

    @property
    def citations(self) -> list[CheckedCitation]:
        """Its citations, each once, in the order of the text."""
        return self.report.looked_up

    def cited(self, state: CitationState) -> list[CheckedCitation]:
        """Return the citations of which this became."""
        return [cited for cited in self.citations if cited.state == state]

    @property
    def holds(self) -> bool:
        """Whether every claim is supported."""
        return all(claim.verdict == "supported" for claim in self.claims)
