"""The pages worth reading, out of what one query or several found."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from ..settings import Settings
from .credibility import score_credibility
from .domains import Selection
from .result import SearchResult
from .urls import normalize_url

FUSION_K = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009)."""

TRUST_BONUS = 0.15
"""How much better a trusted domain's score counts in the order: as much as three ranks make (`score_of_rank`)."""


@dataclass(slots=True)
class _Candidate:
    best: SearchResult
    fusion: float = 0.0


def usable(results: Iterable[SearchResult], settings: Settings) -> list[SearchResult]:
    """Return the results, in order, that score `min_score` at least and are of a domain that the user admits."""
    selection = Selection.of(settings)
    return [result for result in results if result.score >= settings.min_score and selection.admits(result.url)]


def deduplicate_results(results: Iterable[SearchResult]) -> list[SearchResult]:
    """Return one result for each page, the one of the best score, sorted by score; of equal ones the first."""
    best: dict[str, SearchResult] = {}
    for result in results:
        page = normalize_url(result.url)
        if page not in best or result.score > best[page].score:
            best[page] = result
    return sorted(best.values(), key=lambda result: -result.score)


def filter_new_urls(results: Iterable[SearchResult], seen_urls: Collection[str]) -> list[SearchResult]:
    """Return the results, in order, whose page is not among `seen_urls`, which are normalised addresses."""
    return [result for result in results if normalize_url(result.url) not in seen_urls]


def ranked(results: Iterable[SearchResult], settings: Settings) -> list[SearchResult]:
    """Return the usable results, each page once, best score first; TRUST_BONUS acts on the order, not on the score.

    Raises SettingsError when a list of domains names what is none.
    """
    trusts = Selection.of(settings).trusts
    once = deduplicate_results(usable(results, settings))
    return sorted(once, key=lambda result: -result.score - TRUST_BONUS * trusts(result.url))


def fused(results_per_query: Sequence[Sequence[SearchResult]], settings: Settings) -> list[SearchResult]:
    """Rank what several queries found: each page once, as its best-scored result, best first.

    The order is that of reciprocal rank fusion over the `ranked` results of each query; of equal ones the more credible
    first, then the better score, then the one that was found first. Raises SettingsError as `ranked` does.
    """
    found: dict[str, _Candidate] = {}
    for results in results_per_query:
        for rank, result in enumerate(ranked(results, settings), start=1):
            candidate = found.setdefault(normalize_url(result.url), _Candidate(result))
            candidate.fusion += 1 / (FUSION_K + rank)
            if result.score > candidate.best.score:
                candidate.best = result
    in_order = sorted(found.values(), key=lambda candidate: _place(candidate, settings))
    return [candidate.best for candidate in in_order]


def _place(candidate: _Candidate, settings: Settings) -> tuple[float, int, float]:
    credibility = score_credibility(candidate.best.url, settings=settings)
    return -candidate.fusion, -credibility.score, -candidate.best.score
