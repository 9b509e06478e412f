"""The pages of search engines that need no key, in the markup that they have for browsers."""

import html
import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote

from aiohttp import web

if TYPE_CHECKING:
    from .search import Hit, SearchCall

Page = Callable[["SearchCall", "Iterable[Hit]"], web.Response]

TOKEN = "token-of-the-first-page"


def _of(box: Callable[["Hit"], str], around: str, nothing: str) -> Page:
    """Return what makes a page: a box for each hit within what is around them, or what says that there are none."""

    def page(asked: "SearchCall", hits: "Iterable[Hit]") -> web.Response:
        query = html.escape(asked.query)
        said = nothing.format(query=query)
        boxes = "".join(box(hit) for hit in hits)
        search = f'<form><input name="q" value="{query}"></form>'
        text = f"<html><head><title>{query}</title></head><body>{search}{around.format(boxes or said)}</body></html>"
        return web.Response(text=text, content_type="text/html")

    return page


def _duckduckgo(hit: "Hit") -> str:
    link = f"//duckduckgo.com/l/?uddg={quote(hit.url, safe='')}&amp;rut=0"
    return (
        f'<div class="result results_links web-result"><div class="links_main links_deep result__body">'
        f'<h2 class="result__title"><a class="result__a" href="{link}">{html.escape(hit.title)}</a></h2>'
        f'<a class="result__snippet" href="{link}">{html.escape(hit.snippet)}</a></div></div>'
    )


def _brave(hit: "Hit") -> str:
    return (
        f'<div class="snippet" data-type="web"><a href="{html.escape(hit.url)}"><div class="site">kites</div>'
        f'<div class="title">{html.escape(hit.title)}</div></a><div class="generic-snippet">'
        f'<div class="content">{html.escape(hit.snippet)}</div></div></div>'
    )


def _mojeek(hit: "Hit") -> str:
    title, snippet = html.escape(hit.title), html.escape(hit.snippet)
    return f'<li><h2><a href="{html.escape(hit.url)}">{title}</a></h2><p class="s">{snippet}</p></li>'


def _startpage(hit: "Hit") -> str:
    title, snippet = html.escape(hit.title), html.escape(hit.snippet)
    return f'<div class="result css-1a"><a href="{html.escape(hit.url)}"><h2>{title}</h2></a><p>{snippet}</p></div>'


def _counted(url: str) -> str:
    """Return the address by which Yahoo counts who follows a link."""
    return f"https://r.search.yahoo.com/_ylt=A/RV=2/RE=1/RO=10/RU={quote(url, safe='')}/RK=2/RS=b"


def _yahoo(hit: "Hit") -> str:
    return (
        f'<div class="dd algo relsrch"><div class="compTitle"><h3><a href="{_counted(hit.url)}">'
        f'{html.escape(hit.title)}</a></h3></div><div class="compText"><p>{html.escape(hit.snippet)}</p></div></div>'
    )


def _yahoo_news(hit: "Hit") -> str:
    return (
        f'<li><a href="{_counted(hit.url)}"></a><h4><a href="{_counted(hit.url)}">{html.escape(hit.title)}</a></h4>'
        f'<span class="s-source">The Kite</span><span class="s-time">· {_age(hit.date)} days ago</span>'
        f"<p>{html.escape(hit.snippet)}</p></li>"
    )


def _bing_news(hit: "Hit") -> str:
    return (
        f'<div class="news-card newsitem" data-title="{html.escape(hit.title)}" url="{html.escape(hit.url)}" '
        f'data-author="The Kite"><div class="snippet">{html.escape(hit.snippet)}</div>'
        f'<span aria-label="{_age(hit.date)} days"></span></div>'
    )


def _age(date: str) -> int:
    return (datetime.now(UTC).date() - datetime.fromisoformat(date).date()).days


def _duckduckgo_news(_asked: "SearchCall", hits: "Iterable[Hit]") -> web.Response:
    results = [
        {
            "date": int(datetime.fromisoformat(f"{hit.date}T12:00:00+00:00").timestamp()),
            "title": hit.title,
            "excerpt": hit.snippet,
            "url": hit.url,
            "source": "The Kite",
        }
        for hit in hits
    ]
    return web.Response(text=json.dumps({"results": results}), content_type="application/javascript")


def _wikipedia(asked: "SearchCall", hits: "Iterable[Hit]") -> web.Response:
    found = list(hits)[:1]
    if asked.fields["action"] == "query":
        return web.json_response({"query": {"pages": {"1": {"extract": "".join(hit.snippet for hit in found)}}}})
    titles, urls = [hit.title for hit in found], [hit.url for hit in found]
    return web.json_response([asked.query, titles, ["" for _ in found], urls])


def _grokipedia(_asked: "SearchCall", hits: "Iterable[Hit]") -> web.Response:
    results = [{"title": hit.title, "snippet": hit.snippet, "slug": "Red_kite"} for hit in hits]
    return web.json_response({"results": results})


PAGES: dict[str, Page] = {
    "bing-news": _of(_bing_news, "<div>{}</div>", "<p>There are no results for <b>{query}</b></p>"),
    "brave-web": _of(_brave, '<div id="results">{}</div>', "<p>Not many great matches came back for {query}</p>"),
    "duckduckgo": _of(
        _duckduckgo,
        '<div id="links" class="results">{}</div>',
        '<div class="result result--no-result"><div class="result__body"><div class="no-results">No results found for '
        "{query}</div></div></div>",
    ),
    "duckduckgo-news": _duckduckgo_news,
    "grokipedia": _grokipedia,
    "mojeek": _of(_mojeek, '<ul class="results-standard">{}</ul>', "</ul><p>No pages found matching: {query}</p><ul>"),
    "startpage": _of(
        _startpage, '<div class="w-gl">{}</div>', "<p>Sorry, there are no Web results for this search: {query}</p>"
    ),
    "wikipedia": _wikipedia,
    "yahoo": _of(_yahoo, '<div id="web">{}</div>', "<p>We did not find results for: {query}</p>"),
    "yahoo-news": _of(
        _yahoo_news, '<div id="web"><ul>{}</ul></div>', "</ul><p>We did not find results for {query}</p>"
    ),
}

PLACES = {
    "bing-news": ("GET", "www.bing.com", "/news/infinitescrollajax"),
    "brave-web": ("GET", "search.brave.com", "/search"),
    "duckduckgo": ("POST", "html.duckduckgo.com", "/html/"),
    "duckduckgo-news": ("GET", "duckduckgo.com", "/news.js"),
    "grokipedia": ("GET", "grokipedia.com", "/api/typeahead"),
    "mojeek": ("GET", "www.mojeek.com", "/search"),
    "startpage": ("POST", "www.startpage.com", "/sp/search"),
    "wikipedia": ("GET", "en.wikipedia.org", "/w/api.php"),
    "yahoo": ("GET", "search.yahoo.com", "/search{rest:.*}"),
    "yahoo-news": ("GET", "news.search.yahoo.com", "/search"),
}

FIRST_PAGES = {
    "startpage": f'<form id="search"><input name="sc" value="{TOKEN}"></form>',
    "duckduckgo-news": f'<script src="/d.js?vqd={TOKEN}&l=us-en"></script>',
}
"""What is asked for before the search, to find in it what the search has to be sent with."""
