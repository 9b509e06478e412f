"""The cache of results of earlier runs, which is the last engine of every chain."""

import json
from typing import TYPE_CHECKING, Final

from ..kernel.cache import DAY, Cache
from ..kernel.errors import CacheError, SearchError
from ..kernel.notice import Notice
from ..kernel.settings import Settings
from .provider import SearchEngine
from .queries import normalised
from .result import SearchQuery, SearchResult

if TYPE_CHECKING:
    from ..net import Client

KIND: Final = "search"
LONGEST_AGE: Final = 30 * DAY  # seconds for which results are cached
AGES: Final = {"day": DAY, "week": 7 * DAY}  # seconds, the maximum age for queries with a shorter range of time


class Cached(SearchEngine):
    """Cached results for the same query, region, range of time, safe search and domains, from any engine.

    Each result has its age. Raises SearchError if there are no cached results, or none that are recent enough.
    """

    name = "cached"
    home = "cache:"
    concurrency = 8
    pause = 0.0

    def __init__(self, settings: Settings, cache: Cache) -> None:
        super().__init__(settings)
        self._cache = cache

    async def search(self, client: "Client", query: SearchQuery) -> list[SearchResult]:  # noqa: ARG002 nothing is asked
        """Return the cached results of the query."""
        try:
            entry = await self._cache.get(KIND, _key(query), max_age=AGES.get(query.time_range))
        except CacheError as error:
            raise error.as_kind(SearchError) from error
        if entry is None:
            raise SearchError(Notice("nothing_kept"))
        results = [SearchResult.model_validate(result) for result in entry.value[: query.max_results]]
        return [result.model_copy(update={"age": int(entry.age)}) for result in results]


async def keep(cache: Cache, query: SearchQuery, results: list[SearchResult]) -> None:
    """Cache an engine's results for later runs. Raises CacheError."""
    if results:
        await cache.put(KIND, _key(query), [result.model_dump() for result in results], lasts=LONGEST_AGE)


def _key(query: SearchQuery) -> str:
    conditions = [query.time_range, query.region.lower(), query.safesearch, sorted(query.domains)]
    return json.dumps([normalised(query.text), *conditions])
