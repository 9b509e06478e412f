"""Search without a key: ddgs asks and reads the engines, and nothing of what it asks goes past the guard."""

import asyncio
import gzip
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from ddgs.engines import ENGINES as THEIRS

from loopback import CHALLENGE, Fault, Hit, Hits, Reply, SearchServer, WebServer, island
from loopback.certificate import certificate
from loopback.names import Names
from loopback.proxy import ProxyServer
from loopback.result_pages import PAGES, PLACES, TOKEN
from loopback.search import Act, SearchCall, some
from net import spellings
from search.asking import found, of_kind, run_with
from search.redirects import AWAY, packets
from spyglass.kernel.errors import NoSearchError, SearchBlockedError, SearchBrokenError, SearchError, SearchRequestError
from spyglass.kernel.events import EngineChanged, Event
from spyglass.kernel.settings import Settings
from spyglass.net.client import Client
from spyglass.search.chain import ask
from spyglass.search.engines import ENGINES
from spyglass.search.keyless import BY_DEFAULT, KEYLESS
from spyglass.search.result import SearchQuery

PAGE_OF_RESULTS = sorted(PAGES.keys() - {"wikipedia", "grokipedia", "duckduckgo-news"})


async def error_of(server: SearchServer, folder: Path, engine: str, act: Act, **query: Any) -> SearchError:
    """Return the error that an engine ends in, with no breaker before it."""
    server.script(act)
    settings = Settings(data_dir=folder, search__deadline=60.0, **server.settings(engine))
    async with Client(settings, lookup=Names()) as client:
        with pytest.raises(SearchError) as caught:
            await ENGINES.get(engine)(settings).search(client, SearchQuery(**{"text": "red kites", **query}))
    return caught.value


def test_every_engine_that_ddgs_has_for_text_and_news_can_be_named() -> None:
    for category in ("text", "news"):
        assert {kind.backend for kind in KEYLESS if kind.category == category} == THEIRS[category].keys()


@asynccontextmanager
async def the_real_addresses(folder: Path, **more: Any) -> AsyncIterator[tuple[SearchServer, Client, Settings]]:
    """A server that has the engines' own names and certificates, and a client that gets there through a proxy."""
    authority, context = certificate(folder, *(host for _, host, _ in PLACES.values()))
    names = Names(**{host: [["8.8.8.8"]] for _, host, _ in PLACES.values()})
    async with SearchServer().running(context) as server, ProxyServer(port=server.port).running() as proxy:
        settings = Settings(
            network__proxy=proxy.url, network__ca_file=authority, search__deadline=60.0, data_dir=folder, **more
        )
        async with Client(settings, lookup=names) as client:
            yield server, client, settings


REGIONAL: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "bing-news": ({"cc": "at", "setlang": "de"}, {}),
    "brave-web": ({}, {"at": "at", "safesearch": "strict"}),
    "duckduckgo": ({"kl": "at-de", "kp": "1"}, {}),
    "duckduckgo-news": ({"l": "at-de", "p": "1", "vqd": TOKEN}, {}),
    "mojeek": ({"safe": "1"}, {"arc": "at", "lb": "de"}),
    "startpage": ({"qsr": "de_AT", "qadf": "heavy", "sc": TOKEN}, {}),
}
"""What an engine is sent for Austria in German and strict safe search: fields, and cookies."""


async def test_region_and_safe_search_reach_each_engine_at_its_own_address(tmp_path: Path) -> None:
    async with the_real_addresses(tmp_path) as (server, client, settings):
        for engine, (fields, cookies) in REGIONAL.items():
            kind: Any = ENGINES.get(engine)
            safe = "moderate" if "strict_safe_search" in kind.lacks else "on"
            results = await kind(settings).search(
                client, SearchQuery(text="red kites", region="at-de", safesearch=safe)
            )
            assert [one.engine for one in results] == [engine] * 3
            asked = server.requests[-1]
            sent = {name: one.value for name, one in SimpleCookie(asked.headers.get("cookie", "")).items()}
            assert (asked.engine, asked.query) == (engine, "red kites")
            assert fields.items() <= asked.fields.items()
            assert cookies.items() <= sent.items()


async def test_a_certificate_that_nobody_vouches_for_is_not_taken(tmp_path: Path) -> None:
    async with the_real_addresses(tmp_path) as (server, client, settings):
        trusting = settings.updated(network__ca_file=None)
        with pytest.raises(SearchBrokenError):
            await ENGINES.get("mojeek")(trusting).search(client, SearchQuery(text="red kites"))
        assert server.requests == []


async def test_addresses_come_as_the_engine_gives_them(search_server: SearchServer, tmp_path: Path) -> None:
    target = "https://kites.example/a%20b/%C3%A9?b=c%26d&e=%2525+f"
    search_server.script(Hits((Hit(target),)))
    for engine in sorted(PAGES.keys() - {"grokipedia"}):
        async with run_with(search_server, tmp_path, engine) as run:
            assert [one.url for one in await found(run)] == [target], engine


async def test_advertisements_are_no_results(search_server: SearchServer, tmp_path: Path) -> None:
    def box(href: str) -> str:
        return f'<div class="result__body"><h2>Kites</h2><a href="{href}">Of kites.</a></div>'

    away = quote("https://duckduckgo.com/y.js?ad_domain=shop.example", safe="")
    shown = [
        "https://duckduckgo.com/y.js?ad=1",
        f"//duckduckgo.com/l/?uddg={away}",
        "/y.js?ad=2",
        "https://kites.example/",
    ]
    search_server.script(Reply("".join(map(box, shown))))
    async with run_with(search_server, tmp_path, "duckduckgo") as run:
        assert [(one.url, one.score) for one in await found(run)] == [("https://kites.example/", 1.0)]


async def test_news_lead_to_the_page_where_one_of_them_is_linked_as_it_is(
    search_server: SearchServer, tmp_path: Path
) -> None:
    counted = "https://r.search.yahoo.com/_ylt=A/RV=2/RU=https%3a%2f%2fkites.example%2fb%3fc%3dd%2526e/RK=2/RS=b"
    links = ("https://kites.example/a", counted)
    boxes = "".join(f"<li><a></a><h4><a href='{link}'>Kites</a></h4></li>" for link in links)
    search_server.script(Reply(f"<div id='web'>{boxes}</div>"))
    async with run_with(search_server, tmp_path, "yahoo-news") as run:
        assert [one.url for one in await found(run)] == ["https://kites.example/a", "https://kites.example/b?c=d%26e"]


BLOCKS = (
    Reply(CHALLENGE, 202),
    Reply(CHALLENGE),
    Reply("<html><body></body></html>", 202),
    Reply("forbidden", 403),
    Reply("slow down", 429),
    Reply("<html><title>Captcha</title><form action=/captcha></form></html>"),
    Reply("<p>Our systems have detected unusual traffic from your network.</p>"),
    Reply("Just a moment", 503, headers={"cf-mitigated": "challenge"}),
)


@pytest.mark.parametrize("engine", sorted(PAGES))
async def test_a_robot_check_is_a_block(search_server: SearchServer, tmp_path: Path, engine: str) -> None:
    for reply in BLOCKS:
        error = await error_of(search_server, tmp_path, engine, reply)
        assert isinstance(error, SearchBlockedError), (reply, error)


BROKEN = (
    Reply(""),
    Reply("<html><body><h1>We have moved</h1></body></html>"),
    Reply("<html><body><h1>No results</h1><p>of another search</p></body></html>"),
    Reply("<html><body>red kites: <b>the markup has changed</b></body></html>"),
    Reply('<?xml version="1.0" encoding="utf-7"?><html>\0</html>'),
    Reply("{"),
    Reply('{"error": "no results"}'),
    Reply("0"),
    Reply(gzip.compress(bytes(30_000_000)), headers={"Content-Encoding": "gzip"}),
)


@pytest.mark.parametrize("engine", sorted(PAGES))
async def test_an_answer_that_says_neither_is_broken(search_server: SearchServer, tmp_path: Path, engine: str) -> None:
    for reply in BROKEN:
        error = await error_of(search_server, tmp_path, engine, reply)
        assert isinstance(error, SearchBrokenError), (reply, error)


@pytest.mark.parametrize("engine", PAGE_OF_RESULTS)
async def test_hits_without_a_web_address_are_broken(search_server: SearchServer, tmp_path: Path, engine: str) -> None:
    for url in ("javascript:alert(1)", "https://[half"):
        error = await error_of(search_server, tmp_path, engine, Hits((Hit(url),)))
        assert isinstance(error, SearchBrokenError)


async def test_an_encyclopedia_gives_one_article_and_having_none_does_not_end_the_search(
    search_server: SearchServer, tmp_path: Path
) -> None:
    search_server.script(Hits((Hit("https://en.wikipedia.org/wiki/Red_kite", "Red kite", "A bird of prey."),)))
    async with run_with(search_server, tmp_path, "wikipedia") as run:
        [one] = await found(run)
    assert (one.url, one.title, one.snippet) == (
        "https://en.wikipedia.org/wiki/Red_kite",
        "Red kite",
        "A bird of prey.",
    )
    search_server.play(lambda asked: Hits() if asked.engine == "wikipedia" else some(asked))
    async with run_with(search_server, tmp_path, "wikipedia", "mojeek") as run:
        assert (await found(run, "other kites"))[0].engine == "mojeek"


@pytest.mark.parametrize(
    ("engine", "query"),
    [
        ("mojeek", {"time_range": "day"}),
        ("wikipedia", {"time_range": "year"}),
        ("wikipedia", {"domains": ("kites.example",)}),
        ("yahoo", {"safesearch": "on"}),
        ("bing-news", {"safesearch": "on"}),
    ],
)
async def test_what_an_engine_cannot_keep_to_it_is_not_asked(
    search_server: SearchServer, tmp_path: Path, engine: str, query: dict[str, Any]
) -> None:
    async with run_with(search_server, tmp_path, engine) as run:
        with pytest.raises(SearchRequestError, match="does not support"):
            await ask(run, ENGINES.get(engine)(run.settings), SearchQuery(text="red kites", **query))
        assert run.budget.spent.searches == 0
    assert search_server.requests == []


def two_blocked_and_one_broken(asked: SearchCall) -> Act:
    ill: dict[str, Act] = {"duckduckgo": Reply(CHALLENGE, 202), "brave-web": Fault(429), "mojeek": Fault("html")}
    return ill.get(asked.engine) or some(asked)


async def test_a_block_sends_each_query_to_the_next_engine_at_once_and_in_the_end_leaves_the_engine_alone(
    search_server: SearchServer, tmp_path: Path, events: list[Event]
) -> None:
    search_server.play(two_blocked_and_one_broken)
    async with run_with(search_server, tmp_path, *BY_DEFAULT, search__attempts=3, on_event=events.append) as run:
        for text in ("one", "two", "three", "four", "five"):
            assert (await found(run, text))[0].engine == "startpage"
    asked = [one.engine for one in search_server.requests]
    assert asked[:4] == ["duckduckgo", "brave-web", "mojeek", "startpage"]
    assert [asked.count(engine) for engine in BY_DEFAULT] == [3, 3, 3, 5, 0, 0]
    opened = [(event.engine, event.state) for event in of_kind(events, EngineChanged)]
    assert opened == [("duckduckgo", "open"), ("brave-web", "open"), ("mojeek", "open")]


async def test_the_last_engine_is_tried_again_and_when_none_answers_each_one_is_told(
    search_server: SearchServer, tmp_path: Path
) -> None:
    search_server.script(Fault(500))
    async with run_with(search_server, tmp_path, "mojeek", "startpage", search__attempts=2) as run:
        with pytest.raises(NoSearchError, match="mojeek answered with status 500; startpage answered with status 500"):
            await found(run)
    assert [one.engine for one in search_server.requests] == ["mojeek", "startpage", "startpage"]


async def test_a_search_that_is_given_up_leaves_no_connection(tmp_path: Path) -> None:
    connected, closed = asyncio.Event(), asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.set()
        await reader.read(-1)
        writer.close()
        closed.set()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        settings = Settings(search__engine_urls={"mojeek": base}, search__deadline=600.0, network__read_deadline=600.0)
        async with Client(settings) as client, asyncio.timeout(60):
            asking = asyncio.ensure_future(ENGINES.get("mojeek")(settings).search(client, SearchQuery(text="kites")))
            await connected.wait()
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            await closed.wait()


def refused_urls() -> list[str]:
    """Addresses of all classes that must not be reached, as a redirect or a setting may spell them."""
    drawn = random.Random(7)
    classed: dict[str, str] = {}
    for address in spellings.some_v4(drawn, 4):
        classed.update((f"{kind}{place}", url) for place, (kind, url) in enumerate(spellings.urls_of(address)))
    for six in spellings.some_v6(drawn, 4):
        classed.update((f"{kind}{place}", url) for place, (kind, url) in enumerate(spellings.urls_of_v6(six)))
    return [*classed.values(), *(url for _, url in spellings.urls_of_names())]


async def test_a_redirect_leads_to_nothing_private_in_any_spelling(
    search_server: SearchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "*")
    async with WebServer().running() as private:
        places = [
            f"127.0.0.1:{private.port}",
            f"127.1:{private.port}",
            f"localhost:{private.port}",
            f"[::1]:{private.port}",
        ]
        urls = [*(f"http://{place}/secret" for place in places), *refused_urls()]
        left = iter(urls)
        search_server.play(lambda _: Reply("", 302, headers={"Location": spellings.in_a_header(next(left))}))
        at = Settings(data_dir=tmp_path, search__deadline=60.0, **search_server.settings("mojeek"))
        async with Client(at, lookup=Names()) as client:
            for _ in urls:
                with pytest.raises(SearchError):
                    await ENGINES.get("mojeek")(at).search(client, SearchQuery(text="red kites"))
        assert len(search_server.requests) == len(urls) > 150
        assert private.connections() == 0
        assert private.visits == []


async def test_an_engine_whose_name_leads_to_something_private_is_not_asked() -> None:
    async with WebServer().running() as private:
        place = f"127.0.0.1:{private.port}"
        answers = (["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["10.0.0.1"], ["::ffff:127.0.0.1"], ["169.254.169.254"])
        for addresses in answers:
            names = Names(**{"www.mojeek.com": [addresses]})
            at = Settings(network__allow_private=[place], search__deadline=60.0)
            async with Client(at, lookup=names) as client:
                with pytest.raises(SearchRequestError, match="The address of mojeek is not allowed"):
                    await ENGINES.get("mojeek")(at).search(client, SearchQuery(text="red kites"))
        assert private.connections() == 0


@pytest.mark.skipif(island.reason() != "", reason=f"no network namespace: {island.reason()}")
def test_not_a_packet_leaves_for_where_a_redirect_must_not_lead() -> None:
    other = "http://10.99.0.20"
    assert island.run(packets, True, NO_PROXY="*", ALL_PROXY=other, HTTPS_PROXY=other, DDGS_PROXY=other) == []
    assert len(island.run(packets, False, NO_PROXY="*")) > len(AWAY) / 2
