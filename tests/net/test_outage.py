"""A network that does not work is told in one sentence on top, not by each host that could not be asked."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from loopback import Reply, SearchServer, WebServer
from loopback.certificate import certificate
from loopback.names import Names
from loopback.proxy import ProxyServer
from loopback.search import KEYED
from spyglass import research
from spyglass.kernel.errors import NoSearchError, SearchError
from spyglass.kernel.events import EngineChanged, Event, Noticed, Searched
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.net.client import Client
from spyglass.net.outage import Probe, outage, outage_among
from spyglass.search.chain import search
from spyglass.search.engines import ENGINES
from spyglass.search.result import SearchQuery

FIVE = ("duckduckgo", "brave-web", "mojeek", "startpage", "yahoo")
UNKNOWN = {engine: f"http://{engine}.invalid" for engine in FIVE}
"""Addresses that no name service has."""


def settings(folder: Path, **more: Any) -> Settings:
    given = {
        "search.engine_urls": UNKNOWN,
        "search.attempts": 1,
        "browser.mode": "never",
        "cache.page_hours": 0,
        "web": True,
    }
    return Settings(data_dir=folder, search__engines=list(FIVE), **{**given, **more})


async def error_of(at: Settings, *, lookup: Names | None = None, engines: Sequence[str] = FIVE) -> str:
    """Return what is told of the network when these engines were asked."""
    errors: list[tuple[str, SearchError]] = []
    async with Client(at, lookup=lookup or Names()) as client:
        for engine in (ENGINES.get(name)(at) for name in engines):
            with pytest.raises(SearchError) as caught:
                await engine.search(client, SearchQuery(text="red kites"))
            errors.append((engine.place, caught.value))
    assert outage_among(errors[:1]) is None, "one host says nothing on the network"
    return str(outage_among(errors))


async def test_without_a_name_service_a_report_says_so_once_and_on_top(tmp_path: Path) -> None:
    events: list[Event] = []
    report = await research("Where do red kites nest?", settings=settings(tmp_path), on_event=events.append)
    assert report.outcome == "failed"
    assert str(report.network).startswith("The network does not work: no host name can be resolved.")
    assert "SPYGLASS_NETWORK__PROXY" in str(report.network)
    title, first, *rest = report.markdown.split("\n\n")
    assert "no host name can be resolved" in first
    assert "no host name" not in "".join([title, *rest])
    assert ".invalid" not in report.markdown
    failed = {one.engine for one in events if isinstance(one, Searched) and one.error and one.engine != "cached"}
    assert len(failed) == 1, "from the second host on it is the network that is told, not the engines"
    assert [one.notice for one in events if isinstance(one, Noticed)] == [report.network]
    assert len({one.engine for one in events if isinstance(one, EngineChanged)}) <= 1


async def test_a_search_alone_ends_in_the_same_sentence(tmp_path: Path) -> None:
    async with Run("q", settings(tmp_path), journal=Journal()) as run:
        with pytest.raises(NoSearchError, match=r"^The network does not work: no host name can be resolved"):
            await search(run, SearchQuery(text="red kites"))


async def test_hosts_that_refuse_connections_are_told_apart(tmp_path: Path) -> None:
    names = Names(**{f"{engine}.example": [["127.0.0.9"]] for engine in FIVE})
    urls = {engine: f"http://{engine}.example:9999" for engine in FIVE}
    said = await error_of(
        settings(tmp_path, search__engine_urls=urls, network__allow_private=["127.0.0.0/8"]), lookup=names
    )
    assert said.startswith("The network does not work: host names can be resolved, but no connection succeeds.")


async def test_a_proxy_that_refuses_or_is_not_there_is_what_is_told(tmp_path: Path, free_port: int) -> None:
    async with ProxyServer(refuses=407).running() as refusing:
        for url in (refusing.url, f"http://127.0.0.1:{free_port}"):
            said = await error_of(settings(tmp_path, network__proxy=url))
            assert (
                said
                == 'The network does not work: no request gets through the proxy. Check the setting "network.proxy".'
            )
        said = await error_of(settings(tmp_path, network__proxy=refusing.url, search__engine_urls={}))
        assert "no request gets through the proxy" in said


async def test_a_log_in_page_in_the_place_of_every_host_is_told_with_its_host(
    tmp_path: Path, web_server: WebServer
) -> None:
    away = Reply("", 302, headers={"Location": "http://login.hotel.invalid/"})
    for engine in FIVE:
        for path in ("/html/", "/search", "/sp/search", "/"):
            web_server.put(path, away, host=f"{engine}.invalid")
    page = "<html><form>Room number <input type=password></form>Log in to the hotel</html>"
    web_server.put("/", page, host="login.hotel.invalid")
    async with ProxyServer(port=web_server.port).running() as hotel:
        said = await error_of(settings(tmp_path, network__proxy=hotel.url))
    assert said.startswith("This network requires a log-in: login.hotel.invalid answers every request.")


async def test_a_certificate_that_answers_for_all_hosts_is_told(tmp_path: Path) -> None:
    _, context = certificate(tmp_path, "login.hotel.invalid")
    async with SearchServer().running(context) as server, ProxyServer(port=server.port).running() as hotel:
        said = await error_of(settings(tmp_path, network__proxy=hotel.url, search__engine_urls={}))
    assert "no certificate is trusted" in said
    assert "ca_file" in said


async def test_an_engine_with_a_key_that_is_redirected_to_the_log_in_is_told_too(
    tmp_path: Path, web_server: WebServer
) -> None:
    keys = {f"{name}_api_key": "k" for name in KEYED}
    away = Reply("", 302, headers={"Location": "http://login.hotel.invalid/"})
    for path in ("/search", "/res/v1/web/search", "/search.json"):
        web_server.put(path, away)
    async with ProxyServer(port=web_server.port).running() as hotel:
        urls = {name: f"http://{name}.invalid" for name in KEYED}
        said = await error_of(
            settings(tmp_path, network__proxy=hotel.url, search__engine_urls=urls, **keys), engines=KEYED
        )
    assert "login.hotel.invalid answers every request" in said


@pytest.mark.parametrize(("count", "said"), [(3, ""), (4, "no host name can be resolved")])
async def test_some_pages_may_be_gone_where_no_engine_was_asked(tmp_path: Path, count: int, said: str) -> None:
    urls = [f"http://kites{place}.invalid/page" for place in range(count)]
    report = await research("Where do red kites nest?", settings=settings(tmp_path, urls=urls, web=False))
    assert said in str(report.network)
    assert bool(said) == bool(report.network)


NAME, LOGIN = "no host name", "requires a log-in"
CASES: list[tuple[str, list[Probe | None]]] = [
    ("", []),
    ("", [None, Probe("a.example", "name"), Probe("a.example", "name")]),
    (NAME, [Probe("a.example", "name"), Probe("b.example", "name"), None]),
    (NAME, [Probe("a.example", "name"), Probe("b.example", "name"), Probe("c.example", "connection")]),
    ("", [Probe("a.example", "name"), Probe("b.example", "name"), Probe("c.example", by="c.example")]),
    ("", [Probe("a.example", "name"), Probe("b.example", "name"), Probe("c.example", by="d.example")]),
    (
        LOGIN,
        [Probe("a.example", by="hotel.test"), Probe("b.example", by="hotel.test"), Probe("c.example", "connection")],
    ),
    ("", [Probe("a.example", "name", engine=False), Probe("b.example", "name", engine=False)]),
    ("", [Probe("t.test", by="site.other", engine=False), Probe("u.example", by="site.other", engine=False)]),
    ("", [Probe("a.other", by="x.test"), Probe("b.example", by="y.test")]),
    ("", [Probe("t.test", by="hotel.other"), Probe("u.example", by="hotel.other"), Probe("c.example", by="c.example")]),
]


def test_hosts_must_fail_alike_and_none_answer_for_itself(subtests: pytest.Subtests) -> None:
    for said, seen in CASES:
        with subtests.test(seen=seen):
            found = str(outage(seen) or "")
            assert said in found
            assert bool(said) == bool(found)


def test_what_is_on_this_machine_or_beside_it_says_nothing() -> None:
    errors: list[tuple[str, SearchError]] = [
        (f"http://{host}/", SearchError("It cannot be queried", fault="connection"))
        for host in ("localhost:8888", "127.0.0.1", "10.0.0.5", "[fd00::1]", "searx", "wiki.lan", "[half")
    ]
    assert outage_among(errors) is None
