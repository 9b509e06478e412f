"""arXiv: GET /api/query, an Atom feed."""

import re
from typing import TYPE_CHECKING, Final
from xml.etree.ElementTree import Element

from ..kernel.notice import Notice
from ..kernel.term import STOP_WORDS, fold
from .provider import SearchEngine
from .result import SearchQuery, SearchResult

if TYPE_CHECKING:
    from ..net import Client

ATOM: Final = "{http://www.w3.org/2005/Atom}"


class ArXiv(SearchEngine):
    """Preprints, each with its abstract as snippet. arXiv asks for one connection and three seconds between calls."""

    name = "arxiv"
    pages = True
    home = "https://export.arxiv.org"
    concurrency = 1
    pause = 3.0

    async def search(self, client: "Client", query: SearchQuery) -> list[SearchResult]:
        """Search once, ignoring region and domains."""
        params = {"search_query": _terms(query), "max_results": str(query.max_results), "sortBy": "relevance"}
        if query.before:
            params["start"] = str(query.before)
        response = await self.ask(client, "GET", "/api/query", params=params)
        feed = self.read_xml(response, forbid_dtd=True)
        if feed.tag != f"{ATOM}feed":
            raise self.broken(Notice("not_of_format", format="Atom"))
        return self.results(query, map(_hit, feed.iter(f"{ATOM}entry")))


def _terms(query: SearchQuery) -> str:
    """Return a query in arXiv's syntax: all content words, each in any field; its operators are in upper case."""
    words = re.findall(r"\w+", query.text)
    content = [word for word in words if fold(word) not in STOP_WORDS] or words
    terms = " AND ".join(f"all:{word}" for word in content)
    return f"({terms}) AND submittedDate:[{query.since.replace('-', '')}0000 TO 999912312359]" if query.since else terms


def _hit(entry: Element) -> dict[str, str]:
    address = _text(entry, "id").replace("http://arxiv.org/", "https://arxiv.org/", 1)
    about = {"title": _text(entry, "title"), "snippet": _text(entry, "summary")}
    return {"url": address, **about, "published": _text(entry, "published")}


def _text(entry: Element, name: str) -> str:
    return (entry.findtext(f"{ATOM}{name}") or "").strip()
