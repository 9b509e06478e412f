"""The evidence of a report, without its full text: claims with their quotes, sources, and contradictions."""

from typing import Self

from pydantic import BaseModel

from ..kernel.notice import text_of
from ..render import labels_in
from ..report import Report
from ..report.report import shared


class SourceQuote(BaseModel, frozen=True):
    """A verbatim quote: characters `start` to `end` of the source's stored text, whose SHA-256 is `snapshot`."""

    text: str
    source: str
    snapshot: str
    start: int
    end: int


class EvidencedClaim(BaseModel, frozen=True):
    """A sentence of the report, its verdict, and the quotes that it cites."""

    section: str
    text: str
    verdict: str
    reasons: list[str]
    quotes: list[SourceQuote]


class EvidenceSource(BaseModel, frozen=True):
    """A source that was read; `published` is a date, `cited` whether the report cites it."""

    id: str
    title: str
    kind: str
    place: str
    published: str
    cited: bool


class Disagreement(BaseModel, frozen=True):
    """The contradicting statements of two sources on a subject."""

    subject: str
    first: str
    second: str


class ReportEvidence(BaseModel, frozen=True):
    """The evidence of a report; `copies` are groups of ids of sources with the same text.

    `language` is the code of the report's language, in which `words` names the verdicts and the parts of its pictures.
    """

    language: str
    words: dict[str, str]
    counts: dict[str, int]
    claims: list[EvidencedClaim]
    sources: list[EvidenceSource]
    copies: list[list[str]]
    disagreements: list[Disagreement]

    @classmethod
    def of(cls, report: Report) -> Self:
        """Return the evidence of a report."""
        quotes = [
            SourceQuote(text=it.quote, source=it.source_id, snapshot=it.snapshot, start=it.start, end=it.end)
            for it in report.citations
        ]
        cited, words = {citation.source_id for citation in report.citations}, labels_in(report.language)
        names = ("sentences", "merely_read", "issued", "references", "pair")
        pictures = {name: getattr(words, name) for name in names}
        return cls(
            language=words.language,
            words={**words.verdicts, **pictures},
            counts=report.counts,
            claims=[
                EvidencedClaim(
                    section=claim.section,
                    text=claim.text,
                    verdict=claim.verdict,
                    reasons=[text_of(reason, report.language) for reason in claim.reasons],
                    quotes=[quotes[index] for index in claim.citations],
                )
                for claim in report.claims
            ],
            sources=[
                EvidenceSource(**shared(EvidenceSource, it), place=it.url or it.path, cited=it.id in cited)
                for it in report.sources
            ],
            copies=[list(ids) for ids in report.copies],
            disagreements=[
                Disagreement(subject=it.subject, first=it.first.quote, second=it.second.quote)
                for it in report.contradictions
            ],
        )
