"""The service over a real socket: what it streams, what it refuses, and that nobody's run outlives their call."""

import asyncio
import json
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from pydantic import SecretStr

from loopback import SearchServer, WebServer
from serve.conftest import Serving
from serve.wire import received
from spyglass.kernel.errors import UsageError
from spyglass.kernel.settings import Settings
from spyglass.runs import RunStore
from spyglass.serve.app import create_app
from spyglass.serve.sse import DELTA, ServerEvent, join
from spyglass.serve.tokens import Tokens
from tools.sites import finds, put

QUESTION = "How deep is the Altmere harbour basin?"
TOKEN = "a token of twenty-six signs"
DEPTH = "The basin of the Altmere harbour is seven metres deep at low water."


@asynccontextmanager
async def asking(
    base: str, path: str, headers: dict[str, str] | None = None, host: str = "127.0.0.1", **asked: Any
) -> AsyncIterator[aiohttp.ClientResponse]:
    """Call the service from an address of this machine: with what is asked as JSON, or to see how it is."""
    how: dict[str, Any] = {"method": "GET"} if path == "/health" else {"method": "POST", "json": asked}
    async with (
        aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(120), connector=aiohttp.TCPConnector(local_addr=(host, 0))
        ) as session,
        session.request(url=f"{base}{path}", headers=headers, **how) as response,
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
    async with serving(serve__sse_limit=1_024) as base:
        events = await streamed(base, "/search", query=QUESTION)
    assert DELTA in {event.name for event in events}
    assert max(len(event.text) for event in events) <= 1_024
    assert list(join(events))[-1].data["response"].startswith(DEPTH)


async def test_a_report_over_files_is_streamed_to_its_end(serving: Serving, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "harbour.md").write_text(f"# The harbour\n\n{DEPTH}\n")
    async with serving(db=[tmp_path / "files"], retrieval__dense=True) as base:
        events = list(join(await streamed(base, "/report", q=QUESTION, web=False)))
    assert events[0].name == "RunStarted"
    assert events[-1].name == "tool_end"
    assert f"{DEPTH} [1]" in events[-1].data["markdown"]
    assert events[-1].data["outcome"] == "complete"


async def test_a_failure_is_the_last_event_of_the_stream(serving: Serving) -> None:
    async with serving(
        search__engines=["searxng"], search__engine_urls={"searxng": "http://127.0.0.1:9"}, search__attempts=1
    ) as base:
        events = await streamed(base, "/search", query=QUESTION)
    assert (events[-1].name, events[-1].data["type"]) == ("error", "NoSearchError")


async def test_what_cannot_be_asked_is_refused_in_words(serving: Serving) -> None:
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("/search", {}, "query: Field required"),
        ("/search", {"query": " "}, "empty"),
        ("/search", {"query": "Why?", "time_range": "decade"}, "'year' or 'none'"),
        ("/search", {"query": "Why?", "whitelisted_domains": ["a b"]}, "not a domain"),
        ("/search", {"query": "Why?", "data_dir": "/tmp"}, "Extra inputs are not permitted"),
        ("/search", {"query": "half \ud800"}, "surrogates not allowed"),
        ("/search", {"query": "Why?", "whitelisted_domains": ["\ud800.com"]}, "surrogates not allowed"),
        ("/report", {"q": "half \ud800"}, "surrogates not allowed"),
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
        async with asking(base, "/report", q="Why?", web=True) as response:
            assert response.status == 422


FOREIGN = [
    {"Host": "evil.example"},
    {"Host": "evil.example:8000"},
    {"Host": "127.0.0.1.evil.example"},
    {"Host": ""},
    {"Host": "[::1"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]
"""What a browser says when another site's page asks, be it under a name that leads here."""

FORMS = [
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=a",
    "text/plain",
    "text/plain; application/json",
]
"""The types that a page may send to another site without asking it; a browser of old says nothing of the page."""


async def test_foreign_names_and_pages_of_other_sites_are_refused(serving: Serving) -> None:
    async with serving() as base:
        for headers in FOREIGN:
            async with asking(base, "/search", headers, query=QUESTION) as response:
                assert response.status == 403, headers


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
async def test_no_page_of_another_site_begins_a_run(serving: Serving, host: str, search_server: SearchServer) -> None:
    calls: list[dict[str, Any]] = [
        {"method": "GET", "params": {"query": QUESTION, "q": QUESTION}},
        {"method": "HEAD", "params": {"query": QUESTION, "q": QUESTION}},
        {"method": "POST", "data": b""},
        *(
            {"method": "POST", "data": json.dumps({"query": QUESTION}), "headers": {"Content-Type": kind}}
            for kind in FORMS
        ),
        *({"method": "POST", "json": {"query": QUESTION}, "headers": headers} for headers in FOREIGN),
        {
            "method": "OPTIONS",
            "headers": {
                "Origin": "https://evil.example",
                "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "content-type, authorization",
                "Access-Control-Request-Private-Network": "true",
            },
        },
    ]
    async with serving(host, serve__token=SecretStr(TOKEN)) as base, aiohttp.ClientSession() as session:
        for path in ("/search", "/report"):
            for call in calls:
                shown = {"Authorization": f"Bearer {TOKEN}", **call.get("headers", {})}
                async with session.request(url=f"{base}{path}", **{**call, "headers": shown}) as response:
                    assert response.status in (401, 403, 405, 415), call
                    assert not [name for name in response.headers if name.lower().startswith("access-control-")], call
    assert search_server.requests == []


async def test_a_service_that_others_reach_does_not_begin_without_a_token(online: Settings) -> None:
    for host in ("0.0.0.0", "", "::", "192.0.2.1", "spy.example"):
        with pytest.raises(UsageError, match="needs a token"):
            create_app(online, host=host)


async def test_who_does_not_show_the_token_gets_nothing(serving: Serving) -> None:
    wrong = ["", "Bearer", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", TOKEN, "Bearer é"]
    for host in ("127.0.0.1", "0.0.0.0"):
        async with serving(host, serve__token=SecretStr(TOKEN)) as base:
            for shown in wrong:
                for path in ("/health", "/search", "/none"):
                    async with asking(base, path, {"Authorization": shown}, query=QUESTION) as response:
                        assert (response.status, response.headers["WWW-Authenticate"]) == (401, "Bearer"), shown
            async with asking(base, "/health", {"Authorization": f"bearer {TOKEN}"}) as response:
                assert response.status == 200


async def test_a_token_is_kept_as_its_hash_and_holds_until_it_is_revoked(serving: Serving, online: Settings) -> None:
    tokens = await asyncio.to_thread(Tokens, online)
    ana, ben = await asyncio.to_thread(tokens.make, "ana"), await asyncio.to_thread(tokens.make, "ben", 2.5, 10)
    kept = online.data_dir / "serve-tokens.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert not [token for token in (ana, ben) if token in kept.read_text()]
    grants = await asyncio.to_thread(tokens.grants)
    assert [(one.name, one.budget, one.runs_a_day) for one in grants] == [
        ("ana", None, None),
        ("ben", 2.5, 10),
    ]
    async with serving("0.0.0.0") as base:

        async def status(token: str) -> int:
            async with asking(base, "/health", {"Authorization": f"Bearer {token}"}) as response:
                return response.status

        assert [await status(token) for token in (ana, ben, f"{ben}x", "")] == [200, 200, 401, 401]
        await asyncio.to_thread(tokens.revoke, "ana")
        assert [await status(token) for token in (ana, ben)] == [401, 200]
        await asyncio.to_thread(tokens.revoke, "ben")
        assert [await status(token) for token in (ben, "")] == [401, 401], "nobody is let in when none is left"


def test_a_token_has_a_name_of_its_own_that_can_be_told(online: Settings) -> None:
    tokens = Tokens(online)
    for name in ("", "Ana", "../x", "a" * 41, "é"):
        with pytest.raises(UsageError, match="is not a valid name of a token"):
            tokens.make(name)
    with pytest.raises(UsageError, match="There is no token"):
        tokens.revoke("ana")
    tokens.make("ana")
    with pytest.raises(UsageError, match="The token 'ana' already exists"):
        tokens.make("ana")
    (online.data_dir / "serve-tokens.json").write_text("[{")
    with pytest.raises(UsageError, match="cannot be read"):
        Tokens(online)


async def test_a_call_that_sends_too_much_is_refused(serving: Serving) -> None:
    async def endless() -> AsyncIterator[bytes]:
        yield b"{"

    json_type = {"Content-Type": "application/json"}
    async with serving() as base, aiohttp.ClientSession(headers=json_type) as session:
        for data, status in ((b" " * 65_537, 413), (endless(), 411), (b" " * 65_536, 422)):
            async with session.post(f"{base}/search", data=data) as response:
                assert response.status == status


async def test_every_refusal_has_one_shape(serving: Serving) -> None:
    async with serving() as base, aiohttp.ClientSession() as session:
        for method, path, status in (("GET", "/none", 404), ("GET", "/search", 405), ("POST", "/search", 415)):
            async with session.request(method, f"{base}{path}") as response:
                assert (response.status, set(await response.json())) == (status, {"error", "type"})
        async with session.get(f"{base}/openapi.json") as response:
            schema = await response.json()
        assert {"/runs", "/check", "/v1/responses", "/v1/chat/completions"} <= {*schema["paths"]}


async def test_own_names_and_own_pages_are_let_in(serving: Serving) -> None:
    sites = [{"Sec-Fetch-Site": site} for site in ("same-origin", "none")]
    async with serving(serve__hosts=["spy.example"]) as base:
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
    async with serving(serve__runs=1) as base:
        async with asking(base, "/search", query=QUESTION) as first:
            await first.content.readline()
            async with asking(base, "/report", host="127.0.0.2", q=QUESTION) as second:
                assert (second.status, second.headers["Retry-After"]) == (429, "10")
        await web_server.all_closed()


async def test_one_client_leaves_places_for_others(
    serving: Serving, search_server: SearchServer, web_server: WebServer
) -> None:
    finds(search_server, web_server.url("/hang"))
    async with serving(serve__runs=3, serve__share=1) as base:
        async with asking(base, "/search", query=QUESTION) as first:
            await first.content.readline()
            async with asking(base, "/search", query=QUESTION) as more:
                assert (more.status, more.headers["Retry-After"]) == (429, "10")
            async with asking(base, "/search", {"X-Forwarded-For": "192.0.2.7"}, query=QUESTION) as disguised:
                assert disguised.status == 429
            async with asking(base, "/search", host="127.0.0.2", query=QUESTION) as other:
                assert other.status == 200
        await web_server.all_closed()


async def test_a_run_of_the_service_has_limits_where_nobody_set_any(
    serving: Serving, online: Settings, page: str
) -> None:
    assert page
    async with serving() as base:
        await streamed(base, "/search", query=QUESTION)
    [run] = await asyncio.to_thread(RunStore(online.data_dir).all)
    kept = run.required_settings()
    assert (kept["budget.max_time"], kept["budget.max_cost"]) == (600, 1)


async def test_a_run_that_cannot_begin_gives_its_place_back(serving: Serving) -> None:
    async with serving(serve__runs=1) as base:
        for _ in range(3):
            async with asking(base, "/search", query=" ") as response:
                assert response.status == 422


async def test_no_run_is_taken_when_the_data_folder_is_full(serving: Serving, online: Settings, page: str) -> None:
    assert page
    kept = online.data_dir / "cache" / "kept"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"x" * 2_000_000)
    async with serving(serve__megabytes=2) as base:
        async with asking(base, "/search", query=QUESTION) as response:
            assert response.status == 507
            assert "2 MB of 2" in (await response.json())["error"]
        kept.unlink()
        assert (await streamed(base, "/search", query=QUESTION))[-1].name == "tool_end"


async def opened(base: str) -> int:
    async with asking(base, "/health") as response:
        return int((await response.json())["open"])
