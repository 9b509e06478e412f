"""Selection and ranking of the result pages of one or several queries."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

from ..kernel.settings import Settings
from ..kernel.source import Source
from .credibility import credibility_of
from .result import SearchResult
from .urls import domain_entries, domain_of, normalize_url, suffixes


@dataclass(frozen=True, slots=True)
class Selection:
    """The user's lists of hosts: `only` (unless empty, no others are admitted), `block` (overrides it) and `trust`."""

    only: frozenset[str] = frozenset()
    block: frozenset[str] = frozenset()
    trust: frozenset[str] = frozenset()

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return the lists of the settings. Raises SettingsError for an entry that is not a domain."""
        lists = (settings.search.domains, settings.search.block, settings.search.trust)
        return cls(*(domain_entries(entries) for entries in lists))

    def admits(self, url: str) -> bool:
        """Return whether an address may be used: a web address of an admitted domain."""
        hosts = suffixes(domain_of(url))
        if "" in hosts or not url.strip().lower().startswith(("http:", "https:")):
            return False
        return hosts.isdisjoint(self.block) and (not self.only or not hosts.isdisjoint(self.only))

    def trusts(self, url: str) -> bool:
        """Return whether an address is of a domain that gets a ranking bonus."""
        return not suffixes(domain_of(url)).isdisjoint(self.trust)


FUSION_K = 60  # the constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009)
TRUST_BONUS = 0.15
"""Added to the score of a trusted domain for the order: as much as three ranks (`score_of_rank`)."""


Result = TypeVar("Result", bound=SearchResult | Source | Mapping[str, Any])
"""A result or a record, or the dict of either."""


@dataclass(slots=True)
class RankedPage:
    """A page: its best result, and its ranks, from 1, in the results of the queries that found it."""

    best: SearchResult
    ranks: list[int] = field(default_factory=list)


def usable(results: Iterable[SearchResult], settings: Settings) -> list[SearchResult]:
    """Return the results, in order, with a score of at least `min_score` and an admitted domain."""
    selection = Selection.of(settings)
    return [result for result in results if result.score >= settings.search.min_score and selection.admits(result.url)]


def deduplicate_results(results: Iterable[Result]) -> list[Result]:
    """Return the best-scored result of each page, sorted by score; the first on a tie."""
    best: dict[str, Result] = {}
    for result in results:
        key = _page(result)
        if key not in best or _score(result) > _score(best[key]):
            best[key] = result
    return sorted(best.values(), key=lambda result: -_score(result))


def filter_new_urls(results: Iterable[Result], seen_urls: Collection[str]) -> tuple[list[Result], set[str]]:
    """Return the results of pages not in `seen_urls`, in order, each page once; and the addresses of all pages seen.

    `seen_urls` need not be normalised; the returned addresses are.
    """
    seen = set(map(normalize_url, seen_urls))
    new: dict[str, Result] = {}
    for result in results:
        if (key := _page(result)) not in seen:
            new.setdefault(key, result)
    return list(new.values()), seen | new.keys()


def _page(result: SearchResult | Source | Mapping[str, Any]) -> str:
    return normalize_url(result["url"] if isinstance(result, Mapping) else result.url)


def _score(result: SearchResult | Source | Mapping[str, Any]) -> float:
    return (result.get("score") if isinstance(result, Mapping) else result.score) or 0.0


def ranked(results: Iterable[SearchResult], settings: Settings) -> list[SearchResult]:
    """Return the usable results, each page once, best score first; TRUST_BONUS affects the order, not the scores.

    Raises SettingsError if an entry of the user's lists is not a domain.
    """
    trusts = Selection.of(settings).trusts
    distinct = deduplicate_results(usable(results, settings))
    return sorted(distinct, key=lambda result: -result.score - TRUST_BONUS * trusts(result.url))


def merged(results_per_query: Sequence[Sequence[SearchResult]], settings: Settings) -> list[RankedPage]:
    """Return each page in the `ranked` results of the queries, in the order found."""
    pages: dict[str, RankedPage] = {}
    for results in results_per_query:
        for rank, result in enumerate(ranked(results, settings), start=1):
            page = pages.setdefault(normalize_url(result.url), RankedPage(result))
            page.ranks.append(rank)
            if result.score > page.best.score:
                page.best = result
    return list(pages.values())


def fused(results_per_query: Sequence[Sequence[SearchResult]], settings: Settings) -> list[SearchResult]:
    """Rank the results of several queries: each page once, as its best-scored result, best first.

    The order is that of reciprocal rank fusion over the `ranked` results of each query; ties are broken by credibility,
    then by score, then by the order found. Raises SettingsError as `ranked` does.
    """

    def sort_key(page: RankedPage) -> tuple[float, int, float]:
        credibility = credibility_of(page.best.url, settings=settings)
        fusion = sum(1 / (FUSION_K + rank) for rank in page.ranks)
        return -fusion, -credibility.score, -page.best.score

    return [page.best for page in sorted(merged(results_per_query, settings), key=sort_key)]
