"""The credibility and the quality of pages, by their domain."""

import tomllib
from importlib.resources import files
from typing import Annotated, Final, Literal, TypedDict, cast

from pydantic import BaseModel, Field

from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.tool import GIVEN, tool
from .urls import domain_entry, domain_of, suffixes

_DOMAINS: Final = tomllib.loads(files(__package__).joinpath("credibility.toml").read_text(encoding="utf-8"))
"""The lists of domains in `credibility.toml`."""

INSTITUTIONS: Final = frozenset(
    {"gov", "edu", "gov.scot", "gov.wales"}
    | {f"{label}.{country}" for label, countries in _DOMAINS["countries"].items() for country in countries.split()}
)
"""The suffixes, in whole labels, of governments and academic institutions."""


Tier = Literal["tier1", "tier2", "tier3"]

AUTHORITATIVE, INSTITUTION, REPUTABLE, UNKNOWN = 90, 85, 70, 50
"""Scores: of the first list, of governments and academia, of the second list, of everything else."""

LISTED: Final[dict[str, int]] = {
    **dict.fromkeys(_DOMAINS["authoritative"], AUTHORITATIVE),
    **dict.fromkeys(_DOMAINS["reputable"], REPUTABLE),
}
"""Domain to score; the setting `credibility` extends and overrides it."""

_WHY: Final = {
    AUTHORITATIVE: "Established authoritative source",
    INSTITUTION: "Government or academic institution",
    REPUTABLE: "Reputable secondary source",
    UNKNOWN: "Unknown domain — treat with caution",
}


class Credibility(BaseModel, frozen=True):
    """The credibility of an address by its domain: `score` from 0 to 100, its tier, and the reason in words."""

    url: str
    domain: str
    score: int = Field(ge=0, le=100)
    tier: Tier
    reasoning: str


class Scored(TypedDict):
    """The result of `score_credibility`: the fields of Credibility."""

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
    credibility = credibility_of(url, domain, settings=settings or (run.settings if run else None))
    if run is not None:
        run.ledger.score(url, credibility.score, credibility.tier)
    return cast("Scored", credibility.model_dump())


def credibility_of(url: str, domain: str = "", *, settings: Settings | None = None) -> Credibility:
    """Return the credibility of a page by the longest listed suffix of whole labels of its host.

    The lists (the setting `credibility` before ours) override `.gov`, `.edu` and their national forms. `domain` counts
    only if the address has no host. Raises SettingsError if an entry of the setting is not a domain.
    """
    host = domain_of(url) or domain_of(f"//{domain}")
    user_scores = (
        {} if settings is None else {domain_entry(entry): score for entry, score in settings.search.credibility.items()}
    )
    listed = LISTED | user_scores
    suffix = max(suffixes(host) & listed.keys(), key=len, default="")
    score = listed.get(suffix, UNKNOWN if INSTITUTIONS.isdisjoint(suffixes(host)) else INSTITUTION)
    reason = "Scored in the settings" if suffix in user_scores else _WHY[score]
    return Credibility(url=url, domain=host, score=score, tier=tier_of(score), reasoning=reason)


def tier_of(score: int) -> Tier:
    """Return the tier of a score: tier1 from 85 on, tier2 from 70 on."""
    return "tier1" if score >= INSTITUTION else "tier2" if score >= REPUTABLE else "tier3"


Label = Literal["PRIMARY", "SECONDARY", "UNVERIFIED"]

OFFICIAL: Final = frozenset(_DOMAINS["official"])
"""Hosts of projects and standards bodies about their own work, with their subdomains: quality 5."""

DOCUMENTATION: Final = frozenset(_DOMAINS["documentation"])
"""First labels of hosts of official documentation and developer portals: quality 4."""

HOSTED: Final = frozenset(_DOMAINS["hosted"])
"""Hosts where projects publish their documentation: quality 4."""

ANYONE: Final = frozenset(_DOMAINS["anyone"])  # hosts that look like documentation, where anyone may write

COMMUNITY: Final = frozenset(_DOMAINS["community"])
"""Hosts where people write about the work of others: quality 3."""


def quality_of(url: str, settings: Settings | None = None) -> int:
    """Return the quality of a page, 1 to 5, by its host.

    4 and 5 are first hand: official documentation, code hosts, developer portals, governments and academia, domains of
    credibility tier1. 3 is second hand: communities and tier2. 2 is the rest.
    """
    host = domain_of(url)
    hosts = suffixes(host)
    score = credibility_of(url, settings=settings).score
    if not hosts.isdisjoint(OFFICIAL) or score == INSTITUTION:
        return 5
    documents = host.partition(".")[0] in DOCUMENTATION and "." in host and host not in ANYONE
    if documents or score > INSTITUTION or not hosts.isdisjoint(HOSTED):
        return 4
    return 3 if score >= REPUTABLE or not hosts.isdisjoint(COMMUNITY) else 2


def label_of(quality: int) -> Label:
    """Return the label of a quality: PRIMARY from 4 on, SECONDARY for 3, else UNVERIFIED."""
    return "PRIMARY" if quality >= 4 else "SECONDARY" if quality == 3 else "UNVERIFIED"
