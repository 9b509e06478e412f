from base64 import b64encode
from pathlib import Path

import pytest
from aiohttp import web

from loopback import Reply, WebServer
from loopback.certificate import certificate
from loopback.names import Names
from loopback.proxy import ProxyServer
from net.conftest import BOUNDS, Opened
from spyglass.kernel.errors import AddressError, SettingsError, UnreachableError


def public_names() -> Names:
    names = Names()
    for name in ("site.example", "other.example"):
        names.put(name, ["8.8.8.8"])
    names.put("sly.example", ["10.0.0.5"])
    names.put("wiki.lan", ["127.0.0.1"])
    return names


async def test_public_hosts_are_reached_through_the_proxy(opened: Opened, web_server: WebServer) -> None:
    async with ProxyServer().running() as proxy:
        client = await opened(names=public_names(), network__proxy=proxy.url)
        url = f"http://site.example:{web_server.port}/article"
        assert (await client.request("GET", url, **BOUNDS)).status == 200
        assert proxy.requests == [f"GET {url} HTTP/1.1"]
        assert web_server.visits[0].host == "site.example"


async def test_credentials_of_the_proxy_go_to_the_proxy_alone(opened: Opened, web_server: WebServer) -> None:
    async with ProxyServer().running() as proxy:
        client = await opened(names=public_names(), network__proxy=proxy.url.replace("//", "//me:hunter2@"))
        await client.request("GET", f"http://site.example:{web_server.port}/article", **BOUNDS)
        assert proxy.credentials == [b64encode(b"me:hunter2").decode()]
        assert not any(name.startswith("proxy-") for name in web_server.visits[0].headers)


async def test_tls_goes_through_a_tunnel(opened: Opened, tmp_path: Path) -> None:
    authority, context = certificate(tmp_path, "site.example")
    runner = web.AppRunner(web.Application())
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    port = runner.addresses[0][1]
    async with ProxyServer().running() as proxy:
        client = await opened(names=public_names(), network__proxy=proxy.url, network__ca_file=authority)
        assert (await client.request("GET", f"https://site.example:{port}/", **BOUNDS)).status == 404
        assert proxy.requests == [f"CONNECT site.example:{port} HTTP/1.1"]
    await runner.cleanup()


@pytest.mark.parametrize("host", ["127.0.0.1", "2130706433", "localhost", "metadata.google.internal", "sly.example"])
async def test_the_rules_hold_behind_a_proxy_too(opened: Opened, web_server: WebServer, host: str) -> None:
    async with ProxyServer().running() as proxy:
        client = await opened(names=public_names(), network__proxy=proxy.url)
        with pytest.raises(AddressError):
            await client.request("GET", f"http://{host}:{web_server.port}/article", **BOUNDS)
        away = {"Location": f"http://{host}:{web_server.port}/article"}
        web_server.put("/away", Reply(status=302, headers=away))
        with pytest.raises(AddressError):
            await client.request("GET", f"http://site.example:{web_server.port}/away", max_redirects=1, **BOUNDS)
        assert len(proxy.requests) == 1


async def test_a_name_that_only_the_proxy_knows_is_left_to_it(opened: Opened, web_server: WebServer) -> None:
    async with ProxyServer().running() as proxy:
        client = await opened(names=public_names(), network__proxy=proxy.url)
        url = f"http://unknown.example:{web_server.port}/article"
        assert (await client.request("GET", url, **BOUNDS)).status == 200


async def test_a_local_name_that_nobody_here_knows_is_not_left_to_the_proxy(opened: Opened) -> None:
    async with ProxyServer().running() as proxy:
        client = await opened(names=public_names(), network__proxy=proxy.url, network__allow_private=["10.0.0.0/8"])
        with pytest.raises(UnreachableError, match=r'The host "unknown\.corp" does not exist'):
            await client.request("GET", "http://unknown.corp/", **BOUNDS)
        assert not proxy.requests


async def test_private_hosts_that_are_allowed_or_configured_are_reached_directly(
    opened: Opened, web_server: WebServer
) -> None:
    async with ProxyServer().running() as proxy:
        client = await opened(names=public_names(), network__proxy=proxy.url, network__allow_private=["wiki.lan"])
        assert (await client.request("GET", f"http://wiki.lan:{web_server.port}/article", **BOUNDS)).status == 200
        assert (await client.request("GET", web_server.url("/article"), configured=True, **BOUNDS)).status == 200
        url = f"http://site.example:{web_server.port}/article"
        assert (await client.request("GET", url, configured=True, **BOUNDS)).status == 200
        assert proxy.requests == [f"GET {url} HTTP/1.1"]


async def test_a_proxy_that_is_away_or_refuses_is_told_without_its_credentials(
    opened: Opened, free_port: int, web_server: WebServer
) -> None:
    client = await opened(names=public_names(), network__proxy=f"http://me:hunter2@127.0.0.1:{free_port}")
    with pytest.raises(UnreachableError, match="No connection to the proxy") as caught:
        await client.request("GET", "http://site.example/", **BOUNDS)
    assert "hunter2" not in str(caught.value.to_record())
    assert "network.proxy" in caught.value.remedy
    async with ProxyServer(refuses=407).running() as proxy:
        client = await opened(names=public_names(), network__proxy=proxy.url)
        with pytest.raises(UnreachableError, match="The proxy answered 407"):
            await client.request("GET", "https://site.example/", **BOUNDS)


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1080", "127.0.0.1:3128", "http://", "http://[bad"])
async def test_a_proxy_that_is_none_is_an_error_of_the_settings(opened: Opened, proxy: str) -> None:
    with pytest.raises(SettingsError, match=r'setting "network\.proxy"'):
        await opened(network__proxy=proxy)
