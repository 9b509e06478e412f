"""Web search: engines and their fallback chain, query expansion, ranking, credibility.

Other folders also import the modules `cached`, `candidates`, `chain`, `check`, `consolidation`, `credibility`,
`engines`, `expansion`, `keyless`, `pipeline`, `queries`, `searching`, `tavily`, `urls` and `wording`.
"""

from typing import TYPE_CHECKING

from ..kernel.exports import lazy_exports

if TYPE_CHECKING:
    from .credibility import score_credibility
    from .engines import ENGINES
    from .pipeline import SearchPipeline
    from .provider import SearchEngine
    from .result import SearchQuery, SearchResult, score_of_rank

__all__ = [
    "ENGINES",
    "SearchEngine",
    "SearchPipeline",
    "SearchQuery",
    "SearchResult",
    "score_credibility",
    "score_of_rank",
]

__getattr__ = lazy_exports(
    __name__,
    credibility="score_credibility",
    engines="ENGINES",
    pipeline="SearchPipeline",
    provider="SearchEngine",
    result="SearchQuery SearchResult score_of_rank",
)
