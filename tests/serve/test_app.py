"""The service over a real socket: what it streams, what it refuses, and that nobody's run outlives their call."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from loopback import SearchServer, WebServer
from serve.conftest import Serving
from spyglass.serve.sse import DELTA, ServerEvent, join, received
from tools.sites import finds, put

QUESTION = "How deep is the Altmere harbour basin?"
DEPTH = "The basin of the Altmere harbour is seven metres deep at low water."


@asynccontextmanager
async def asking(
    base: str, path: str, headers: dict[str, str] | None = None, **parameters: Any
) -> AsyncIterator[aiohttp.ClientResponse]:
    async with (
        aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(120)) as session,
        session.get(f"{base}{path}", params=parameters, headers=headers) as response,
    ):
        yield response


async def streamed(base: str, path: str, **parameters: Any) -> list[ServerEvent]:
    """Return the events as they came over the wire."""
    async with asking(base, path, **parameters) as response:
        assert (response.status, response.content_type) == (200, "text/event-stream")
        return list(received((await response.text()).splitlines()))


@pytest.fixture
def page(search_server: SearchServer, web_server: WebServer) -> str:
    """A page that every query finds, and that answers the question."""
    url = put(web_server, "127.0.0.1", "/depth", DEPTH)
    finds(search_server, url)
    return url


async def test_a_search_is_streamed_to_its_result(serving: Serving, page: str) -> None:
    async with serving() as base:
        events = await streamed(base, "/search", query=QUESTION)
    assert events[0] == ServerEvent("tool_update", {"phase": "WEB_SEARCH", "status": "started", "query": QUESTION})
    assert events[-1].name == "tool_end"
    assert events[-1].data["response"].startswith(DEPTH)
    assert events[-1].data["sources"][0]["url"] == page


async def test_large_events_come_in_slices_that_the_client_joins(
    serving: Serving, search_server: SearchServer, web_server: WebServer
) -> None:
    finds(search_server, *(put(web_server, f"127.0.0.{n}", f"/{n}", f"{DEPTH} So say {n}.") for n in range(1, 5)))
    async with serving(sse_limit=1_024) as base:
        events = await streamed(base, "/search", query=QUESTION)
    assert DELTA in {event.name for event in events}
    assert max(len(event.text) for event in events) <= 1_024
    assert list(join(events))[-1].data["response"].startswith(DEPTH)


async def test_a_report_over_files_is_streamed_to_its_end(serving: Serving, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "harbour.md").write_text(f"# The harbour\n\n{DEPTH}\n")
    async with serving(db=[tmp_path / "files"]) as base:
        events = list(join(await streamed(base, "/report", q=QUESTION, web="false")))
    assert events[0].name == "RunStarted"
    assert events[-1].name == "tool_end"
    assert f"{DEPTH} [1]" in events[-1].data["markdown"]
    assert events[-1].data["outcome"] == "complete"


async def test_a_failure_is_the_last_event_of_the_stream(serving: Serving) -> None:
    async with serving(engines=["searxng"], engine_urls={"searxng": "http://127.0.0.1:9"}, search_attempts=1) as base:
        events = await streamed(base, "/search", query=QUESTION)
    assert (events[-1].name, events[-1].data["type"]) == ("error", "NoSearchError")


async def test_what_cannot_be_asked_is_refused_in_words(serving: Serving) -> None:
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("/search", {}, "query: Field required"),
        ("/search", {"query": " "}, "empty"),
        ("/search", {"query": "Why?", "time_range": "decade"}, "'year' or 'none'"),
        ("/search", {"query": "Why?", "whitelisted_domains": "a b"}, "not a domain"),
        ("/search", {"query": "Why?", "data_dir": "/tmp"}, "Extra inputs are not permitted"),
        ("/report", {"q": ""}, "empty"),
        ("/report", {"q": "Why?", "db": "/etc"}, "Extra inputs are not permitted"),
        ("/report", {"q": "Why?", "web": "maybe"}, "boolean"),
    ]
    async with serving() as base:
        for path, parameters, said in cases:
            async with asking(base, path, **parameters) as response:
                assert response.status == 422
                assert said in (await response.json())["error"]


async def test_a_service_that_has_no_web_does_not_search_it(serving: Serving) -> None:
    async with serving(web=False) as base:
        async with asking(base, "/search", query="Why?") as response:
            assert response.status == 422
        async with asking(base, "/report", q="Why?", web="true") as response:
            assert response.status == 422


async def test_foreign_names_and_pages_of_other_sites_are_refused(serving: Serving) -> None:
    foreign = [
        {"Host": "evil.example"},
        {"Host": "evil.example:8000"},
        {"Host": "127.0.0.1.evil.example"},
        {"Host": ""},
        {"Host": "[::1"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ]
    async with serving() as base:
        for headers in foreign:
            async with asking(base, "/search", headers, query=QUESTION) as response:
                assert response.status == 403, headers


async def test_own_names_and_own_pages_are_let_in(serving: Serving) -> None:
    sites = [{"Sec-Fetch-Site": site} for site in ("same-origin", "none")]
    async with serving(serve_hosts=["spy.example"]) as base:
        for headers in (
            {},
            {"Host": "localhost:1"},
            {"Host": "[::1]:8000"},
            {"Host": "SPY.example"},
            {"Origin": base},
            *sites,
        ):
            async with asking(base, "/health", headers) as response:
                assert (response.status, (await response.json())["status"]) == (200, "ok")


async def test_every_answer_tells_a_browser_to_keep_its_hands_off(serving: Serving) -> None:
    async with serving() as base:
        for path, headers in (("/health", {}), ("/none", {}), ("/health", {"Host": "evil.example"})):
            async with asking(base, path, headers) as response:
                assert response.headers["X-Content-Type-Options"] == "nosniff"
                assert "default-src 'none'" in response.headers["Content-Security-Policy"]
                assert "Access-Control-Allow-Origin" not in response.headers


async def test_a_client_that_goes_away_ends_its_run(
    serving: Serving, search_server: SearchServer, web_server: WebServer
) -> None:
    finds(search_server, web_server.url("/hang"))
    async with serving() as base:
        async with asking(base, "/search", query=QUESTION) as response:
            await response.content.readline()
            await asyncio.wait_for(web_server.first_visit.wait(), 60)
            assert await opened(base) == 1
        await web_server.all_closed()
        assert await opened(base) == 0


async def test_no_more_runs_are_taken_than_the_settings_allow(
    serving: Serving, search_server: SearchServer, web_server: WebServer
) -> None:
    finds(search_server, web_server.url("/hang"))
    async with serving(serve_runs=1) as base:
        async with asking(base, "/search", query=QUESTION) as first:
            await first.content.readline()
            async with asking(base, "/report", q=QUESTION) as second:
                assert (second.status, second.headers["Retry-After"]) == (503, "10")
        await web_server.all_closed()


async def opened(base: str) -> int:
    async with asking(base, "/health") as response:
        return int((await response.json())["open"])
