import asyncio
import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from loopback import Reply, Visit, WebServer
from loopback.certificate import certificate
from loopback.names import Names
from net.conftest import BOUNDS, Get, Opened
from spyglass.kernel.errors import (
    AddressError,
    FetchDeadlineError,
    PageTooLargeError,
    RedirectError,
    SettingsError,
    UnreachableError,
)
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.net import Client, client_of
from spyglass.net.session import guarded_socket

OTHER = "127.0.0.2"


@asynccontextmanager
async def answering(answer: bytes, reads: int = 1) -> AsyncIterator[int]:
    """Answer these bytes on a port after so many bytes of a request, then close."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            await reader.readexactly(reads)
            writer.write(answer)
            await writer.drain()
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
        done.set()

    done = asyncio.Event()
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1]
    await done.wait()
    server.close()
    await server.wait_closed()


async def test_a_page_comes_with_its_headers_in_lower_case(get: Get, web_server: WebServer) -> None:
    url = web_server.put("/a", Reply("text", headers={"ETag": '"1"', "X-Odd": "yes"}))
    response = await get(f"{url}?q=1#part")
    assert (response.url, response.status, response.body) == (f"{url}?q=1", 200, b"text")
    assert response.headers["etag"] == '"1"'
    assert response.headers["x-odd"] == "yes"
    assert response.redirects == ()


async def test_query_header_and_body_arrive_as_given(get: Get, web_server: WebServer) -> None:
    url = web_server.put("/a", "ok")
    await get(f"{url}?a=1", params={"b": "ä &", "c": "2"}, headers={"X-Key": "k"}, method="post", json={"x": 1})
    (visit,) = web_server.visits
    assert (visit.method, visit.path) == ("POST", "/a?a=1&b=%C3%A4+%26&c=2")
    assert visit.headers["x-key"] == "k"
    assert visit.headers["content-type"] == "application/json"
    assert visit.headers["accept-encoding"] == "gzip, deflate"
    assert "Spyglass" in visit.headers["user-agent"]


@pytest.mark.parametrize("status", [204, 304, 404, 429, 500, 503])
async def test_any_status_is_an_answer(get: Get, web_server: WebServer, status: int) -> None:
    assert (await get(web_server.url(f"/status?code={status}"))).status == status


async def test_no_cookie_comes_back(get: Get, web_server: WebServer) -> None:
    url = web_server.put("/a", Reply("ok", headers={"Set-Cookie": "id=1"}))
    await get(url)
    await get(url)
    assert not any("cookie" in visit.headers for visit in web_server.visits)


async def test_connections_are_used_again_and_closed_with_the_client(web_server: WebServer) -> None:
    async with Client(Settings(network__allow_private=["127.0.0.0/8"])) as client:
        for _ in range(5):
            await client.request("GET", web_server.url("/article"), **BOUNDS)
        assert web_server.connections() == 1
    await web_server.all_closed()


async def test_a_run_has_one_client_and_closes_it(web_server: WebServer, settings: Settings) -> None:
    async with Run("What?", settings) as run:
        client = await client_of(run)
        assert await client_of(run) is client
        await client.request("GET", web_server.url("/article"), configured=True, **BOUNDS)
    await web_server.all_closed()


# Bodies


@pytest.mark.parametrize("path", ["/gzip", "/deflate", "/bad-gzip", "/odd-encoding"])
async def test_encoded_bodies_are_read(get: Get, web_server: WebServer, path: str) -> None:
    body = (await get(web_server.url(path))).body
    assert b"gzip at all" in body or b"<html" in body


@pytest.mark.parametrize("path", ["/bomb", "/endless"])
async def test_a_body_over_the_cap_is_given_up_at_once(get: Get, web_server: WebServer, path: str) -> None:
    with pytest.raises(PageTooLargeError, match="larger than 1000000 bytes"):
        await get(web_server.url(path))


async def test_a_length_over_the_cap_is_enough(get: Get, web_server: WebServer) -> None:
    url = web_server.put("/a", "x" * 5000)
    assert len((await get(url, max_bytes=5000)).body) == 5000
    with pytest.raises(PageTooLargeError):
        await get(url, max_bytes=4999)


@pytest.mark.parametrize(("path", "said"), [("/truncated", "body was cut off"), ("/cut-gzip", "body was cut off")])
async def test_half_a_body_is_no_body(get: Get, web_server: WebServer, path: str, said: str) -> None:
    with pytest.raises(UnreachableError, match=said):
        await get(web_server.url(path))


async def test_asking_for_the_head_reads_no_body(get: Get, web_server: WebServer) -> None:
    url = web_server.put("/a", Reply(gzip.compress(b"x"), headers={"Content-Encoding": "gzip"}))
    assert (await get(url, method="HEAD")).body == b""


# Deadlines


@pytest.mark.parametrize(
    ("path", "deadlines", "said"),
    [
        ("/hang", {"read_deadline": 0.2}, "sent nothing for 0.2 s"),
        ("/stall", {"read_deadline": 0.2}, "sent nothing for 0.2 s"),
        ("/drip", {"total_deadline": 0.3}, "took longer than 0.3 s"),
        ("/slow-headers", {"total_deadline": 0.3}, "took longer than 0.3 s"),
    ],
)
async def test_each_deadline_fires_and_says_which(
    get: Get, web_server: WebServer, path: str, deadlines: dict[str, float], said: str
) -> None:
    with pytest.raises(FetchDeadlineError, match=said) as caught:
        await get(web_server.url(path), **deadlines)
    assert caught.value.where == web_server.url(path)


async def test_redirects_share_one_total_deadline(get: Get, web_server: WebServer) -> None:
    web_server.put("/a", Reply(status=302, headers={"Location": "/b"}, delay=0.2))
    web_server.put("/b", Reply("late", delay=0.2))
    with pytest.raises(FetchDeadlineError, match=r"0\.3 s"):
        await get(web_server.url("/a"), max_redirects=1, total_deadline=0.3)


async def test_a_name_service_that_hangs_is_bounded_by_the_connect_deadline(opened: Opened) -> None:
    class Hanging(Names):
        async def __call__(self, host: str, port: int) -> list[tuple[int, str]]:
            await asyncio.sleep(60)
            return []

    client = await opened(names=Hanging())
    with pytest.raises(FetchDeadlineError, match=r"No connection within 0\.2 s"):
        await client.request("GET", "http://site.example/", **{**BOUNDS, "connect_deadline": 0.2})


async def test_a_server_that_never_shakes_hands_is_bounded_by_the_connect_deadline(get: Get) -> None:
    async with answering(b"", reads=10_000) as port:
        with pytest.raises(FetchDeadlineError, match=r"No connection within 0\.2 s"):
            await get(f"https://127.0.0.1:{port}/", connect_deadline=0.2)


# What goes wrong


@pytest.mark.parametrize(("path", "said"), [("/reset", "broke off the connection"), ("/garbage", "not HTTP")])
async def test_a_connection_that_breaks_is_told(get: Get, web_server: WebServer, path: str, said: str) -> None:
    with pytest.raises(UnreachableError, match=said):
        await get(web_server.url(path))


async def test_a_host_that_does_not_exist_and_one_that_refuses_are_told_apart(get: Get, free_port: int) -> None:
    with pytest.raises(UnreachableError, match=r'The host "nowhere\.example" does not exist') as caught:
        await get("http://nowhere.example/a?token=secret")
    assert caught.value.where == "http://nowhere.example/a?…"
    with pytest.raises(UnreachableError, match="refuses connections"):
        await get(f"http://127.0.0.1:{free_port}/")


@pytest.mark.parametrize("chunks", [b"zz\r\nhello\r\n", b"ffffffffff\r\nhello", b"5\r\nhel"])
async def test_broken_chunks_are_a_body_that_broke_off(get: Get, chunks: bytes) -> None:
    async with answering(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks) as port:
        with pytest.raises(UnreachableError, match=r"was cut off|not HTTP"):
            await get(f"http://127.0.0.1:{port}/")


async def test_long_headers_are_read_and_endless_ones_refused(get: Get, web_server: WebServer) -> None:
    assert (await get(web_server.put("/a", Reply("ok", headers={"X-Policy": "p" * 30_000})))).status == 200
    with pytest.raises(UnreachableError):
        await get(web_server.put("/b", Reply("ok", headers={"X-Policy": "p" * 300_000})))


# Redirects


async def test_redirects_are_followed_and_listed(get: Get, web_server: WebServer) -> None:
    response = await get(web_server.url("/deep-redirect?n=2"), max_redirects=3)
    assert response.url == web_server.url("/article")
    assert response.redirects == tuple(web_server.url(f"/deep-redirect?n={left}") for left in (2, 1, 0))


async def test_a_redirect_is_an_answer_when_none_is_to_be_followed(get: Get, web_server: WebServer) -> None:
    assert (await get(web_server.url("/redirect?to=/article"))).headers["location"] == "/article"


async def test_too_many_redirects_and_a_circle_are_told_apart(get: Get, web_server: WebServer) -> None:
    with pytest.raises(RedirectError, match="more than 2 times"):
        await get(web_server.url("/deep-redirect"), max_redirects=2)
    with pytest.raises(RedirectError, match="in a loop"):
        await get(web_server.url("/loop"), max_redirects=9)


@pytest.mark.parametrize(
    ("code", "method", "arrives"),
    [
        (301, "POST", "GET"),
        (302, "POST", "GET"),
        (303, "PUT", "GET"),
        (307, "POST", "POST"),
        (308, "POST", "POST"),
        (303, "HEAD", "HEAD"),
        (302, "HEAD", "HEAD"),
    ],
)
async def test_a_redirect_changes_the_method_as_in_browsers(
    get: Get, web_server: WebServer, code: int, method: str, arrives: str
) -> None:
    url = web_server.url(f"/redirect?to=/article&code={code}")
    sent: Any = {} if method == "HEAD" else {"data": "x=1"}
    await get(url, method=method, max_redirects=1, **sent)
    last = web_server.visits[-1]
    assert (last.path, last.method) == ("/article", arrives)
    assert last.headers.get("content-length", "0") == ("3" if arrives == "POST" else "0")


async def test_keys_stay_with_the_host_they_are_for(get: Get, web_server: WebServer) -> None:
    keys = {"X-Key": "k", "Authorization": "Bearer b", "Cookie": "c=1", "Accept": "text/html"}
    for host in ("127.0.0.1", OTHER):
        web_server.put("/away", Reply(status=302, headers={"Location": web_server.url("/b", host)}))
        web_server.put("/b", "here")
        await get(web_server.url("/away"), headers=keys, max_redirects=1)
    at_home, elsewhere = web_server.visits_to("/b")
    assert {name: at_home.headers[name.lower()] for name in keys} == keys
    assert "Bearer" not in str(elsewhere.headers)
    assert {"x-key", "cookie"}.isdisjoint(elsewhere.headers)
    assert elsewhere.headers["accept"] == "text/html"


async def test_a_body_is_not_sent_on_to_another_host(get: Get, web_server: WebServer) -> None:
    url = web_server.put("/a", Reply(status=307, headers={"Location": web_server.url("/b", OTHER)}))
    with pytest.raises(RedirectError, match="body to another host"):
        await get(url, method="POST", json={"api_key": "k"}, max_redirects=1)
    assert not web_server.visits_to("/b")


async def test_a_body_stays_away_even_when_the_way_back_leads_home(get: Get, web_server: WebServer) -> None:
    web_server.put("/a", Reply(status=302, headers={"Location": web_server.url("/b", OTHER)}))
    web_server.put("/b", Reply(status=302, headers={"Location": web_server.url("/c")}))
    web_server.put("/c", "home")
    await get(web_server.url("/a"), headers={"X-Key": "k"}, max_redirects=2)
    assert "x-key" not in web_server.visits_to("/c")[0].headers


@pytest.mark.parametrize(
    ("to", "arrives"),
    [
        ("/ä b?q=ü", "/%C3%A4%20b?q=%C3%BC"),
        ("//127.0.0.1:{port}/found", "/found"),
        ("  /found#part  ", "/found"),
        ("../found", "/found"),
        ("?x=1", "/a?x=1"),
        ("http:\\\\127.0.0.1:{port}\\found", "/found"),
    ],
)
async def test_locations_are_read_as_browsers_do(get: Get, web_server: WebServer, to: str, arrives: str) -> None:
    def moved(visit: Visit) -> Reply:
        there = Reply(status=302, headers={"Location": to.format(port=web_server.port)})
        return there if visit.path == "/a" else Reply("found")

    url = web_server.put("/a", moved)
    for path in ("/found", "/ä b"):
        web_server.put(path, "found")
    response = await get(url, max_redirects=1)
    assert (response.url, response.body) == (web_server.url(arrives), b"found")


# The guard


@pytest.mark.parametrize(
    "to",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://2130706433:{port}/article",
        "http://[::ffff:127.0.0.3]:{port}/article",
        "http://localhost:{port}/article",
        "http://user@127.0.0.1:{port}/article",
        "file:///etc/passwd",
        "http://[bad/",
        "http://[::1",
        "//127.0.0.3:{port}/article",
        "\\\\127.0.0.3:{port}/article",
    ],
)
async def test_a_redirect_to_a_forbidden_address_is_refused(opened: Opened, web_server: WebServer, to: str) -> None:
    client = await opened(network__allow_private=["127.0.0.2"])
    url = web_server.put("/a", Reply(status=302, headers={"Location": to.format(port=web_server.port)}))
    url = url.replace("127.0.0.1", OTHER)
    with pytest.raises(AddressError, match="It redirects to") as caught:
        await client.request("GET", url, max_redirects=3, **BOUNDS)
    assert caught.value.where == url
    assert [visit.host for visit in web_server.visits] == [OTHER]


async def test_a_name_that_changes_its_address_is_refused_at_the_connection(
    opened: Opened, web_server: WebServer
) -> None:
    names = Names()
    names.put("rebind.example", ["8.8.8.8"], ["127.0.0.1"])
    client = await opened(names=names)
    url = f"http://rebind.example:{web_server.port}/article"
    assert await client.guard.resolve("rebind.example", web_server.port)
    with pytest.raises(AddressError, match=r"127\.0\.0\.1, a loopback address") as caught:
        await client.request("GET", url, **BOUNDS)
    assert caught.value.where == url
    assert not web_server.visits


async def test_a_name_with_mixed_addresses_is_refused_before_any_connection(
    opened: Opened, web_server: WebServer
) -> None:
    names = Names()
    names.put("mixed.example", ["127.0.0.1", "8.8.8.8"])
    client = await opened(names=names)
    with pytest.raises(AddressError):
        await client.request("GET", f"http://mixed.example:{web_server.port}/article", **BOUNDS)
    assert not web_server.visits


@pytest.mark.parametrize("address", [("127.0.0.1", 80), ("169.254.169.254", 80), ("::1", 80, 0, 0), ("10.0.0.1", 8080)])
async def test_the_last_look_is_at_the_address_that_is_connected_to(opened: Opened, address: tuple[Any, ...]) -> None:
    client = await opened(network__allow_private=["wiki.lan"])
    with pytest.raises(PermissionError, match="The host has the address"):
        guarded_socket(client.guard, (10 if len(address) > 2 else 2, 1, 6, "", address))


async def test_an_allowed_name_is_reached_at_its_private_address(opened: Opened, web_server: WebServer) -> None:
    names = Names()
    for name in ("wiki.lan", "evil.example"):
        names.put(name, ["127.0.0.1"])
    client = await opened(names=names, network__allow_private=[f"wiki.lan:{web_server.port}"])
    assert (await client.request("GET", f"http://wiki.lan:{web_server.port}/article", **BOUNDS)).status == 200
    with pytest.raises(AddressError):
        await client.request("GET", f"http://evil.example:{web_server.port}/article", **BOUNDS)


async def test_a_configured_address_is_open_to_configured_requests_alone(opened: Opened, web_server: WebServer) -> None:
    client = await opened(searxng_url=web_server.url())
    url = web_server.url("/redirect?to=/article")
    assert (await client.request("GET", url, configured=True, max_redirects=1, **BOUNDS)).status == 200
    with pytest.raises(AddressError, match="loopback"):
        await client.request("GET", url, **BOUNDS)
    for host in (OTHER, "localhost"):
        away = web_server.put("/away", Reply(status=302, headers={"Location": web_server.url("/article", host)}))
        with pytest.raises(AddressError):
            await client.request("GET", away, configured=True, max_redirects=1, **BOUNDS)


# TLS


async def test_a_certificate_of_ones_own_authority_needs_the_ca_file(opened: Opened, tmp_path: Path) -> None:
    authority, context = certificate(tmp_path, "127.0.0.1", "site.example")
    names = Names()
    for name in ("site.example", "other.example"):
        names.put(name, ["127.0.0.1"])
    runner = web.AppRunner(web.Application())
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    port = runner.addresses[0][1]
    stranger = await opened(names=names, network__allow_private=["127.0.0.1"])
    with pytest.raises(UnreachableError, match="certificate is not trusted: unable to get local issuer") as caught:
        await stranger.request("GET", f"https://site.example:{port}/", **BOUNDS)
    assert "ca_file" in caught.value.remedy
    friend = await opened(names=names, network__allow_private=["127.0.0.1"], network__ca_file=authority)
    for host in ("site.example", "127.0.0.1"):
        assert (await friend.request("GET", f"https://{host}:{port}/", **BOUNDS)).status == 404
    with pytest.raises(UnreachableError, match=r"other\.example"):
        await friend.request("GET", f"https://other.example:{port}/", **BOUNDS)
    await runner.cleanup()


async def test_a_server_without_tls_is_told(get: Get, web_server: WebServer) -> None:
    with pytest.raises(UnreachableError, match="TLS with the server failed"):
        await get(web_server.url("/article").replace("http:", "https:"))


@pytest.mark.parametrize("content", [None, "no certificate"])
async def test_certificates_that_cannot_be_read_are_an_error_of_the_settings(
    opened: Opened, tmp_path: Path, content: str | None
) -> None:
    if content:
        (tmp_path / "ca.pem").write_text(content)
    with pytest.raises(SettingsError, match="certificates cannot be read"):
        await opened(network__ca_file=tmp_path / "ca.pem")
