"""The HTTP client for untrusted addresses: aiohttp behind the guard, with limits on everything."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final, Self

from ..kernel import errors
from ..kernel.notice import Notice
from ..kernel.settings import Settings
from ..kernel.url import shown
from .address import kind_of
from .body import PIECE, Body
from .failure import as_fetch_error
from .filter_proxy import FilterProxy, Visit
from .guard import Guard, Lookup, system_lookup
from .host import is_local
from .session import asked_host, open_session, open_tls, read_proxy
from .target import Target, joined, read_target

if TYPE_CHECKING:
    from ssl import SSLContext

    from aiohttp import ClientResponse, ClientSession

    from ..kernel.run import Run

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_CARRIED: Final = frozenset({"accept", "accept-language", "user-agent"})
"""Headers that a redirect carries to another host; all others may be secret."""


@dataclass(frozen=True, slots=True)
class Response:
    """A server's answer: `url` is the last address, `redirects` those before it, `headers` are in lower case."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    redirects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Hop:
    """One request in a chain of redirects; `trusted` is the host and port that the user configured, if any."""

    method: str
    target: Target
    headers: Mapping[str, str]
    content: Mapping[str, Any]
    trusted: tuple[str, int] | None

    @property
    def is_trusted(self) -> bool:
        return self.trusted == (self.target.host, self.target.port)


@dataclass(frozen=True, slots=True)
class _Bounds:
    """The limits of a request: bytes, seconds for each exchange, and redirects."""

    max_bytes: int
    connect: float
    read: float
    redirects: int

    def is_followed(self, status: int, headers: Mapping[str, str]) -> bool:
        """Whether an answer is a redirect to be followed."""
        return self.redirects > 0 and status in _REDIRECTS and bool(headers.get("location", "").strip())


class Client:
    """An HTTP client for untrusted addresses. Use it as `async with Client(settings) as client:`, or call `client_of`.

    It keeps no cookies, reads no environment variables, and connects only where its `guard` allows. With the setting
    `proxy`, public hosts are reached through that proxy, allowed private hosts directly.
    """

    def __init__(self, settings: Settings, *, lookup: Lookup = system_lookup) -> None:
        self.guard = Guard(settings, lookup=lookup)
        self._settings = settings
        self._lookup = lookup
        self._proxy = read_proxy(settings.network.proxy)
        self._exits = AsyncExitStack()
        self._filter_lock = asyncio.Lock()
        self._filter: FilterProxy | None = None
        self._guarded: ClientSession
        self._trusted: ClientSession

    async def __aenter__(self) -> Self:
        tls = await asyncio.to_thread(_prepare, self._settings)
        guarded = open_session(self._settings, tls, self.guard.resolve, self.guard)
        self._guarded = await self._exits.enter_async_context(guarded)
        self._trusted = await self._exits.enter_async_context(open_session(self._settings, tls, self._lookup))
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self._exits.aclose()

    async def request(
        self,
        method: str,
        url: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
        data: Mapping[str, str] | bytes | str | None = None,
        max_bytes: int,
        connect_deadline: float,
        read_deadline: float | None = None,
        total_deadline: float,
        max_redirects: int = 0,
        configured: bool = False,
    ) -> Response:
        """Send a request and return the answer, also 4xx and 5xx; with `max_redirects` 0 also a redirect.

        Deadlines are in seconds: until connected (name, TCP and TLS), between two pieces of the answer (by default no
        limit of its own), and for everything. `max_bytes` counts the body after it is decompressed. A `configured`
        address is one that the user set: its host and port are allowed; a redirect from there is checked again. A
        redirect to another host carries neither the caller's headers nor a body.

        Raises AddressError, UnreachableError, FetchDeadlineError, PageTooLargeError and RedirectError.
        """
        target = (read_target(url) if configured else self.guard.check_target(url)).with_params(params or {})
        content = {name: value for name, value in (("json", json), ("data", data)) if value is not None}
        trusted = (target.host, target.port) if configured else None
        hop = _Hop(method.upper(), target, headers or {}, content, trusted)
        bounds = _Bounds(max_bytes, connect_deadline, read_deadline or total_deadline, max_redirects)
        try:
            async with asyncio.timeout(total_deadline) as clock:
                return await self._follow(hop, bounds)
        except TimeoutError as error:
            if not clock.expired():
                raise
            late = Notice("took_too_long", seconds=total_deadline)
            raise errors.FetchDeadlineError(late, where=shown(url)) from error

    @asynccontextmanager
    async def visit(self, settings: Settings, *, configured: str = "") -> AsyncIterator[Visit]:
        """Open a filtering proxy for a library that makes its own connections, which are closed on exit.

        It allows what this client's guard allows, and the host and port of the `configured` address, if any.
        """
        async with self._filter_lock:
            if self._filter is None:
                self._filter = await self._exits.enter_async_context(FilterProxy())
        guard = self.guard.allowing(read_target(configured)) if configured else self.guard
        with self._filter.visit(guard, settings) as visit:
            yield visit

    async def _follow(self, hop: _Hop, bounds: _Bounds) -> Response:
        trail: list[str] = []
        visited = {(hop.method, str(hop.target))}
        while True:
            response = await self._exchange(hop, bounds)
            if not bounds.is_followed(response.status, response.headers):
                return replace(response, redirects=tuple(trail))
            trail.append(response.url)
            if len(trail) > bounds.redirects:
                raise errors.RedirectError(Notice("too_many_redirects", times=bounds.redirects), where=shown(trail[0]))
            hop = self._next(hop, response)
            if (hop.method, str(hop.target)) in visited:
                raise errors.RedirectError(Notice("redirects_in_a_circle"), where=shown(trail[0]))
            visited.add((hop.method, str(hop.target)))

    def _next(self, hop: _Hop, response: Response) -> _Hop:
        """Return the request that a redirect asks for, as browsers make it. Raises AddressError and RedirectError."""
        try:
            url = joined(response.url, response.headers["location"])
            target = read_target(url)
            if hop.trusted != (target.host, target.port):
                target = self.guard.check_target(url)
        except errors.AddressError as error:
            notice = Notice("redirects_to", url=error.where, why=error.bare_message)
            remedy = error.remedy_notice or error.remedy
            raise errors.AddressError(notice, where=shown(response.url), remedy=remedy) from error
        to_get = response.status == 303 or (response.status in (301, 302) and hop.method == "POST")
        method = "GET" if to_get and hop.method != "HEAD" else hop.method
        content = {} if to_get else hop.content
        if _is_same_site(hop.target, target):
            return replace(hop, method=method, target=target, content=content)
        if content:
            raise errors.RedirectError(Notice("redirects_body_away"), where=shown(response.url))
        headers = {name: value for name, value in hop.headers.items() if name.lower() in _CARRIED}
        return _Hop(method, target, headers, {}, hop.trusted)

    async def _exchange(self, hop: _Hop, bounds: _Bounds) -> Response:
        """Make one request, and read the body unless a redirect is to be followed."""
        import aiohttp
        from yarl import URL

        url = str(hop.target)
        asked_host.set(hop.target.host)
        timeout = aiohttp.ClientTimeout(connect=bounds.connect, sock_read=bounds.read, ceil_threshold=float("inf"))
        try:
            through_proxy = self._proxy is not None and await self._needs_proxy(hop, bounds.connect)
            session = self._trusted if through_proxy or hop.is_trusted else self._guarded
            async with session.request(
                hop.method,
                URL(url, encoded=True),
                headers=hop.headers,
                allow_redirects=False,
                timeout=timeout,
                proxy=self._proxy if through_proxy else None,
                **hop.content,
            ) as response:
                headers = _headers_of(response)
                is_redirect = bounds.is_followed(response.status, headers)
                body = b"" if is_redirect else await _read(response, headers, bounds.max_bytes)
                return Response(url, response.status, headers, body)
        except errors.FetchError as error:
            error.where = shown(url)  # the guard and the resolver know only the host
            raise
        except (aiohttp.ClientError, OSError) as error:
            raise as_fetch_error(error, shown(url), bounds.connect, bounds.read) from error

    async def _needs_proxy(self, hop: _Hop, deadline: float) -> bool:
        """Return whether the proxy is to be used: for public hosts, and for names that only the proxy can resolve.

        Raises AddressError for a name that leads to a private address.
        """
        try:
            async with asyncio.timeout(deadline):
                addresses = await self.guard.resolve(hop.target.host, hop.target.port)
        except errors.AddressError:
            if hop.is_trusted:
                return False
            raise
        except (errors.UnreachableError, TimeoutError):
            return not is_local(hop.target.host)
        return not any(kind_of(ip_address(address)) for _, address in addresses)


async def client_of(run: "Run", settings: Settings | None = None) -> Client:
    """Return the client, shared by all runs with the same network settings."""
    settings_used = settings or run.settings
    network = settings_used.network
    terms = ("net", tuple(network.allow_private), network.proxy, network.ca_file, network.user_agent)
    return await run.shared(terms, lambda: Client(settings_used))


def _prepare(settings: Settings) -> "SSLContext":
    import aiohttp  # noqa: F401 imported here, in a thread, as it takes a fifth of a second

    return open_tls(settings.network.ca_file)


def _is_same_site(source: Target, destination: Target) -> bool:
    """Whether the destination may get the secrets of the source: the same origin, or its change from http to https."""
    upgraded = (source.scheme, source.port, destination.scheme, destination.port) == ("http", 80, "https", 443)
    return source.origin == destination.origin or (upgraded and source.host == destination.host)


def _headers_of(response: "ClientResponse") -> dict[str, str]:
    """Return the headers by name: repeated ones are joined, except single-valued headers, of which the first counts."""
    headers: dict[str, str] = {}
    for name, value in response.headers.items():
        key = name.lower()
        if key not in headers:
            headers[key] = value
        elif key not in ("location", "content-type", "content-length"):
            headers[key] = f"{headers[key]}, {value}"
    return headers


async def _read(response: "ClientResponse", headers: Mapping[str, str], max_bytes: int) -> bytes:
    if response.method == "HEAD":
        return b""
    if (response.content_length or 0) > max_bytes:
        raise errors.PageTooLargeError(Notice("body_too_large", most=max_bytes))
    body = Body(headers.get("content-encoding", ""), max_bytes)
    async for piece in response.content.iter_chunked(PIECE):
        body.feed(piece)
    return body.whole()
