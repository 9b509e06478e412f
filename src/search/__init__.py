"""Web search: engines, the chain of them, expansion, credibility."""

from typing import TYPE_CHECKING

from ..kernel.exports import lazy_exports

if TYPE_CHECKING:
    from .credibility import score_credibility as score_credibility
    from .engines import ENGINES as ENGINES
    from .pipeline import SearchPipeline as SearchPipeline
    from .provider import SearchEngine as SearchEngine
    from .result import SearchQuery as SearchQuery
    from .result import SearchResult as SearchResult
    from .result import score_of_rank as score_of_rank

__getattr__ = lazy_exports(
    __name__,
    {
        "ENGINES": "engines",
        "SearchEngine": "provider",
        "SearchPipeline": "pipeline",
        "SearchQuery": "result",
        "SearchResult": "result",
        "score_credibility": "credibility",
        "score_of_rank": "result",
    },
)
