"""The loopback web: sites on 127.0.0.1 to .4, with pages that tests write and awkward ones that are always there."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import unquote

import pytest
from aiohttp import web

from . import awkward
from .fault import Fault, misbehave
from .prose import PROSE, article

HOSTS = ("127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4")


@dataclass(frozen=True)
class Reply:
    """What a page answers, after `delay` seconds and not before `after` is set.

    One with an `ETag` header answers 304 to who has it already.
    """

    body: bytes | str = ""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    after: asyncio.Event | None = None


@dataclass(frozen=True)
class Visit:
    """A request as the server saw it: `path` with its query, header names in lower case."""

    host: str
    method: str
    path: str
    headers: dict[str, str]
    body: bytes = b""


Answer = Reply | Fault

Page = Answer | Callable[[Visit], Answer]


class WebServer:
    """Serves what tests `put`, and the awkward pages of `awkward.PAGES`, the same on every host.

    `visits` holds the requests in order, `most_at_once` how many a host had in hand, `connections()` counts those
    that are open.
    """

    def __init__(self) -> None:
        self.port = 0
        self.visits: list[Visit] = []
        self.most_at_once: dict[str, int] = defaultdict(int)
        self.connections: Callable[[], int] = lambda: 0
        self.first_visit = asyncio.Event()
        self.closing = asyncio.Event()
        self._now: dict[str, int] = defaultdict(int)
        self._pages: dict[tuple[str, str], Page] = {}

    def url(self, path: str = "/", host: str = HOSTS[0]) -> str:
        """Return the address of a path."""
        return f"http://{host}:{self.port}{path}"

    def put(self, path: str, *pages: Page | str, host: str = "") -> str:
        """Serve these at a path, in order, the last one again and again, on one host or on all; return its address.

        A text becomes the body of an HTML page.
        """
        left = [Reply(page) if isinstance(page, str) else page for page in pages]

        def play(visit: Visit) -> Answer:
            page = left.pop(0) if len(left) > 1 else left[0]
            return page(visit) if callable(page) else page

        self._pages[host, unquote(path)] = play
        return self.url(path, host or HOSTS[0])

    def put_article(self, path: str, title: str, *paragraphs: str, host: str = "") -> str:
        """Serve an article of these paragraphs, or of some filling ones, and return its address."""
        return self.put(path, article(title, *(paragraphs or PROSE)), host=host)

    def visits_to(self, path: str = "", host: str = "") -> list[Visit]:
        """Return the visits to a path, whatever its query, and host; empty means any."""
        return [
            visit
            for visit in self.visits
            if path in ("", visit.path, visit.path.partition("?")[0]) and host in ("", visit.host)
        ]

    async def all_closed(self, seconds: float = 60.0) -> None:
        """Wait until no connection is open any more; raises TimeoutError."""
        async with asyncio.timeout(seconds):
            while self.connections():  # noqa: ASYNC110 aiohttp tells nobody when one closes
                await asyncio.sleep(0.01)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        host = request.host.partition(":")[0]
        headers = {name.lower(): value for name, value in request.headers.items()}
        visit = Visit(host, request.method, request.raw_path, headers, await request.read())
        self.visits.append(visit)
        self.first_visit.set()
        self._now[host] += 1
        self.most_at_once[host] = max(self.most_at_once[host], self._now[host])
        try:
            page = self._pages.get((host, request.path)) or self._pages.get(("", request.path))
            if page is not None:
                return await self._reply(request, page(visit) if callable(page) else page)
            if (serve := awkward.PAGES.get(request.path)) is not None:
                return await serve(request, self.closing)
            return web.Response(status=404, text=article("404 Not Found", "No such page."), content_type="text/html")
        finally:
            self._now[host] -= 1

    async def _reply(self, request: web.Request, reply: Answer) -> web.StreamResponse:
        if isinstance(reply, Fault):
            if isinstance(reply.kind, str):
                return await misbehave(request, reply.kind, self.closing, half="<html><body><p>Half of a pa")
            reply = Reply(reply.message, reply.kind, headers=reply.headers)
        await asyncio.sleep(reply.delay)
        if reply.after is not None:
            await reply.after.wait()
        headers = {"Content-Type": reply.content_type, **reply.headers}
        if "ETag" in headers and request.headers.get("If-None-Match") == headers["ETag"]:
            return web.Response(status=304, headers={k: v for k, v in headers.items() if k != "Content-Type"})
        body = reply.body.encode() if isinstance(reply.body, str) else reply.body
        return web.Response(status=reply.status, body=body, headers={k: v for k, v in headers.items() if v})

    @asynccontextmanager
    async def running(self) -> AsyncIterator["WebServer"]:
        """Listen on one free port of all hosts."""
        app = web.Application(client_max_size=64 << 20)
        app[awkward.COUNTS] = Counter()
        app.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(app, shutdown_timeout=0.5, handler_cancellation=True)
        await runner.setup()
        for host in HOSTS:
            await web.TCPSite(runner, host, self.port).start()
            self.port = self.port or runner.addresses[0][1]
        self.connections = lambda: len(runner.server.connections) if runner.server else 0
        try:
            yield self
        finally:
            self.closing.set()
            await runner.cleanup()


@pytest.fixture
async def web_server() -> AsyncIterator[WebServer]:
    """A running WebServer."""
    async with WebServer().running() as server:
        yield server
