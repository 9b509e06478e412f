"""Brave: GET /res/v1/web/search with a subscription token."""

from typing import TYPE_CHECKING, Final

from ..kernel.errors import SearchKeyError
from ..kernel.notice import Notice
from .provider import SearchEngine
from .result import SearchQuery, SearchResult
from .wording import region_of, with_sites

if TYPE_CHECKING:
    from ..net import Client, Response

MOST_RESULTS: Final = 20
SAFE: Final = {"on": "strict", "off": "off"}
FRESHNESS: Final = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}
COUNTRIES: Final = frozenset({
    "ar", "at", "au", "be", "br", "ca", "ch", "cl", "cn", "de", "dk", "es", "fi", "fr", "gb", "hk", "id", "in", "it",
    "jp", "kr", "mx", "my", "nl", "no", "nz", "ph", "pl", "pt", "ru", "sa", "se", "tr", "tw", "us", "za",
})  # fmt: skip
"""The countries that Brave accepts; others are not passed on."""

LANGUAGES: Final = frozenset({
    "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "eu", "fi", "fr", "gl", "gu", "he", "hi", "hr",
    "hu", "is", "it", "jp", "kn", "ko", "lt", "lv", "ml", "mr", "ms", "nb", "nl", "pa", "pl", "ro", "ru", "sk", "sl",
    "sr", "sv", "ta", "te", "th", "tr", "uk", "vi",
})  # fmt: skip
"""The languages that Brave accepts, in its codes."""

OWN_CODES: Final = {"ja": "jp", "no": "nb"}


class Brave(SearchEngine):
    """Brave's web search API."""

    name = "brave"
    pages = True
    home = "https://api.search.brave.com"
    key_setting = "brave_api_key"

    async def search(self, client: "Client", query: SearchQuery) -> list[SearchResult]:
        """Search once."""
        headers = {"X-Subscription-Token": await self.key(), "Accept": "application/json"}
        response = await self.ask(client, "GET", "/res/v1/web/search", params=_params(query), headers=headers)
        answer = self.read_json(response)
        web = answer.get("web")
        if web is None and answer.get("type") == "search":  # Brave found nothing
            return []
        entries = self.entries(web.get("results") if isinstance(web, dict) else None)
        return self.results(query, entries, url="url", title="title", snippet="description", published="page_age")

    def refusal(self, response: "Response") -> Exception | None:
        """Return the error for a status; Brave answers 422 to an unknown key."""
        if response.status == 422 and b"SUBSCRIPTION_TOKEN" in response.body:
            notice = Notice("engine_refuses_key", engine=self.name, status=response.status)
            remedy = Notice("check_setting", setting=self.key_setting)
            return SearchKeyError(notice, where=self.place, remedy=remedy)
        return super().refusal(response)


def _params(query: SearchQuery) -> dict[str, str]:
    region = region_of(query.region)
    params = {"q": with_sites(query), "count": str(min(query.max_results, MOST_RESULTS)), "text_decorations": "false"}
    if query.page > 1:
        params["offset"] = str(query.page - 1)
    if freshness := FRESHNESS.get(query.time_range):
        params["freshness"] = freshness
    if safe := SAFE.get(query.safesearch):
        params["safesearch"] = safe
    if region.country in COUNTRIES:
        params["country"] = region.country.upper()
    if (language := OWN_CODES.get(region.language, region.language)) in LANGUAGES:
        params["search_lang"] = language
    return params
