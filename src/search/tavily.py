"""Tavily: POST /search with a bearer token."""

import asyncio
from typing import TYPE_CHECKING, Any, ClassVar, Final

from ..kernel.errors import SearchKeyError
from ..kernel.notice import Notice
from ..kernel.settings import Settings
from .provider import SearchEngine
from .result import SearchQuery, SearchResult
from .wording import region_of

if TYPE_CHECKING:
    from ..net import Client, Response

MOST_RESULTS: Final = 20
MOST_DOMAINS: Final = 300

COUNTRIES: Final = {
    "ar": "argentina", "at": "austria", "au": "australia", "be": "belgium", "bg": "bulgaria", "br": "brazil",
    "ca": "canada", "ch": "switzerland", "cl": "chile", "cn": "china", "co": "colombia", "cz": "czech republic",
    "de": "germany", "dk": "denmark", "ee": "estonia", "eg": "egypt", "es": "spain", "fi": "finland", "fr": "france",
    "gb": "united kingdom", "gr": "greece", "hr": "croatia", "hu": "hungary", "id": "indonesia", "ie": "ireland",
    "il": "israel", "in": "india", "is": "iceland", "it": "italy", "jp": "japan", "ke": "kenya", "kr": "south korea",
    "lt": "lithuania", "lu": "luxembourg", "lv": "latvia", "mx": "mexico", "my": "malaysia", "ng": "nigeria",
    "nl": "netherlands", "no": "norway", "nz": "new zealand", "pe": "peru", "ph": "philippines", "pk": "pakistan",
    "pl": "poland", "pt": "portugal", "ro": "romania", "rs": "serbia", "ru": "russia", "sa": "saudi arabia",
    "se": "sweden", "sg": "singapore", "si": "slovenia", "sk": "slovakia", "th": "thailand", "tr": "turkey",
    "tw": "taiwan", "ua": "ukraine", "us": "united states", "vn": "vietnam", "za": "south africa",
}  # fmt: skip
"""Tavily's names of countries, by code; other regions are not passed on."""


class Tavily(SearchEngine):
    """Tavily's search API, with its own scores; the key from the settings or from AWS Secrets Manager."""

    name = "tavily"
    home: ClassVar[str] = "https://api.tavily.com"
    key_setting = "tavily_api_key"

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._secret = ""
        self._reading = asyncio.Lock()

    @property
    def per_minute(self) -> int:
        """100 a minute with a development key, 1,000 with a production key."""
        return self.settings.search.tavily_per_minute

    @property
    def usable(self) -> bool:
        """Whether there is a key, or a secret with a key."""
        return super().usable or bool(self.settings.tavily_api_key_secret_arn)

    async def key(self) -> str:
        """Return the key; the secret is read once."""
        if self._own_key or not self.settings.tavily_api_key_secret_arn:
            return await super().key()
        from .secret import read_secret

        async with self._reading:
            self._secret = self._secret or await read_secret(self.settings)
        return self._secret

    async def search(self, client: "Client", query: SearchQuery) -> list[SearchResult]:
        """Search once; raw page content is not requested."""
        headers = {"Authorization": f"Bearer {await self.key()}"}
        response = await self.ask(client, "POST", "/search", json=_body(query), headers=headers)
        entries = self.entries(self.read_json(response).get("results"))
        names = {"url": "url", "title": "title", "snippet": "content", "score": "score", "published": "published_date"}
        return sorted(self.results(query, entries, **names), key=lambda result: -result.score)

    def refusal(self, response: "Response") -> Exception | None:
        """Return the error for a status; 432 and 433 mean that the plan's credits are used up."""
        if response.status in (432, 433):
            notice = Notice("engine_out_of_credit", engine=self.name)
            return SearchKeyError(notice, where=self.place, remedy=Notice("add_credit"))
        return super().refusal(response)


def _body(query: SearchQuery) -> dict[str, Any]:
    body: dict[str, Any] = {
        "query": query.text,
        "max_results": min(query.max_results, MOST_RESULTS),
        "search_depth": query.depth,
        "topic": "general",
    }
    if query.time_range != "none":
        body["time_range"] = query.time_range
    if country := COUNTRIES.get(region_of(query.region).country):
        body["country"] = country
    if query.domains and len(query.domains) <= MOST_DOMAINS:
        body["include_domains"] = list(query.domains)
    return body
