"""What kind of source a page is: first hand, second hand, or unverified."""

from typing import Final, Literal

from ..kernel.settings import Settings
from .credibility import INSTITUTION, REPUTABLE, credibility_of
from .urls import domain_of, suffixes

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
"""Hosts where those who make a thing, or set a standard, describe it themselves: quality 5, with their subdomains."""

DOCUMENTATION: Final = frozenset({"docs", "doc", "developer", "developers", "devdocs", "documentation"})
"""A host whose first label is one of these says that it is official documentation or a developer portal: quality 4."""

HOSTED: Final = frozenset({"readthedocs.io", "readthedocs.org", "readthedocs-hosted.com"})
"""Where projects publish their documentation: quality 4."""

ANYONE: Final = frozenset({"docs.google.com"})
"""Hosts that look like documentation, where anyone may write."""

COMMUNITY: Final = frozenset(
    {"stackoverflow.com", "stackexchange.com", "superuser.com", "serverfault.com", "medium.com", "dev.to", "reddit.com"}
)
"""Where people write about what others made: quality 3."""


def quality_of(url: str, settings: Settings | None = None) -> int:
    """Return the quality of a page, 1 to 5, by its host.

    4 and 5 are first hand: official documentation, code hosts, developer portals, governments and academia, domains of
    credibility tier1. 3 is second hand: communities and tier2. 2 is the rest.
    """
    host = domain_of(url)
    above = suffixes(host)
    score = credibility_of(url, settings=settings).score
    if not above.isdisjoint(OFFICIAL) or score == INSTITUTION:
        return 5
    documents = host.partition(".")[0] in DOCUMENTATION and "." in host and host not in ANYONE
    if documents or score > INSTITUTION or not above.isdisjoint(HOSTED):
        return 4
    return 3 if score >= REPUTABLE or not above.isdisjoint(COMMUNITY) else 2


def label_of(quality: int) -> Label:
    """Return the label of a quality: PRIMARY from 4 on, SECONDARY for 3, else UNVERIFIED."""
    return "PRIMARY" if quality >= 4 else "SECONDARY" if quality == 3 else "UNVERIFIED"
