"""SerpAPI: GET /search.json, Google's results; the API requires the key in the query string."""

from typing import TYPE_CHECKING, Final

from ..kernel.notice import Notice
from .provider import SearchEngine
from .result import SearchQuery, SearchResult
from .wording import region_of, with_sites

if TYPE_CHECKING:
    from ..net import Client

RANGES: Final = {"day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}


class SerpApi(SearchEngine):
    """Google through SerpAPI."""

    name = "serpapi"
    pages = True
    home = "https://serpapi.com"
    key_setting = "serpapi_api_key"

    async def search(self, client: "Client", query: SearchQuery) -> list[SearchResult]:
        """Search once."""
        params = {**_params(query), "api_key": await self.key()}
        answer = self.read_json(await self.ask(client, "GET", "/search.json", params=params))
        error = answer.get("error")
        if "organic_results" not in answer and isinstance(error, str):
            if "any results" in error:  # "Google hasn't returned any results for this query."
                return []
            raise self.broken(Notice("error_reported"))
        entries = self.entries(answer.get("organic_results"))
        return self.results(query, entries, url="link", title="title", snippet="snippet", published="date")


def _params(query: SearchQuery) -> dict[str, str]:
    region = region_of(query.region)
    params = {"engine": "google", "q": with_sites(query), "num": str(query.max_results), "output": "json"}
    if query.before:
        params["start"] = str(query.before)
    if tbs := RANGES.get(query.time_range):
        params["tbs"] = tbs
    if query.safesearch != "moderate":
        params["safe"] = "active" if query.safesearch == "on" else "off"
    if region.country:
        params["gl"] = "uk" if region.country == "gb" else region.country
    if region.language:
        params["hl"] = region.language
    return params
