"""Results of earlier runs, the last engine of every chain."""

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
LONGEST_AGE: Final = 30 * DAY  # seconds for which results are kept
AGES: Final = {"day": DAY, "week": 7 * DAY}  # seconds where the range of time that is asked for is shorter


class Cached(SearchEngine):
    """The results of the same query, region, range of time, safe search and domains, whichever engine found them.

    Each one says its age. A query of which nothing is kept, or nothing young enough, is a SearchError.
    """

    name = "cached"
    home = "cache:"
    concurrency = 8
    pause = 0.0

    def __init__(self, settings: Settings, cache: Cache) -> None:
        super().__init__(settings)
        self._cache = cache

    async def search(self, client: "Client", query: SearchQuery) -> list[SearchResult]:  # noqa: ARG002 nothing is asked
        """Look the query up."""
        try:
            entry = await self._cache.get(KIND, _key(query), max_age=AGES.get(query.time_range))
        except CacheError as error:
            raise error.turned(SearchError) from error
        if entry is None:
            raise SearchError(Notice("nothing_kept"))
        found = [SearchResult.model_validate(one) for one in entry.value[: query.max_results]]
        return [one.model_copy(update={"age": int(entry.age)}) for one in found]


async def keep(cache: Cache, query: SearchQuery, found: list[SearchResult]) -> None:
    """Keep what an engine found for later runs. Raises CacheError."""
    if found:
        await cache.put(KIND, _key(query), [one.model_dump() for one in found], lasts=LONGEST_AGE)


def _key(query: SearchQuery) -> str:
    terms = [query.time_range, query.region.lower(), query.safesearch, sorted(query.domains)]
    return json.dumps([normalised(query.text), *terms])
