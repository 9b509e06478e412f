"""The pages worth reading, out of what one query or several found."""

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
    """The user's three lists, as hosts: with any in `only`, no other domain counts; `block` goes before it."""

    only: frozenset[str] = frozenset()
    block: frozenset[str] = frozenset()
    trust: frozenset[str] = frozenset()

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return the lists of the settings. Raises SettingsError for an entry that names no domain."""
        lists = (settings.search.domains, settings.search.block, settings.search.trust)
        return cls(*(domain_entries(entries) for entries in lists))

    def admits(self, url: str) -> bool:
        """Return whether an address may be used: a web address, of a wanted domain and not of a refused one."""
        above = suffixes(domain_of(url))
        if "" in above or not url.strip().lower().startswith(("http:", "https:")):
            return False
        return above.isdisjoint(self.block) and (not self.only or not above.isdisjoint(self.only))

    def trusts(self, url: str) -> bool:
        """Return whether an address is of a domain that gets a ranking bonus."""
        return not suffixes(domain_of(url)).isdisjoint(self.trust)


FUSION_K = 60  # the constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009)
TRUST_BONUS = 0.15
"""How much better a trusted domain's score counts in the order: as much as three ranks make (`score_of_rank`)."""


Result = TypeVar("Result", bound=SearchResult | Source | Mapping[str, Any])
"""A result or a record, or a dict as either is kept."""


@dataclass(slots=True)
class RankedPage:
    """A page as its best result, and the ranks, from 1, that it has among the results of the queries that found it."""

    best: SearchResult
    ranks: list[int] = field(default_factory=list)


def usable(results: Iterable[SearchResult], settings: Settings) -> list[SearchResult]:
    """Return the results, in order, that score `min_score` at least and are of a domain that the user admits."""
    selection = Selection.of(settings)
    return [result for result in results if result.score >= settings.search.min_score and selection.admits(result.url)]


def deduplicate_results(results: Iterable[Result]) -> list[Result]:
    """Return one result for each page, the one of the best score, sorted by score; of equal ones the first."""
    best: dict[str, Result] = {}
    for result in results:
        page = _page(result)
        if page not in best or _score(result) > _score(best[page]):
            best[page] = result
    return sorted(best.values(), key=lambda result: -_score(result))


def filter_new_urls(results: Iterable[Result], seen_urls: Collection[str]) -> tuple[list[Result], set[str]]:
    """Return the results, in order, whose page is not among `seen_urls`, each page once; and all pages seen by now.

    Addresses that were seen count in whichever spelling they are given; those that are returned are normalised.
    """
    seen = set(map(normalize_url, seen_urls))
    new: dict[str, Result] = {}
    for result in results:
        if (page := _page(result)) not in seen:
            new.setdefault(page, result)
    return list(new.values()), seen | new.keys()


def _page(result: SearchResult | Source | Mapping[str, Any]) -> str:
    return normalize_url(result["url"] if isinstance(result, Mapping) else result.url)


def _score(result: SearchResult | Source | Mapping[str, Any]) -> float:
    return (result.get("score") if isinstance(result, Mapping) else result.score) or 0.0


def ranked(results: Iterable[SearchResult], settings: Settings) -> list[SearchResult]:
    """Return the usable results, each page once, best score first; TRUST_BONUS acts on the order, not on the score.

    Raises SettingsError when a list of domains names what is none.
    """
    trusts = Selection.of(settings).trusts
    once = deduplicate_results(usable(results, settings))
    return sorted(once, key=lambda result: -result.score - TRUST_BONUS * trusts(result.url))


def merged(results_per_query: Sequence[Sequence[SearchResult]], settings: Settings) -> list[RankedPage]:
    """Return each page that is among the `ranked` results of a query, in the order in which they were found."""
    found: dict[str, RankedPage] = {}
    for results in results_per_query:
        for rank, result in enumerate(ranked(results, settings), start=1):
            candidate = found.setdefault(normalize_url(result.url), RankedPage(result))
            candidate.ranks.append(rank)
            if result.score > candidate.best.score:
                candidate.best = result
    return list(found.values())


def fused(results_per_query: Sequence[Sequence[SearchResult]], settings: Settings) -> list[SearchResult]:
    """Rank what several queries found: each page once, as its best-scored result, best first.

    The order is that of reciprocal rank fusion over the `ranked` results of each query; of equal ones the more credible
    first, then the better score, then the one that was found first. Raises SettingsError as `ranked` does.
    """

    def place(candidate: RankedPage) -> tuple[float, int, float]:
        credibility = credibility_of(candidate.best.url, settings=settings)
        fusion = sum(1 / (FUSION_K + rank) for rank in candidate.ranks)
        return -fusion, -credibility.score, -candidate.best.score

    return [candidate.best for candidate in sorted(merged(results_per_query, settings), key=place)]
