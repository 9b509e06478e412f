"""How far a page can be believed, by its domain."""

from typing import Annotated, Final, Literal, TypedDict, cast

from pydantic import BaseModel, Field

from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.tool import GIVEN, tool
from .institutions import INSTITUTIONS
from .urls import domain_entry, domain_of, suffixes

Tier = Literal["tier1", "tier2", "tier3"]

AUTHORITATIVE, INSTITUTION, REPUTABLE, UNKNOWN = 90, 85, 70, 50
"""Scores: of the first list, of governments and academia, of the second list, of everything else."""

LISTED: Final[dict[str, int]] = dict.fromkeys(
    [
        "reuters.com", "apnews.com", "nature.com", "science.org", "arxiv.org", "scholar.google.com",
        "pubmed.ncbi.nlm.nih.gov", "bbc.com", "nytimes.com", "washingtonpost.com",
    ],
    AUTHORITATIVE,
) | dict.fromkeys(
    [
        "wikipedia.org", "medium.com", "techcrunch.com", "arstechnica.com", "theverge.com", "wired.com",
        "aws.amazon.com", "cloud.google.com", "learn.microsoft.com", "stackoverflow.com", "github.com",
    ],
    REPUTABLE,
)  # fmt: skip
"""Domain to score; the setting `credibility` extends it and goes before it."""

_WHY: Final = {
    AUTHORITATIVE: "Established authoritative source",
    INSTITUTION: "Government or academic institution",
    REPUTABLE: "Reputable secondary source",
    UNKNOWN: "Unknown domain — treat with caution",
}


class Credibility(BaseModel, frozen=True):
    """What the domain of an address says about it: `score` from 0 to 100, its tier, and the reason in words."""

    url: str
    domain: str
    score: int = Field(ge=0, le=100)
    tier: Tier
    reasoning: str


class Scored(TypedDict):
    """What `score_credibility` answers: the fields of Credibility."""

    url: str
    domain: str
    score: int
    tier: str
    reasoning: str


@tool
def score_credibility(  # noqa: D417 what the caller's code gives is none of a model's business
    url: str,
    domain: str = "",
    content_snippet: str = "",  # noqa: ARG001 part of the contract
    settings: Annotated[Settings | None, GIVEN] = None,
    *,
    run: Annotated[Run | None, GIVEN] = None,
) -> Scored:
    """Score how credible a page is, from 0 to 100, by its domain alone, and say why.

    Args:
        url: The page's address.
        domain: Its host, which counts only where the address has none.
        content_snippet: Some of its text, which is never looked at: no page raises its own credibility.

    The ledger of a `run` has the score from then on. Raises SettingsError when the user's list names what is no domain.
    """
    found = credibility_of(url, domain, settings=settings or (run.settings if run else None))
    if run is not None:
        run.ledger.score(url, found.score, found.tier)
    return cast("Scored", found.model_dump())


def credibility_of(url: str, domain: str = "", *, settings: Settings | None = None) -> Credibility:
    """Return how credible a page is, by the longest listed suffix of whole labels of its host.

    The lists (the user's `credibility` of the settings before ours) go before `.gov`, `.edu` and their national forms.
    `domain` counts only where the address itself has no host. Raises SettingsError when the user's list names what is
    no domain.
    """
    host = domain_of(url) or domain_of(f"//{domain}")
    users = (
        {} if settings is None else {domain_entry(entry): score for entry, score in settings.search.credibility.items()}
    )
    listed = LISTED | users
    for suffix in sorted(suffixes(host), key=len, reverse=True):
        if suffix in listed:
            why = "Scored in the settings" if suffix in users else _WHY[listed[suffix]]
            return _credibility(url, host, listed[suffix], why)
    score = UNKNOWN if INSTITUTIONS.isdisjoint(suffixes(host)) else INSTITUTION
    return _credibility(url, host, score, _WHY[score])


def tier_of(score: int) -> Tier:
    """Return the tier of a score: tier1 from 85 on, tier2 from 70 on."""
    return "tier1" if score >= INSTITUTION else "tier2" if score >= REPUTABLE else "tier3"


def _credibility(url: str, domain: str, score: int, why: str) -> Credibility:
    return Credibility(url=url, domain=domain, score=score, tier=tier_of(score), reasoning=why)
