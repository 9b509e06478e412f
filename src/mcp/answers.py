"""What the tools answer: bounded in length, with what to do next."""

from typing import Final, Literal, Self

from pydantic import BaseModel

from ..kernel.one_line import tamed
from ..kernel.outcome import Outcome
from ..kernel.source import Judged
from ..rag import Hit
from ..report import Reference, Report
from ..runs.forecast import Forecast
from ..verify import Check, CheckedSentence, Verification

LONGEST: Final = 48_000
"""Bytes of text in one answer: less than 25,000 tokens in any language, and room for what stands beside it."""

LONGEST_QUOTE: Final = 400  # characters of a quote
MOST: Final = 60  # sentences, references or mismatches in one answer
State = Outcome | Literal["running", "interrupted", "unreadable"]


class ResearchStatus(BaseModel):
    """How a run stands. `began` is an ISO time; `done` counts what it has asked and read; `next` says what to call."""

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
    """The plan of a run as it was made, and what it will take at least and at most."""

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
        """Return it with a quote of bounded length."""
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
        cited = [one for one in report.references if f"[{one.number}]" in text]
        return cls(
            run=report.run,
            title=report.title,
            outcome=report.outcome,
            confidence=report.confidence or "",
            text=text,
            references=[Cited.of(one) for one in cited[:MOST]],
            total=len(whole),
            next_offset=end if end < len(whole) else None,
        )


class Verified(BaseModel):
    """Whether a report agrees with the texts that it carries, and what does not."""

    run: str
    holds: bool
    checked: dict[str, int]
    mismatches: list[str]
    unchecked: list[str]

    @classmethod
    def of(cls, run: str, found: Verification) -> Self:
        """Return the first mismatches in words."""
        told = [f"{one.subject}: {one.what} ({one.where})".replace(" ()", "") for one in found.mismatches]
        return cls(
            run=run,
            holds=found.holds,
            checked={str(subject): count for subject, count in found.checked.items()},
            mismatches=told[:MOST],
            unchecked=found.unchecked,
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
        """Return it with what its evidence says, or what is said elsewhere."""
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
    def of(cls, found: Check) -> Self:
        """Return the claims, those first that do not hold."""
        order: tuple[Judged, ...] = ("contradicted", "unsupported", "unsettled", "partial", "unchecked", "supported")
        claims = sorted(found.claims, key=lambda one: order.index(one.verdict))
        missing = [*found.cited("dead"), *found.cited("invented")]
        return cls(
            holds=found.holds,
            counts={verdict: count for verdict, count in found.report.counts.items() if count},
            claims=[CheckedClaim.of(one) for one in claims[:MOST]],
            dead_or_invented=[f"{one.spelled}: {one.why}" for one in missing[:MOST]],
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
        """Return it with what a terminal or a model could take for a command made harmless."""
        return cls(
            id=f"file:{hit.path}@{hit.passage.start}",
            path=hit.path,
            place=hit.passage.place,
            title=tamed(hit.title),
            text=tamed(hit.passage.text),
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


def bounded(text: str, most: int = LONGEST) -> str:
    """Return as much of a text as so many bytes hold, cut between lines where that loses less than half."""
    if len(text.encode()) <= most:
        return text
    cut = text.encode()[:most].decode(errors="ignore")
    line = cut.rfind("\n") + 1
    return cut[:line] if line > len(cut) // 2 else cut
