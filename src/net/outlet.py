"""Connections for the browser: directly to an address that the guard has checked, or through the user's proxy."""

import asyncio
import base64
import socket
import ssl
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

from ..kernel.cleanup import rollback_on_error
from ..kernel.errors import UnreachableError
from ..kernel.notice import Notice
from ..kernel.settings import Settings
from .address import kind_of
from .guard import Guard
from .host import authority
from .http_head import Fields, HeadError, RequestHead, read_response
from .session import read_proxy
from .target import DEFAULT_PORTS, Target

LONGEST_HEAD: Final = 65_536
"""Maximum size of a message's head in bytes; a browser's cookies and some sites' policies are long."""

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Outlet:
    """A factory of connections for the browser's requests, to hosts that the guard allows.

    The host is resolved once, and all its addresses are checked, so that rebinding the name has no effect. If the
    setting `proxy` is set, public hosts and those that only the proxy can resolve are reached through it.
    """

    def __init__(self, guard: Guard, settings: Settings) -> None:
        self._guard = guard
        self._deadline = settings.network.connect_deadline
        proxy = read_proxy(settings.network.proxy)
        self._proxy = urlsplit(proxy) if proxy else None

    async def open(self, url: str, *, tunnel: bool) -> "TargetConnection":
        """Connect to the host of a URL. Raises AddressError and UnreachableError."""
        target = self._guard.check_target(url)
        try:
            async with asyncio.timeout(self._deadline):
                addresses = await self._resolve(target)
                if self._proxy is not None and not any(kind_of(ip_address(address)) for _, address in addresses):
                    return await _through(self._proxy, target, tunnel=tunnel)
                return TargetConnection(target, *await _connect(addresses, target.port))
        except (OSError, EOFError, TimeoutError, HeadError) as error:
            notice = Notice("not_connected", why=str(error))
            if isinstance(error, TimeoutError):
                notice = Notice("no_connection", seconds=self._deadline)
            fault = "connection" if self._proxy is None else "proxy"
            raise UnreachableError(notice, where=authority(target.host, target.port), fault=fault) from error

    async def _resolve(self, target: Target) -> list[tuple[int, str]]:
        """Return the checked addresses of a host; [] when the proxy has to resolve it."""
        if self._proxy is None:
            return await self._guard.resolve(target.host, target.port)
        try:
            async with asyncio.timeout(self._deadline / 2):
                return await self._guard.resolve(target.host, target.port)
        except (UnreachableError, TimeoutError):
            return []


@dataclass(frozen=True, slots=True)
class TargetConnection:
    """A connection to a target, or to the user's proxy, in which case `proxy_fields` is not None."""

    target: Target
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    proxy_fields: Fields | None = None

    def head(self, request: RequestHead) -> bytes:
        """Return the head of a plain request, as the target or the proxy expects it."""
        if self.proxy_fields is None:
            return request.head(self.target.path, self.target.netloc)
        return request.head(str(self.target), self.target.netloc, self.proxy_fields)


async def _through(proxy: SplitResult, target: Target, *, tunnel: bool) -> TargetConnection:
    """Connect to the user's proxy, and through it for a tunnel. Raises OSError, EOFError and HeadError."""
    fields: Fields = ()
    if proxy.username:
        fields = [("Proxy-Authorization", basic(unquote(proxy.username), unquote(proxy.password or "")))]
    port = proxy.port or DEFAULT_PORTS[proxy.scheme]
    tls = await asyncio.to_thread(ssl.create_default_context) if proxy.scheme == "https" else None
    reader, writer = await asyncio.open_connection(proxy.hostname, port, ssl=tls, limit=LONGEST_HEAD)
    if tunnel:
        host_and_port = authority(target.host, target.port)
        with rollback_on_error(writer.transport.abort):
            writer.write(RequestHead("CONNECT", "", (), 0).head(host_and_port, host_and_port, fields))
            answer = read_response(await read_head(reader))
            if answer.status != 200:
                raise HeadError(f"the proxy answered {answer.status} {answer.reason}")
    return TargetConnection(target, reader, writer, fields)


async def read_head(reader: asyncio.StreamReader) -> bytes:
    """Read to the end of a message's head. Raises OSError, EOFError, and HeadError when it is too long."""
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError as error:
        raise HeadError("the head is too long") from error


def basic(user: str, password: str) -> str:
    """Return the value of an authorization field (RFC 7617)."""
    return f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"


async def _connect(hosts: list[tuple[int, str]], port: int) -> Stream:
    import aiohappyeyeballs

    addresses = [(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (host, port)) for family, host in hosts]
    sock = await aiohappyeyeballs.start_connection(addresses, happy_eyeballs_delay=0.25)
    return await asyncio.open_connection(sock=sock, limit=LONGEST_HEAD)
