"""DuckDuckGo: its page for browsers without JavaScript, POST /html/, read with the status that it really has."""

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import SplitResult, parse_qs, urljoin, urlsplit

from ..errors import SearchBlockedError
from ..retry import retry_after
from .hit import hit
from .provider import SearchEngine
from .region import region_of
from .result import SearchQuery, SearchResult
from .wording import with_sites

if TYPE_CHECKING:
    from ..net.client import Client, Response

RANGES: Final = {"day": "d", "week": "w", "month": "m", "year": "y"}

BROWSER: Final = {
    "User-Agent": "Mozilla/5.0 (X11; Linux x64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Language": "en-US,en;q=0.5",
    "Sec-Fetch-Dest": "document",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Site": "same-origin",
    "Sec-Fetch-User": "?1",
    "Upgrade-Insecure-Requests": "1",
}
"""What a browser sends with the form; without it every answer is a robot check."""

CHALLENGE: Final = "#challenge-form, .anomaly-modal__title, form[action*='anomaly.js']"
NOTHING: Final = ".no-results, .result--no-result"
ADVERTISEMENT: Final = "/y.js"
REDIRECT: Final = "/l/"
LINK: Final = ".result__a[href]"
SNIPPET: Final = ".result__snippet"
RESULT: Final = f".result:has({LINK})"


class DuckDuckGo(SearchEngine):
    """DuckDuckGo, without a key; a page that it does not know is an error, never "nothing found"."""

    name = "duckduckgo"
    pages = True
    home = "https://html.duckduckgo.com"

    async def search(self, client: "Client", query: SearchQuery) -> list[SearchResult]:
        """Ask once."""
        headers = {**BROWSER, "Referer": f"{self.place}/", "Origin": self.place}
        response = await self.ask(client, "POST", "/html/", data=_form(query), headers=headers)
        from selectolax.lexbor import LexborHTMLParser

        page = LexborHTMLParser(response.body.decode("utf-8", "replace"))
        if page.css_first(CHALLENGE) is not None:
            raise self._blocked("asks to prove being human", response)
        boxes = page.css(RESULT)
        if not boxes and page.css_first(NOTHING) is None and not _bare(page):
            raise self.broken("the page neither has results nor says that there are none")
        links = [(_address(box), box) for box in boxes]
        organic = [(url, box) for url, box in links if url]
        hits = (
            hit(self.name, rank, url, _text(box, LINK), _text(box, SNIPPET))
            for rank, (url, box) in enumerate(organic, start=query.before + 1)
        )
        return self.kept(hits, query)

    def refusal(self, response: "Response") -> Exception | None:
        """DuckDuckGo gives its robot check with 202, and has no key that it could refuse with 403."""
        if response.status in (202, 403):
            return self._blocked(f"takes us for a robot (status {response.status})", response)
        return super().refusal(response)

    def _blocked(self, what: str, response: "Response") -> SearchBlockedError:
        remedy = "Set a key of another engine, or search less."
        pause = retry_after(response.headers)
        return SearchBlockedError(f"{self.name} {what}", where=self.place, remedy=remedy, retry_after=pause)


def _form(query: SearchQuery) -> dict[str, str]:
    region = region_of(query.region)
    country = "uk" if region.country == "gb" else region.country
    form = {
        "q": with_sites(query),
        "b": "",
        "kl": f"{country}-{region.language}" if country and region.language else "",
        "df": RANGES.get(query.time_range, ""),
    }
    return form | {"s": str(query.before)} if query.before else form


def _address(box: Any) -> str:
    """Return where a result leads, out of DuckDuckGo's own redirect; "" for an advertisement."""
    if "result--ad" in (box.attributes.get("class") or "").split():
        return ""
    href: str = box.css_first(LINK).attributes["href"] or ""
    try:
        url = urljoin("https://duckduckgo.com/", href)
        parts = urlsplit(url)
        if not _own(parts):
            return url
        target = parse_qs(parts.query).get("uddg", [""])[0] if parts.path.startswith(REDIRECT) else ""
        return "" if _own(urlsplit(target)) else target
    except ValueError:  # no address that parses, and so no advertisement of theirs
        return href


def _own(parts: SplitResult) -> bool:
    """Say whether an address is of DuckDuckGo's redirects: to a result, or through an advertiser's count of clicks."""
    host = parts.hostname or ""
    ours = host == "duckduckgo.com" or host.endswith(".duckduckgo.com")
    return ours and parts.path.startswith((REDIRECT, ADVERTISEMENT))


def _text(box: Any, selector: str) -> str:
    found = box.css_first(selector)
    return "" if found is None else str(found.text())


def _bare(page: Any) -> bool:
    """Say whether the place for results is there, with nothing in it."""
    results = page.css_first("#links.results")
    return bool(results is not None and results.child is None)
