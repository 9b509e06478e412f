"""The browser's way out: a proxy for one browser only, which leads where the guard allows."""

import asyncio
import base64
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, AsyncExitStack
from typing import Any

import pytest
from pydantic import SecretStr

from loopback import Reply, WebServer
from loopback.names import Names
from loopback.proxy import ProxyServer
from spyglass.kernel.errors import AddressError, FetchDeadlineError, UnreachableError
from spyglass.kernel.settings import Settings
from spyglass.net.filter_proxy import FilterProxy, Visit
from spyglass.net.guard import Guard

Opened = Callable[..., Any]


class Guarded:
    """A proxy all of whose visits follow the same settings."""

    def __init__(self, proxy: FilterProxy, guard: Guard, settings: Settings) -> None:
        self.proxy, self.guard, self.settings = proxy, guard, settings

    @property
    def url(self) -> str:
        return self.proxy.url

    def visit(self) -> AbstractContextManager[Visit]:
        return self.proxy.visit(self.guard, self.settings)


@pytest.fixture
async def opened(web_server: WebServer) -> AsyncIterator[Opened]:
    """Start proxies that lead to 127.0.0.1 at the web server's port, and with these settings."""
    async with AsyncExitStack() as proxies:

        async def start(names: Names | None = None, **changes: Any) -> Guarded:
            allowed = {"network.allow_private": [f"127.0.0.1:{web_server.port}"], "network.read_deadline": 1.0}
            settings = Settings(**{**allowed, **changes})
            proxy = await proxies.enter_async_context(FilterProxy())
            return Guarded(proxy, Guard(settings, lookup=names or Names()), settings)

        yield start


@pytest.fixture
async def proxy(opened: Opened) -> Guarded:
    started: Guarded = await opened()
    return started


async def say(proxy: Guarded, text: str, password: str = "", user: str = "page") -> bytes:
    """Send a request through the proxy, and return all that comes back."""
    reader, writer = await connect(proxy)
    head, _, body = text.partition("\r\n\r\n")
    key = base64.b64encode(f"{user}:{password}".encode()).decode()
    writer.write(f"{head}\r\nProxy-Authorization: Basic {key}\r\n\r\n{body}".encode())
    async with asyncio.timeout(60):
        answer = await reader.read(-1)
    writer.close()
    await writer.wait_closed()
    return answer


async def connect(proxy: Guarded) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", int(proxy.url.rpartition(":")[2]))


def get(url: str) -> str:
    return f"GET {url} HTTP/1.1\r\nHost: whatever.example\r\nAccept: text/html"


async def test_a_plain_request_goes_to_its_server_and_the_answer_comes_back(
    proxy: Guarded, web_server: WebServer
) -> None:
    url = web_server.put("/page", "<p>All is well.</p>")
    with proxy.visit() as visit:
        answer = await say(proxy, get(f"{url}?a=b"), visit.password)
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"\r\nConnection: close\r\n" in answer
    assert answer.endswith(b"<p>All is well.</p>")
    [asked] = web_server.visits
    assert asked.path == "/page?a=b"
    assert asked.headers["host"] == f"127.0.0.1:{web_server.port}"
    assert asked.headers["accept"] == "text/html"
    assert not [name for name in asked.headers if name.startswith("proxy-")]


async def test_a_tunnel_carries_what_both_sides_say(proxy: Guarded, web_server: WebServer) -> None:
    web_server.put("/inside", "<p>Through the tunnel.</p>")
    place = f"127.0.0.1:{web_server.port}"
    inside = f"GET /inside HTTP/1.1\r\nHost: {place}\r\nConnection: close\r\n\r\n"
    with proxy.visit() as visit:
        answer = await say(proxy, f"CONNECT {place} HTTP/1.1\r\n\r\n{inside}", visit.password)
    assert answer.startswith(b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK\r\n")
    assert answer.endswith(b"<p>Through the tunnel.</p>")


@pytest.mark.parametrize("request_line", ["GET http://{} HTTP/1.1", "CONNECT {} HTTP/1.1"])
async def test_nobody_gets_through_without_the_password_of_a_visit_that_is_under_way(
    proxy: Guarded, web_server: WebServer, request_line: str
) -> None:
    line = request_line.format(f"127.0.0.1:{web_server.port}")
    with proxy.visit() as ended:
        pass
    with proxy.visit() as visit:
        assert visit.password != ended.password
        for password, user in (("", "page"), ("guessed", "page"), (ended.password, "page"), (visit.password, "root")):
            answer = await say(proxy, line, password, user)
            assert answer.startswith(b"HTTP/1.1 407 ")
    assert web_server.visits == []
    assert web_server.connections() == 0


FORBIDDEN = [
    "127.0.0.2:{port}",
    "127.0.0.1:{other}",
    "127.1:{other}",
    "0x7f000001:{other}",
    "2130706433:{other}",
    "localhost:{other}",
    "[::1]:{port}",
    "[::ffff:127.0.0.2]:{port}",
    "0.0.0.0:{port}",
    "169.254.169.254:80",
    "10.0.0.1:80",
    "192.168.1.1:443",
    "[fd00:ec2::254]:80",
    "metadata.google.internal:80",
    "printer.local:80",
    "private.example:{port}",
    "mixed.example:{port}",
    "127.0.0.1:22",
    "public.example:25",
    "public.example:99999",
    "public.example:0",
]


async def test_what_the_guard_refuses_is_not_reached_by_any_method(
    opened: Opened, web_server: WebServer, subtests: pytest.Subtests
) -> None:
    for place in FORBIDDEN:
        with subtests.test(place=place):
            names = Names()
            names.put("private.example", ["127.0.0.2"])
            names.put("mixed.example", ["127.0.0.1", "127.0.0.2"])
            names.put("public.example", ["127.0.0.1"])
            proxy = await opened(names)
            async with WebServer().running() as other:
                where = place.format(port=web_server.port, other=other.port)
                with proxy.visit() as visit:
                    for line in (
                        f"GET http://{where}/secret HTTP/1.1",
                        f"POST http://{where}/secret HTTP/1.1",
                        f"CONNECT {where} HTTP/1.1",
                    ):
                        answer = await say(proxy, line, visit.password)
                        assert answer.startswith(b"HTTP/1.1 403 Forbidden\r\n"), answer
                        assert b"Proxy-Status: spyglass; error=http_request_denied" in answer
                    assert isinstance(visit.failure(f"http://{where}/secret"), AddressError)
                    assert visit.failure(web_server.url()) is None
                assert other.visits == []
                assert other.connections() == 0
            assert web_server.visits == []
            assert web_server.connections() == 0


async def test_a_name_is_asked_for_once_a_connection_and_the_answer_is_what_is_connected_to(
    opened: Opened, web_server: WebServer
) -> None:
    names = Names()
    names.put("rebound.example", ["127.0.0.1"], ["127.0.0.2"])
    proxy = await opened(names)
    url = f"http://rebound.example:{web_server.port}/page"
    web_server.put("/page", "<p>The first time.</p>")
    with proxy.visit() as visit:
        first = await say(proxy, get(url), visit.password)
        assert names.lookups["rebound.example"] == 1
        second = await say(proxy, get(url), visit.password)
    assert first.endswith(b"<p>The first time.</p>")
    assert second.startswith(b"HTTP/1.1 403 ")
    assert [asked.headers["host"] for asked in web_server.visits] == [f"rebound.example:{web_server.port}"]


@pytest.mark.parametrize("url", ["http://[::1/", "http://public.example:x/", "http://", "http://me@public.example/"])
async def test_an_address_that_does_not_parse_is_refused(proxy: Guarded, url: str) -> None:
    with proxy.visit() as visit:
        assert (await say(proxy, get(url), visit.password)).startswith(b"HTTP/1.1 403 ")
        assert isinstance(visit.failure(url), AddressError)


async def test_a_body_goes_with_its_request_and_nothing_after_it(proxy: Guarded, web_server: WebServer) -> None:
    url = web_server.put("/form", "<p>Thank you.</p>")
    smuggled = f"GET {web_server.url('/second')} HTTP/1.1\r\nHost: x\r\n\r\n"
    with proxy.visit() as visit:
        answer = await say(proxy, f"POST {url} HTTP/1.1\r\nContent-Length: 4\r\n\r\na=b&{smuggled}", visit.password)
    assert answer.endswith(b"<p>Thank you.</p>")
    assert [(asked.method, asked.path, asked.headers["content-length"]) for asked in web_server.visits] == [
        ("POST", "/form", "4")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "GET /page HTTP/1.1",
        "POST {url} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST {url} HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "GET {url} HTTP/1.1\r\n folded: yes",
        "GET {url}\nX: y HTTP/1.1",
        "GET {url} HTTP/1.1\r\nX: " + 70_000 * "y",
        "\x16\x03\x01\x02",
    ],
    ids=lambda text: text[:60],
)
async def test_what_does_not_parse_strictly_is_refused(proxy: Guarded, web_server: WebServer, text: str) -> None:
    with proxy.visit() as visit:
        answer = await say(proxy, text.replace("{url}", web_server.url("/page")), visit.password)
    assert answer.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert web_server.visits == []


async def test_a_page_that_transfers_too_much_is_cut_and_gets_no_more(opened: Opened, web_server: WebServer) -> None:
    proxy = await opened(fetch__max_megabytes=0.1)
    url = web_server.put("/large", Reply(bytes(200_000)))
    with proxy.visit() as visit:
        assert len(await say(proxy, get(url), visit.password)) > 200_000
        assert not visit.is_spent
        assert len(await say(proxy, get(url), visit.password)) < 200_000
        assert visit.is_spent
        assert len(await say(proxy, get(url), visit.password)) < 1000
    with proxy.visit() as visit:
        assert len(await say(proxy, get(url), visit.password)) > 200_000


async def test_a_server_that_does_not_answer_is_waited_for_only_so_long(proxy: Guarded, web_server: WebServer) -> None:
    with proxy.visit() as visit:
        answer = await say(proxy, get(web_server.put("/late", Reply("late", delay=30))), visit.password)
        assert answer.startswith(b"HTTP/1.1 502 ")
        assert isinstance(visit.failure(web_server.url()), FetchDeadlineError)


async def test_a_host_that_is_not_there_is_said_to_be_so(opened: Opened, web_server: WebServer) -> None:
    names = Names()
    names.put("closed.example", ["127.0.0.9"])
    proxy = await opened(names, network__allow_private=["127.0.0.0/8"])
    with proxy.visit() as visit:
        for place in (f"closed.example:{web_server.port}", "missing.example:80"):
            answer = await say(proxy, get(f"http://{place}/"), visit.password)
            assert answer.startswith(b"HTTP/1.1 502 ")
            assert isinstance(visit.failure(f"http://{place}/"), UnreachableError)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n",
        b"no HTTP at all\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n",
        b"",
        b"HTTP/1.1 200 OK\r\nX: " + bytes(70_000),
    ],
    ids=lambda answer: answer[:20],
)
async def test_a_server_with_an_answer_that_is_none_does_not_reach_the_browser(opened: Opened, answer: bytes) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        place = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        proxy = await opened(network__allow_private=[place])
        with proxy.visit() as visit:
            assert (await say(proxy, get(f"http://{place}/"), visit.password)).startswith(b"HTTP/1.1 502 ")
            assert isinstance(visit.failure(f"http://{place}/"), UnreachableError)


async def tunnel_of(proxy: Guarded, visit: Visit, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await connect(proxy)
    key = base64.b64encode(f"{visit.user}:{visit.password}".encode()).decode()
    writer.write(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\nProxy-Authorization: Basic {key}\r\n\r\n".encode())
    await reader.readuntil(b"\r\n\r\n")
    return reader, writer


async def test_the_end_of_a_visit_cuts_its_connections_and_no_others(proxy: Guarded, web_server: WebServer) -> None:
    with proxy.visit() as longer:
        kept, other_end = await tunnel_of(proxy, longer, web_server.port)
        with proxy.visit() as visit:
            reader, writer = await tunnel_of(proxy, visit, web_server.port)
        async with asyncio.timeout(60):
            assert await reader.read() == b""
        other_end.write(b"GET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await kept.readline()).startswith(b"HTTP/1.1 ")
    for each in (writer, other_end):
        each.close()
    await web_server.all_closed()


async def test_a_proxy_that_ends_leaves_no_task_and_no_connection(web_server: WebServer) -> None:
    before = asyncio.all_tasks()
    settings = Settings(network__allow_private=["127.0.0.1"])
    async with FilterProxy() as running:
        proxy = Guarded(running, Guard(settings), settings)
        with proxy.visit() as visit:
            tunnel = await tunnel_of(proxy, visit, web_server.port)
            silent = await connect(proxy)
            await asyncio.sleep(0.05)
    for reader, writer in (tunnel, silent):
        assert await reader.read() == b""
        writer.close()
    await web_server.all_closed()
    assert asyncio.all_tasks() == before
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", int(proxy.url.rpartition(":")[2]))


async def test_the_users_proxy_is_on_the_way_to_what_is_public_and_not_to_what_is_private(
    opened: Opened, web_server: WebServer
) -> None:
    url = web_server.put("/page", "<p>Far away.</p>")
    names = Names()
    names.put("public.example", ["93.184.216.34"])
    place = f"unknown.example:{web_server.port}"
    async with ProxyServer().running() as upstream:
        address = upstream.url.replace("http://", "http://me:s%3Acret@")
        proxy = await opened(names, network__proxy=SecretStr(address))
        with proxy.visit() as visit:
            for host in ("public.example", "unknown.example"):
                answer = await say(proxy, get(f"http://{host}:{web_server.port}/page?q"), visit.password)
                assert answer.endswith(b"<p>Far away.</p>")
            inside = f"GET /page HTTP/1.1\r\nHost: {place}\r\nConnection: close\r\n\r\n"
            answer = await say(proxy, f"CONNECT {place} HTTP/1.1\r\n\r\n{inside}", visit.password)
            assert answer.endswith(b"<p>Far away.</p>")
            assert (await say(proxy, get(url), visit.password)).endswith(b"<p>Far away.</p>")
            assert (await say(proxy, get("http://10.0.0.1/"), visit.password)).startswith(b"HTTP/1.1 403 ")
    assert upstream.requests == [
        f"GET http://public.example:{web_server.port}/page?q HTTP/1.1",
        f"GET http://unknown.example:{web_server.port}/page?q HTTP/1.1",
        f"CONNECT {place} HTTP/1.1",
    ]
    assert upstream.credentials == [base64.b64encode(b"me:s:cret").decode()] * 3


async def test_a_users_proxy_that_refuses_is_told_as_unreachable(opened: Opened) -> None:
    async with ProxyServer(refuses=407).running() as upstream:
        proxy = await opened(network__proxy=SecretStr(upstream.url))
        with proxy.visit() as visit:
            for line in ("GET http://public.example/ HTTP/1.1", "CONNECT public.example:443 HTTP/1.1"):
                assert (await say(proxy, line, visit.password)).startswith(b"HTTP/1.1 502 ")
            assert isinstance(visit.failure("http://public.example/"), UnreachableError)
            assert "407" in str(visit.failure("https://public.example/"))
