"""The results of the tools: limited in length, and naming the next step."""

from typing import Final, Literal, Self

from pydantic import BaseModel

from ..kernel.one_line import sanitized
from ..kernel.outcome import Outcome
from ..kernel.source import Judged
from ..rag import Hit
from ..report import Reference, Report
from ..runs.forecast import Forecast
from ..verify import Check, CheckedSentence, Verification

LONGEST: Final = 48_000
"""Bytes of text in one result: less than 25,000 tokens in any language, with room for the other fields."""

LONGEST_QUOTE: Final = 400  # characters of a quote
MOST: Final = 60  # sentences, references or mismatches in one result
State = Outcome | Literal["running", "interrupted", "unreadable"]


class ResearchStatus(BaseModel):
    """The state of a run. `began` is an ISO time; `done` counts its calls by kind; `next` says what to call."""

    run: str
    question: str
    state: State
    began: str = ""
    done: dict[str, int] = {}
    calls: int = 0
    cost_usd: float | None = 0.0
    problem: str = ""
    next: str


class ResearchPlan(BaseModel):
    """The plan of a run as it was made, and a forecast of what it takes at least and at most."""

    run: str
    tasks: list[str]
    agents: list[str]
    forecast: Forecast
    next: str


class Cited(BaseModel):
    """A reference of a report: its number in the text, where it is, and the quote in the source."""

    number: int
    title: str
    place: str
    quote: str

    @classmethod
    def of(cls, reference: Reference) -> Self:
        """Return the reference with a quote of bounded length."""
        place = f"{reference.url or reference.path}{f', page {reference.page}' if reference.page else ''}"
        quote = reference.quote[:LONGEST_QUOTE]
        return cls(number=reference.number, title=reference.title, place=place, quote=quote)


class ReportPart(BaseModel):
    """A part of a report's Markdown from `offset` on, and the references that it cites; `next_offset` goes on."""

    run: str
    title: str
    outcome: str
    confidence: str = ""
    text: str
    references: list[Cited]
    total: int
    next_offset: int | None = None

    @classmethod
    def of(cls, report: Report, offset: int) -> Self:
        """Return the part that begins at that character."""
        whole = report.markdown
        text = bounded(whole[offset:])
        end = offset + len(text)
        cited = [reference for reference in report.references if f"[{reference.number}]" in text]
        return cls(
            run=report.run,
            title=report.title,
            outcome=report.outcome,
            confidence=report.confidence or "",
            text=text,
            references=[Cited.of(reference) for reference in cited[:MOST]],
            total=len(whole),
            next_offset=end if end < len(whole) else None,
        )


class Verified(BaseModel):
    """Whether a report agrees with the texts that it contains, and what does not."""

    run: str
    holds: bool
    checked: dict[str, int]
    mismatches: list[str]
    unchecked: list[str]

    @classmethod
    def of(cls, run: str, verification: Verification) -> Self:
        """Return the verification with its first mismatches as text."""
        mismatches = [f"{it.subject}: {it.what} ({it.where})".replace(" ()", "") for it in verification.mismatches]
        return cls(
            run=run,
            holds=verification.holds,
            checked={str(subject): count for subject, count in verification.checked.items()},
            mismatches=mismatches[:MOST],
            unchecked=verification.unchecked,
        )


class CheckedClaim(BaseModel):
    """A sentence with its verdict, the reasons, and the best quote of what was read."""

    text: str
    verdict: str
    reasons: list[str]
    quote: str = ""
    source: str = ""

    @classmethod
    def of(cls, claim: CheckedSentence) -> Self:
        """Return the sentence with the quote of its evidence, else of another source."""
        quote = claim.quote or claim.elsewhere
        return cls(
            text=claim.text,
            verdict=claim.verdict,
            reasons=list(map(str, claim.reasons)),
            quote=quote.text[:LONGEST_QUOTE] if quote else "",
            source=quote.source if quote else "",
        )


class CheckedText(BaseModel):
    """A text, claim by claim. `left_out` counts the claims that did not fit."""

    holds: bool
    counts: dict[str, int]
    claims: list[CheckedClaim]
    dead_or_invented: list[str]
    left_out: int = 0

    @classmethod
    def of(cls, check: Check) -> Self:
        """Return the claims, failed ones first."""
        order: tuple[Judged, ...] = ("contradicted", "unsupported", "unsettled", "partial", "unchecked", "supported")
        claims = sorted(check.claims, key=lambda claim: order.index(claim.verdict))
        missing = [*check.cited("dead"), *check.cited("invented")]
        return cls(
            holds=check.holds,
            counts={verdict: count for verdict, count in check.report.counts.items() if count},
            claims=[CheckedClaim.of(claim) for claim in claims[:MOST]],
            dead_or_invented=[f"{citation.spelled}: {citation.why}" for citation in missing[:MOST]],
            left_out=max(0, len(claims) - MOST),
        )


class FoundPassage(BaseModel):
    """A passage of a file of the user's, and the id by which `fetch` returns more of the file."""

    id: str
    path: str
    place: str
    title: str
    text: str

    @classmethod
    def of(cls, hit: Hit) -> Self:
        """Return the passage, with everything made harmless that a terminal or a model could take for a command."""
        return cls(
            id=f"file:{hit.path}@{hit.passage.start}",
            path=hit.path,
            place=hit.passage.place,
            title=sanitized(hit.title),
            text=sanitized(hit.passage.text),
        )


class FoundPassages(BaseModel):
    """The best passages for a query, best first, and what to know of the search."""

    passages: list[FoundPassage]
    notices: list[str]


class SearchHit(BaseModel):
    """One result of `search`, as research connectors expect it."""

    id: str
    title: str
    url: str


class SearchResults(BaseModel):
    """The results of `search`."""

    results: list[SearchHit]


class FetchedDocument(BaseModel):
    """A document, as research connectors expect it."""

    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, str] = {}


def bounded(text: str, limit: int = LONGEST) -> str:
    """Return the beginning of a text, at most `limit` bytes, cut at a line end if that loses less than half."""
    if len(text.encode()) <= limit:
        return text
    cut = text.encode()[:limit].decode(errors="ignore")
    line = cut.rfind("\n") + 1
    return cut[:line] if line > len(cut) // 2 else cut
