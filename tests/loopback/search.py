"""The loopback search server: what the engines' addresses answer, in each one's own format, over a real socket."""

import asyncio
import html
import ssl
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote

import pytest
from aiohttp import web

from .fault import Fault, misbehave
from .listening import listening
from .result_pages import FIRST_PAGES, PAGES, PLACES
from .web import Reply

KEYED = ("tavily", "brave", "serpapi")
ENGINES = (*KEYED, "searxng", "duckduckgo")
SECRET = "sk-search-very-secret/+0123456789"

CHALLENGE = """<html><body><form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html" method="POST">
<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></form></body></html>"""


@dataclass(frozen=True)
class Hit:
    """One thing that the server finds."""

    url: str
    title: str = "A title"
    snippet: str = "A snippet."
    score: float = 0.5
    date: str = "2026-01-31"


@dataclass(frozen=True)
class Hits:
    """What an engine finds, after `delay` seconds."""

    hits: tuple[Hit, ...] = ()
    delay: float = 0.0


@dataclass(frozen=True)
class SearchCall:
    """A request as the server saw it: `fields` are those of the query string, the form or the JSON body."""

    engine: str
    query: str
    fields: dict[str, Any]
    headers: dict[str, str]
    path: str


Act = Hits | Fault | Reply


class SearchServer:
    """Answers from a list in order (the last act goes on for ever) or by a function of the request.

    `requests` holds the requests in order, `most_at_once` how many it had in hand.
    """

    def __init__(self) -> None:
        self.requests: list[SearchCall] = []
        self.most_at_once = 0
        self.port = 0
        self._now = 0
        self._act: Callable[[SearchCall], Act] = some
        self._closing = asyncio.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def settings(self, *engines: str) -> dict[str, Any]:
        """What a user sets so that these engines are asked here: each one under a path of its own."""
        keys = {f"{engine}_api_key": SECRET for engine in engines if engine in KEYED}
        urls = {name: f"{self.url}/{name}" for name in engines if name != "cached"}
        return {"search.engines": list(engines), "search.engine_urls": urls, **keys}

    def script(self, *acts: Act) -> None:
        """Do these in order, the last one again and again."""
        left = list(acts)
        self._act = lambda _asked: left.pop(0) if len(left) > 1 else left[0]

    def play(self, act: Callable[[SearchCall], Act]) -> None:
        """Do what the function of the request says."""
        self._act = act

    def queries(self, engine: str) -> list[str]:
        """The queries that an engine got, in order."""
        return [asked.query for asked in self.requests if asked.engine == engine]

    async def _answer(self, request: web.Request, engine: str) -> web.StreamResponse:
        fields = await _fields(request)
        query = next(
            (str(fields[name]) for name in ("q", "query", "search_query", "search", "term", "p") if name in fields), ""
        )
        asked = SearchCall(engine, query, fields, {k.lower(): v for k, v in request.headers.items()}, request.path)
        if engine == "pubmed" and "id" in fields:
            return _pubmed_records(asked)
        self.requests.append(asked)
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        try:
            act = self._act(asked)
            if isinstance(act, Fault):
                return await self._misbehave(request, act)
            await asyncio.sleep(act.delay)
            if isinstance(act, Reply):
                body = act.body.encode() if isinstance(act.body, str) else act.body
                headers = {"Content-Type": act.content_type, **act.headers}
                return web.Response(body=body, status=act.status, headers=headers)
            return FORMATS[engine](asked, act.hits)
        finally:
            self._now -= 1

    async def _misbehave(self, request: web.Request, fault: Fault) -> web.StreamResponse:
        if isinstance(fault.kind, str):
            return await misbehave(request, fault.kind, self._closing, half='{"results": [{"url": "http')
        return web.json_response({"error": {"message": fault.message}}, status=fault.kind, headers=fault.headers)

    @asynccontextmanager
    async def running(self, tls: ssl.SSLContext | None = None) -> AsyncIterator["SearchServer"]:
        """Listen on a free port of this machine; with `tls` as the hosts of the engines that need no key."""
        app = web.Application()
        for engine, (method, path) in PATHS.items():
            app.router.add_route(method, f"/{engine}{path}", partial(self._answer, engine=engine))
        app.router.add_get("/pubmed/entrez/eutils/efetch.fcgi", partial(self._answer, engine="pubmed"))
        for engine, page in FIRST_PAGES.items():
            app.router.add_get(f"/{engine}{{rest:/?}}", partial(_first_page, page=page))
        if tls is not None:
            app.router.add_route("*", "/{path:.*}", self._answer_as_host)
        async with listening(app, self._closing, tls) as runner:
            self.port = runner.addresses[0][1]
            yield self

    async def _answer_as_host(self, request: web.Request) -> web.StreamResponse:
        """Answer as the engine does whose host the request is for."""
        [engine] = [name for name, (_, host, _) in PLACES.items() if host == request.host]
        if request.path == "/":
            return await _first_page(request, FIRST_PAGES[engine])
        return await self._answer(request, engine)


def some(asked: SearchCall) -> Hits:
    """Three hits that have the query's words in their titles."""
    slug = quote("-".join(asked.query.split()[:8]), safe="")
    return Hits(
        tuple(
            Hit(
                f"https://site{place}.example/{slug}",
                f"{asked.query} {place}",
                f"About {asked.query}.",
                0.9 - place / 10,
            )
            for place in range(1, 4)
        )
    )


async def _first_page(_request: web.Request, page: str) -> web.StreamResponse:
    return web.Response(text=f"<html><body>{page}</body></html>", content_type="text/html")


async def _fields(request: web.Request) -> dict[str, Any]:
    if request.method == "GET":
        return dict(request.query)
    if request.content_type == "application/json":
        return dict(await request.json())
    return {name: str(value) for name, value in (await request.post()).items()}


def _tavily(asked: SearchCall, hits: Iterable[Hit]) -> web.Response:
    results = [
        {"url": hit.url, "title": hit.title, "content": hit.snippet, "score": hit.score, "raw_content": None}
        for hit in hits
    ]
    return web.json_response({"query": asked.query, "answer": None, "images": [], "results": results})


def _brave(_asked: SearchCall, hits: Iterable[Hit]) -> web.Response:
    results = [
        {"url": hit.url, "title": hit.title, "description": hit.snippet, "page_age": f"{hit.date}T00:00:00"}
        for hit in hits
    ]
    return web.json_response({"type": "search", **({"web": {"type": "search", "results": results}} if results else {})})


def _serpapi(_asked: SearchCall, hits: Iterable[Hit]) -> web.Response:
    results = [
        {"position": place, "link": hit.url, "title": hit.title, "snippet": hit.snippet, "date": "Jan 31, 2026"}
        for place, hit in enumerate(hits, start=1)
    ]
    nothing = {"error": "Google hasn't returned any results for this query."}
    return web.json_response({"search_metadata": {}, **({"organic_results": results} if results else nothing)})


def _searxng(asked: SearchCall, hits: Iterable[Hit]) -> web.Response:
    results = [
        {"url": hit.url, "title": hit.title, "content": hit.snippet, "score": hit.score * 20, "publishedDate": hit.date}
        for hit in hits
    ]
    return web.json_response({"query": asked.query, "results": results, "unresponsive_engines": []})


def _openalex(_asked: SearchCall, hits: Iterable[Hit]) -> web.Response:
    results = [
        {
            "id": "https://openalex.org/W1",
            "doi": hit.url,
            "display_name": hit.title,
            "publication_date": hit.date,
            "abstract_inverted_index": {word: [place] for place, word in enumerate(hit.snippet.split())},
        }
        for hit in hits
    ]
    return web.json_response({"meta": {"count": len(results)}, "results": results})


def _arxiv(_asked: SearchCall, hits: Iterable[Hit]) -> web.Response:
    entries = "".join(
        f"<entry><id>{html.escape(hit.url)}</id><title>{html.escape(hit.title)}</title>"
        f"<published>{hit.date}T00:00:00Z</published><summary>\n {html.escape(hit.snippet)}\n</summary></entry>"
        for hit in hits
    )
    feed = f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>q</title>{entries}</feed>'
    return web.Response(text=feed, content_type="application/atom+xml")


def _pubmed(_asked: SearchCall, hits: Iterable[Hit]) -> web.Response:
    numbers = [str(1000 + place) for place, _ in enumerate(hits)]
    return web.json_response({"esearchresult": {"count": str(len(numbers)), "idlist": numbers}})


def _pubmed_records(asked: SearchCall) -> web.Response:
    records = "".join(
        f"<PubmedArticle><MedlineCitation><PMID>{number}</PMID><Article><Journal><JournalIssue><PubDate><Year>2025</Year>"
        f"<Month>Mar</Month><Day>7</Day></PubDate></JournalIssue></Journal><ArticleTitle>On <i>cells</i> {number}"
        f"</ArticleTitle><Abstract><AbstractText>What was found.</AbstractText></Abstract></Article></MedlineCitation>"
        f"</PubmedArticle>"
        for number in reversed(asked.fields["id"].split(","))
    )
    doctype = '<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD" "https://dtd.example/pubmed.dtd">'
    text = f'<?xml version="1.0"?>{doctype}<PubmedArticleSet>{records}</PubmedArticleSet>'
    return web.Response(text=text, content_type="text/xml")


FORMATS: dict[str, Callable[[SearchCall, Iterable[Hit]], web.Response]] = {
    "arxiv": _arxiv,
    "brave": _brave,
    "openalex": _openalex,
    "pubmed": _pubmed,
    "searxng": _searxng,
    "serpapi": _serpapi,
    "tavily": _tavily,
    **PAGES,
}

PATHS = {
    "arxiv": ("GET", "/api/query"),
    "brave": ("GET", "/res/v1/web/search"),
    "openalex": ("GET", "/works"),
    "pubmed": ("GET", "/entrez/eutils/esearch.fcgi"),
    "searxng": ("GET", "/search"),
    "serpapi": ("GET", "/search.json"),
    "tavily": ("POST", "/search"),
    **{engine: (method, path) for engine, (method, _, path) in PLACES.items()},
}


@pytest.fixture
async def search_server() -> AsyncIterator[SearchServer]:
    """A running SearchServer."""
    async with SearchServer().running() as server:
        yield server
