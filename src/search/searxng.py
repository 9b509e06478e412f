"""SearXNG, self-hosted: GET /search?format=json."""

from typing import TYPE_CHECKING, Any

from ..kernel.errors import SearchBrokenError, SearchKeyError
from ..kernel.notice import Notice
from .hit import plain
from .provider import SearchEngine
from .result import SearchQuery, SearchResult
from .wording import region_of, with_sites

if TYPE_CHECKING:
    from ..net import Client, Response


class SearXNG(SearchEngine):
    """A SearXNG server; its scores are unbounded, so the rank is used instead."""

    name = "searxng"
    pages = True
    concurrency = 8
    pause = 0.0

    @property
    def base(self) -> str:
        """The server's address, without a final `/search`."""
        address = self.settings.search.engine_urls.get(self.name) or self.settings.searxng_url or ""
        return address.rstrip("/").removesuffix("/search")

    async def search(self, client: "Client", query: SearchQuery) -> list[SearchResult]:
        """Search once."""
        answer = self.read_json(await self.ask(client, "GET", "/search", params=_params(query)))
        entries = self.entries(answer.get("results"))
        if not entries and (silent := _silent(answer.get("unresponsive_engines"))):
            notice = Notice("engines_behind_silent", engine=self.name, silent=silent)
            raise SearchBrokenError(notice, where=self.place)
        return self.results(query, entries, url="url", title="title", snippet="content", published="publishedDate")

    def refusal(self, response: "Response") -> Exception | None:
        """Return the error for a status; a server without the JSON format, as by default, answers 403."""
        if response.status == 403:
            notice = Notice("engine_refuses_json", engine=self.name, status=response.status)
            return SearchKeyError(notice, where=self.place, remedy=Notice("allow_json"))
        return super().refusal(response)


def _params(query: SearchQuery) -> dict[str, str]:
    params = {"q": with_sites(query), "format": "json"}
    if query.page > 1:
        params["pageno"] = str(query.page)
    if query.time_range != "none":
        params["time_range"] = query.time_range
    if query.safesearch != "moderate":
        params["safesearch"] = "2" if query.safesearch == "on" else "0"
    if locale := region_of(query.region).locale:
        params["language"] = locale
    return params


def _silent(engines: Any) -> str:
    """Return the engines that did not answer, as `name (reason)`."""
    pairs = [pair for pair in engines if isinstance(pair, list) and pair] if isinstance(engines, list) else []
    return ", ".join(f"{plain(pair[0])[:40]} ({plain(pair[-1])[:60]})" for pair in pairs[:5])
