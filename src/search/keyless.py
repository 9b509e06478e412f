"""Engines that need no key: their public pages, requested through the filter proxy and parsed by ddgs."""

import json
import re
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal
from urllib.parse import parse_qs, unquote, urljoin, urlsplit

from ..kernel.attempts import retry_after
from ..kernel.errors import FetchError, SearchBlockedError, SearchError, SearchRequestError
from ..kernel.notice import Notice, NoticeOrText
from ..kernel.thread import in_daemon
from .ddgs_http import DdgsClient
from .provider import SearchEngine
from .result import SearchQuery, SearchResult
from .wording import region_of, with_sites

if TYPE_CHECKING:
    from ..net import Client, Response, Visit

RANGES: Final = {"day": "d", "week": "w", "month": "m", "year": "y"}

CHALLENGE: Final = re.compile(
    r"captcha|anomaly[-.](?:modal|js)|challenge-(?:form|platform|running)|unusual (?:traffic|activity)|not a robot"
    r"|verify (?:that )?you(?:'| a)re (?:a )?human|are you (?:a )?(?:human|robot)|automated (?:requests|queries)",
    re.IGNORECASE,
)
"""Text of a page that demands a proof of being human instead of giving results."""

NOTHING: Final = re.compile(
    r"\b(?:no|not|0|zero)\s+(?:\w+\s+){0,3}?(?:results|pages|matches|documents|articles|news)\b", re.IGNORECASE
)
"""The engines' messages that nothing was found; ddgs requests their pages in English."""


class Keyless(SearchEngine):
    """An engine of ddgs, which makes the requests and parses the pages; this class connects it and classifies answers.

    Blocked, empty and unreadable answers are distinguished by the status and the page itself.
    """

    keyless = True
    pages = True
    backend: ClassVar[str]
    """Its name in ddgs."""
    category: ClassVar[Literal["text", "news"]] = "text"

    async def search(self, client: "Client", query: SearchQuery) -> list[SearchResult]:
        """Search once, in a thread; cancelling returns at once and closes its connections."""
        base = "" if self.base == self.home else self.base
        try:
            async with client.visit(self.settings, configured=base) as visit:
                return await in_daemon(lambda: self._search(visit, query), f"search {self.name}")
        except FetchError as error:  # the address in search.engine_urls is invalid
            raise self.connection_error(error) from error

    def refusal(self, response: "Response") -> Exception | None:
        """Return the error for a status; as there is no key, 202, 401 and 403 mean that robots are blocked."""
        if response.status in (202, 401, 403) or response.headers.get("cf-mitigated") == "challenge":
            notice = Notice("engine_takes_us_for_robot", engine=self.name, status=response.status)
            return self._blocked(notice, retry_after=retry_after(response.headers))
        return super().refusal(response)

    def fields(self, query: SearchQuery) -> dict[str, str]:  # noqa: ARG002 most need none
        """Return form fields that are sent besides those of ddgs."""
        return {}

    def _search(self, visit: "Visit", query: SearchQuery) -> list[SearchResult]:
        """Search and parse; any other error inside ddgs counts as an unreadable answer."""
        from ddgs.engines import ENGINES

        authority = str(self.settings.network.ca_file) if self.settings.network.ca_file else True
        kind = _unaltered(ENGINES[self.category][self.backend])
        engine: Any = kind(proxy=visit.url, timeout=self.settings.search.deadline, verify=authority)
        engine.http_client = client = DdgsClient(self, engine.http_client.client, visit, self.fields(query))
        try:
            answer = engine.search(
                with_sites(query),
                region=_region(query, self.backend),
                safesearch=query.safesearch,
                timelimit=RANGES.get(query.time_range),
                page=query.page,
            )
        except SearchError:
            raise
        except Exception as error:
            raise self._unreadable(client, type(error).__name__) from error
        entries = [entry for entry in answer or () if entry.title or _link(entry)]
        if not entries and not self._is_empty(client.text, query):
            raise self._unreadable(client, Notice("neither_results_nor_none"))
        hits = (
            {"url": url, "title": entry.title, "snippet": entry.body, "published": getattr(entry, "date", "")}
            for entry in entries
            if (url := _target(_link(entry)))
        )
        return self.results(query, hits)

    def _is_empty(self, text: str, query: SearchQuery) -> bool:
        """Return whether an answer without results means that nothing was found: such an answer repeats the query."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            visible = _visible(text)
            return bool(NOTHING.search(visible)) and all(word in visible.lower() for word in query.text.lower().split())
        results = value.get("results") if isinstance(value, dict) else value[1:2] if isinstance(value, list) else None
        return results in ([], [[]])

    def _unreadable(self, client: DdgsClient, reason: NoticeOrText) -> SearchError:
        details = {"by": client.elsewhere} if client.elsewhere else {}
        if CHALLENGE.search(client.text) or "captcha" in client.url:
            return self._blocked(Notice("engine_checks_for_robots", engine=self.name), **details)
        return self.broken(reason, **details)

    def _blocked(self, notice: Notice, **details: Any) -> SearchBlockedError:
        return SearchBlockedError(notice, where=self.place, remedy=Notice("set_key_or_search_less"), **details)


class DuckDuckGo(Keyless):
    """DuckDuckGo's page for browsers without JavaScript."""

    name = backend = "duckduckgo"
    home = "https://html.duckduckgo.com"

    def fields(self, query: SearchQuery) -> dict[str, str]:
        """Return region and safe search, which ddgs omits or names differently from the page's form."""
        return {"kl": _region(query, self.backend), "kp": {"on": "1", "moderate": "-1", "off": "-2"}[query.safesearch]}


class Encyclopedia(Keyless):
    """An encyclopedia, searched by the name of an article; a missing article tells nothing about the web."""

    pages = False
    lacks = frozenset({"range_of_time", "chosen_domains"})

    async def search(self, client: "Client", query: SearchQuery) -> list[SearchResult]:
        """Search once. Raises SearchRequestError if there is no article."""
        if found := await super().search(client, query):
            return found
        raise SearchRequestError(Notice("no_article_of_that_name", engine=self.name), where=self.place)


def _engine(name: str, home: str, backend: str = "", kind: type[Keyless] = Keyless, **attributes: Any) -> type[Keyless]:
    """Return the class of an engine with these attributes; `backend` is the name by default."""
    engine: type[Keyless] = type(name, (kind,), {"name": name, "home": home, "backend": backend or name, **attributes})
    return engine


_NO_RANGE: Final = frozenset({"range_of_time"})
_NEVER_STRICT: Final = frozenset({"strict_safe_search"})

KEYLESS: Final = (
    DuckDuckGo,
    _engine("brave-web", "https://search.brave.com", "brave"),  # the engine `brave` is its API, with a key
    _engine("mojeek", "https://www.mojeek.com", lacks=_NO_RANGE),
    _engine("startpage", "https://www.startpage.com"),  # has Google's results
    _engine("yahoo", "https://search.yahoo.com", lacks=_NEVER_STRICT),  # has Bing's results
    _engine("wikipedia", "https://wikipedia.org", kind=Encyclopedia),  # in the language of the region
    _engine("grokipedia", "https://grokipedia.com", kind=Encyclopedia),  # written by a model: only if it is named
    _engine("duckduckgo-news", "https://duckduckgo.com", "duckduckgo", category="news"),
    _engine("yahoo-news", "https://news.search.yahoo.com", "yahoo", category="news", lacks=_NEVER_STRICT),
    _engine("bing-news", "https://www.bing.com", "bing", category="news", lacks=_NEVER_STRICT),
)
"""Every engine that ddgs has for text and news; news engines give dates."""

BY_DEFAULT: Final = ("duckduckgo", "brave-web", "mojeek", "startpage", "yahoo", "wikipedia")
"""The engines that are asked by default, in this order."""


def _unaltered(kind: type[Any]) -> type[Any]:
    """Return a subclass of a ddgs engine that keeps the addresses of results, which ddgs decodes (`a%26b` to `a&b`)."""

    class Unaltered(kind):  # type: ignore[misc]
        @property
        def result_type(self) -> type[Any]:
            class Result(super().result_type):  # type: ignore[misc]
                _normalizers: ClassVar[dict[str, Any]] = {}

            return Result

    return Unaltered


def _region(query: SearchQuery, backend: str) -> str:
    """Return country and language in the codes of ddgs, which are DuckDuckGo's."""
    region = region_of(query.region)
    if backend == "duckduckgo" and not (region.country and region.language):
        return "wt-wt"
    country = "uk" if region.country == "gb" and backend == "duckduckgo" else region.country
    return f"{country or 'us'}-{region.language or 'en'}"


def _link(result: Any) -> str:
    return str(getattr(result, "href", "") or getattr(result, "url", "") or "")


def _target(href: str) -> str:
    """Return a result's address, taken out of DuckDuckGo's and Yahoo's redirects; "" for an advertisement."""
    try:
        parts = urlsplit(urljoin("https://duckduckgo.com/", href))
        host = parts.hostname or ""
        if host.endswith(".yahoo.com") and "/RU=" in parts.path:
            return unquote(re.split("/R[KS]=", parts.path.partition("/RU=")[2])[0])
        if not host.endswith("duckduckgo.com") or parts.path not in ("/l/", "/y.js"):
            return href
        target = parse_qs(parts.query).get("uddg", [""])[0] if parts.path == "/l/" else ""
        return "" if target.startswith("https://duckduckgo.com/y.js") else target
    except ValueError:  # an address that does not parse is no advertisement
        return href


def _visible(text: str) -> str:
    """Return the visible text of a page, with the values of its input fields."""
    from selectolax.lexbor import LexborHTMLParser

    page = LexborHTMLParser(text)
    page.strip_tags(["script", "style", "noscript", "template"])
    fields = [field.attributes.get("value") or "" for field in page.css("input")]
    return " ".join([page.root.text(separator=" ") if page.root else "", *fields])
