"""The back end that searches DuckDuckGo."""

from dataclasses import dataclass
from typing import Any

from ..kernel.argument import validated
from ..kernel.run import Run
from ..search import SearchQuery
from ..search.chain import search
from ..search.keyless import BY_DEFAULT


@validated
@dataclass(frozen=True, slots=True)
class DuckSearch:
    """Searches DuckDuckGo for a run; if that fails, the other keyless engines, then results of earlier runs."""

    run: Run

    @validated
    async def search(self, query: str, max_results: int = 10) -> list[dict[str, Any]]:
        """Return hits as `{title, url, snippet, score, …}`, best first. Raises NoSearchError."""
        settings = self.run.settings.updated(search__engines=list(BY_DEFAULT))
        search_query = SearchQuery.of(query, settings).model_copy(update={"max_results": max_results})
        hits = await search(self.run, search_query, settings=settings)
        return [hit.model_dump() for hit in hits]
