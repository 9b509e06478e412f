"""A local forward proxy to hosts that the guard allows; it is the only way out for the browser and for ddgs."""

import asyncio
import secrets
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import Final, Self
from urllib.parse import urlsplit

from ..kernel.cleanup import cancel_and_wait, rollback_on_error, run_in_background
from ..kernel.errors import AddressError, FetchDeadlineError, FetchError, UnreachableError
from ..kernel.notice import Notice
from ..kernel.settings import Settings
from .guard import Guard
from .http_head import HeadError, RequestHead, ResponseHead, read_request, read_response, value_of
from .outlet import LONGEST_HEAD, Outlet, Stream, TargetConnection, basic, read_head

HEAD_DEADLINE: Final = 10.0  # seconds for a client to send the head of its request
PIECE: Final = 65_536  # bytes that are moved at once
WIRE: Final = 3.0  # most bytes that a page may transfer with its resources, as a multiple of its own largest size
MARK: Final = ("Proxy-Status", "spyglass; error=http_request_denied")
"""The field (RFC 9209) that marks an answer from this proxy itself."""


class SpentError(Exception):
    """A page has transferred more than it may."""


class Visit:
    """A page's session with the proxy; the `guard` decides which hosts it may reach, perhaps through the user's proxy.

    `url` is the proxy's address with user and password. The settings limit the bytes that the page transfers in both
    directions together, and the seconds that it may be `idle`.
    """

    def __init__(self, guard: Guard, settings: Settings, proxy: str) -> None:
        self.user = "page"
        self.password = secrets.token_urlsafe(32)
        self.url = proxy.replace("://", f"://{self.user}:{self.password}@")
        self.tasks: set[asyncio.Task[None]] = set()
        self.outlet = Outlet(guard, settings)
        self.idle = settings.network.read_deadline
        self._most = int(settings.fetch.max_megabytes * WIRE * 1_000_000)
        self._left = self._most
        self._failures: dict[tuple[str, int], FetchError] = {}

    def renew(self) -> None:
        """Reset the count of bytes and the failures, for another page."""
        self._left = self._most
        self._failures.clear()

    def spend(self, count: int) -> None:
        """Count bytes; raises SpentError if the page has transferred more than it may."""
        self._left -= count
        if self.is_spent:
            raise SpentError

    @property
    def is_spent(self) -> bool:
        """Whether the page has transferred more than it may."""
        return self._left < 0

    def fail(self, url: str, error: FetchError) -> None:
        """Record why a host and port could not be reached."""
        self._failures[_host_and_port(url)] = error

    @property
    def failed(self) -> FetchError | None:
        """The error of the host that failed last, if any failed."""
        return next(reversed(self._failures.values()), None)

    def failure(self, url: str) -> FetchError | None:
        """Return why the host of a URL could not be reached, if so."""
        return self._failures.get(_host_and_port(url))


class FilterProxy:
    """A proxy for plain HTTP and tunnels of a browser. Use it as `async with FilterProxy() as proxy:`.

    It listens at `url`, on a loopback port of its own or the given socket, and serves only clients with the password of
    an open `visit`. A request that the guard refuses is answered with 403 and the reason, one to an unreachable host
    with 502. A connection carries one request, which is parsed strictly and written anew to prevent request smuggling;
    it is closed when it is idle for the visit's `idle` seconds.
    """

    def __init__(self, listener: socket.socket | None = None) -> None:
        self._listener = listener
        self._visits: dict[str, Visit] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server
        self.url = ""

    async def __aenter__(self) -> Self:
        listener = self._listener or socket.create_server(("127.0.0.1", 0))
        self._server = await asyncio.start_server(self._accept, sock=listener, limit=LONGEST_HEAD)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_exception: object) -> None:
        self._server.close()
        await cancel_and_wait(*self._tasks)
        await self._server.wait_closed()

    @contextmanager
    def visit(self, guard: Guard, settings: Settings) -> Iterator[Visit]:
        """Admit one page, and close its connections on exit."""
        visit = Visit(guard, settings, self.url)
        credentials = basic(visit.user, visit.password)
        self._visits[credentials] = visit
        try:
            yield visit
        finally:
            del self._visits[credentials]
            for task in visit.tasks:
                task.cancel()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        run_in_background(self._tasks, self._serve((reader, writer)))

    async def _serve(self, client: Stream) -> None:
        # If one side closes, is too slow or sends too much, the connection to the other side is closed.
        with suppress(OSError, EOFError, TimeoutError, HeadError, SpentError), _closing(client[1]):
            await self._answer(client)

    async def _answer(self, client: Stream) -> None:
        reader, writer = client
        try:
            async with asyncio.timeout(HEAD_DEADLINE):
                request = read_request(await read_head(reader))
        except HeadError as error:
            await _respond(writer, "400 Bad Request", str(error))
            return
        visit = self._visits.get(value_of(request.fields, "proxy-authorization"))
        if visit is None:
            demand = 'Proxy-Authenticate: Basic realm="Spyglass"'
            await _respond(writer, "407 Proxy Authentication Required", "Credentials are missing or wrong", demand)
            return
        task = asyncio.current_task()
        assert task is not None
        visit.tasks.add(task)
        try:
            await self._carry(request, visit, client)
        except FetchError as error:
            visit.fail(request.url, error)
            status = "403 Forbidden" if isinstance(error, AddressError) else "502 Bad Gateway"
            await _respond(writer, status, str(error), ": ".join(MARK))
        finally:
            visit.tasks.discard(task)

    async def _carry(self, request: RequestHead, visit: Visit, client: Stream) -> None:
        """Forward the request and its answer. Raises FetchError, but only before any of the answer is sent."""
        connection = await visit.outlet.open(request.url, tunnel=request.is_tunnel)
        with _closing(connection.writer):
            if request.is_tunnel:
                async with _flow(visit) as flow:
                    await _tunnel(flow, client, connection)
                return
            answer = await self._ask(request, visit, client[0], connection)
            async with _flow(visit) as flow:
                await flow.put(client[1], answer.head())
                await flow.move(connection.reader, client[1])

    async def _ask(
        self, request: RequestHead, visit: Visit, body: asyncio.StreamReader, connection: TargetConnection
    ) -> ResponseHead:
        """Forward a plain request, and return the head of its answer, whose body follows."""
        try:
            async with _flow(visit) as flow:
                await flow.put(connection.writer, connection.head(request))
                await flow.move_some(body, connection.writer, request.length)
                while (answer := read_response(await read_head(connection.reader))).status < 200:
                    pass
        except TimeoutError as error:
            raise FetchDeadlineError(Notice("server_silent", seconds=visit.idle), where=request.url) from error
        except (OSError, EOFError, HeadError) as error:
            raise UnreachableError(Notice("connection_failed", why=str(error)), where=request.url) from error
        if answer.status == 407:  # the browser would answer with its password for this proxy
            fault = {} if connection.proxy_fields is None else {"fault": "proxy"}
            raise UnreachableError(Notice("proxy_log_in", status=answer.status), where=request.url, **fault)
        return answer


@dataclass(frozen=True, slots=True)
class _Flow:
    """Moves bytes for a visit; each piece restarts the idle timeout."""

    visit: Visit
    timeout: asyncio.Timeout

    async def put(self, sink: asyncio.StreamWriter, data: bytes) -> None:
        self.visit.spend(len(data))
        sink.write(data)
        await sink.drain()
        self.timeout.reschedule(asyncio.get_running_loop().time() + self.visit.idle)

    async def move(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while data := await source.read(PIECE):
            await self.put(sink, data)

    async def move_some(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, count: int) -> None:
        """Move that many bytes. Raises EOFError when the source ends before."""
        while count:
            data = await source.read(min(PIECE, count))
            if not data:
                raise EOFError("the body broke off")
            count -= len(data)
            await self.put(sink, data)


@asynccontextmanager
async def _flow(visit: Visit) -> AsyncIterator[_Flow]:
    """Yield a flow. Raises TimeoutError when no bytes move for the visit's `idle` seconds."""
    async with asyncio.timeout(visit.idle) as timeout:
        yield _Flow(visit, timeout)


async def _tunnel(flow: _Flow, client: Stream, connection: TargetConnection) -> None:
    """Move bytes both ways until one side ends; a browser never closes half a connection."""
    reader, writer = client
    await flow.put(writer, b"HTTP/1.1 200 Connection established\r\n\r\n")
    pumps = [
        asyncio.ensure_future(flow.move(reader, connection.writer)),
        asyncio.ensure_future(flow.move(connection.reader, writer)),
    ]
    try:
        ended, _ = await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        for pump in ended:
            pump.result()
    finally:
        await cancel_and_wait(*pumps)


async def _respond(writer: asyncio.StreamWriter, status: str, text: str, *more: str) -> None:
    body = text.encode()
    fields = ["Content-Type: text/plain; charset=utf-8", f"Content-Length: {len(body)}", "Connection: close", *more]
    writer.write("\r\n".join([f"HTTP/1.1 {status}", *fields, "", ""]).encode() + body)
    await writer.drain()


@contextmanager
def _closing(writer: asyncio.StreamWriter) -> Iterator[None]:
    """Close the connection at the end; abort it when the block raises."""
    with rollback_on_error(writer.transport.abort):
        yield
    with suppress(OSError):
        writer.close()


def _host_and_port(url: str) -> tuple[str, int]:
    """Return the host and port of a normalised URL."""
    try:
        parts = urlsplit(url)
        return parts.hostname or "", parts.port or (443 if parts.scheme in ("https", "wss") else 80)
    except ValueError:  # unreachable: the URL itself is the key
        return url, 0
