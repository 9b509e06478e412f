"""The credibility of pages, by their domain."""

from typing import Annotated, Final, Literal, TypedDict, cast

from pydantic import BaseModel, Field

from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.tool import GIVEN, tool
from .urls import domain_entry, domain_of, suffixes

_COUNTRIES: Final = {
    "ac": (
        "ae at bd be bw ci cn cr cy eg fj fk gn id il im in ir jp ke kr lk ls ma me ml mu mw mz ni nz pa pk "
        "pr rs rw se sz th tj tz ug uk vn za zm zw"
    ),
    "edu": (
        "ac af al ao ar au az ba bb bd bh bi bj bm bn bo br bs bt bz ci cn co cu cv cw dm do dz ec ee eg es "
        "et fj fm gd ge gh gi gl gn gp gr gt gu gy hk hn ht in io iq it jm jo kg kh ki km kn kp kw ky kz la "
        "lb lc lk lr ls lv ly me mg mk ml mm mn mo ms mt mv mw mx my mz ng ni np nr om pa pe pf pg ph pk pl "
        "pn pr ps pt py qa rs sa sb sc sd sg sl sn so ss st sv sy tj tm to tr tt tw ua ug uy vc ve vg vn vu "
        "ws ye za zm"
    ),
    "gc": "ca",
    "go": "ci cr id jp ke kr th tj tz ug",
    "gob": "ar bo cl cu do ec es gt hn mx ni pa pe pk sv ve",
    "gos": "pk",
    "gouv": "ci fr ht km ml sn",
    "gov": (
        "ac ae af al am ao ar as au az ba bb bd bf bh bm bn br bs bt bw by bz cd cl cm cn co cu cx cy cz dm do "
        "dz ec ee eg et fj fk gd ge gh gi gn gr gu gy hk hr hu ie il in io iq ir it jm jo kg kh ki km kn kp "
        "kr kw kz la lb lc lk lr ls lt lv ly ma md me mg mk ml mm mn mo mr ms mt mu mv mw my mz na ng np nr "
        "om pg ph pk pl pn pr ps pt pw py qa ro rs ru rw sa sb sc sd sg sh si sk sl so ss st sx sy tj tl tm tn "
        "to tr tt tw ua ug uk vc ve vn ws ye za zm zw"
    ),
    "govt": "nz",
    "gub": "uy",
    "gv": "ao at",
}
"""The countries in which a label means so: from the ICANN part of the Public Suffix List, without `go.it` (a province).

Added are registries that the list holds by wildcard (Nepal, Myanmar …), and `.gov` names that a state itself runs where
the registry reserves nothing (Slovenia, Slovakia, Hungary, Romania …).
"""

INSTITUTIONS: Final = frozenset(
    {"gov", "edu", "gov.scot", "gov.wales"}
    | {f"{label}.{country}" for label, countries in _COUNTRIES.items() for country in countries.split()}
)
"""The suffixes, in whole labels, of governments and academic institutions."""


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
    """The answer of `score_credibility`: the fields of Credibility."""

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
    """Return how credible a page is, by the longest listed suffix of whole labels of its host.

    The lists (the setting `credibility` before ours) override `.gov`, `.edu` and their national forms. `domain` counts
    only if the address has no host. Raises SettingsError for an entry of the user that is no domain.
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

OFFICIAL: Final = frozenset(
    {
        "github.com", "gitlab.com", "mozilla.org", "devdocs.io",
        "python.org", "docs.rs", "rust-lang.org", "go.dev", "nodejs.org", "react.dev", "php.net", "ruby-lang.org",
        "kotlinlang.org", "swift.org", "typescriptlang.org", "cppreference.com", "dart.dev", "julialang.org",
        "learn.microsoft.com", "cloud.google.com", "ai.google.dev", "web.dev", "man7.org",
        "kernel.org", "gnu.org", "debian.org", "freebsd.org", "apache.org", "kubernetes.io", "nginx.org",
        "postgresql.org", "sqlite.org", "redis.io", "mariadb.org", "djangoproject.com", "fastapi.tiangolo.com",
        "pytorch.org", "tensorflow.org", "numpy.org", "scipy.org", "pydata.org", "scikit-learn.org", "jax.dev",
        "w3.org", "whatwg.org", "ietf.org", "rfc-editor.org", "unicode.org", "iso.org", "opencontainers.org",
    }
)  # fmt: skip
"""Hosts of projects and standards bodies about their own work, with their subdomains: quality 5."""

DOCUMENTATION: Final = frozenset({"docs", "doc", "developer", "developers", "devdocs", "documentation"})
"""First labels of hosts of official documentation and developer portals: quality 4."""

HOSTED: Final = frozenset({"readthedocs.io", "readthedocs.org", "readthedocs-hosted.com"})
"""Hosts where projects publish their documentation: quality 4."""

ANYONE: Final = frozenset({"docs.google.com"})  # hosts that look like documentation, where anyone may write

COMMUNITY: Final = frozenset(
    {"stackoverflow.com", "stackexchange.com", "superuser.com", "serverfault.com", "medium.com", "dev.to", "reddit.com"}
)
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
