"""The aiohttp sessions of the client: one behind the guard, one for addresses that the user configured."""

import contextlib
import errno
import socket
import ssl
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from ..kernel.errors import AddressError, SettingsError
from ..kernel.settings import Settings
from ..kernel.url import require_one_reading
from .body import ACCEPTED
from .guard import Guard, Lookup

if TYPE_CHECKING:
    from aiohttp import ClientSession
    from aiohttp.abc import AbstractResolver, ResolveResult
    from pydantic import SecretStr

LONGEST_HEADER: Final = 65_536  # bytes of one header line; policies of some sites are longer than aiohttp's 8 KB
KEPT_ALIVE: Final = 15.0  # seconds that an idle connection is kept


asked_host: ContextVar[str] = ContextVar("asked_host", default="")
"""The host of the request that a connection is opened for: `network.allow_private` may name it."""


def open_session(
    settings: Settings, tls: ssl.SSLContext, lookup: Lookup, guard: Guard | None = None
) -> "ClientSession":
    """Return a session without cookies, environment or automatic redirects; the caller closes it.

    A `guard` checks the address of every connection.
    """
    import aiohttp

    connector = aiohttp.TCPConnector(
        ssl=tls,
        limit=0,
        use_dns_cache=False,
        resolver=_resolver(lookup),
        socket_factory=partial(guarded_socket, guard) if guard else None,
        keepalive_timeout=KEPT_ALIVE,
    )
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": settings.network.user_agent, "Accept-Encoding": ACCEPTED},
        auto_decompress=False,
        trust_env=False,
        max_line_size=LONGEST_HEADER,
        max_field_size=LONGEST_HEADER,
    )


def open_tls(ca_file: Path | None) -> ssl.SSLContext:
    """Return a TLS context with the system's authorities and those of a file. Reads files. Raises SettingsError."""
    try:
        context = ssl.create_default_context()
        if ca_file is not None:
            context.load_verify_locations(cafile=ca_file)
    except (OSError, ssl.SSLError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        remedy = 'Set "network.ca_file" to a PEM file with certificates.'
        raise SettingsError(f"The certificates cannot be read: {reason}", where=str(ca_file), remedy=remedy) from error
    context.set_alpn_protocols(["http/1.1"])
    return context


def guarded_socket(guard: Guard, address_info: Any) -> socket.socket:
    """Return a socket for an entry of `getaddrinfo`; raises PermissionError if the guard refuses its address.

    URLs and names were checked before; this checks the actual address of the connection.
    """
    family, kind, protocol, _, address = address_info
    try:
        guard.check_address(address[0], address[1], asked_host.get())
    except AddressError as error:
        raise PermissionError(errno.EACCES, error.what) from error
    return socket.socket(family=family, type=kind, proto=protocol)


def _resolver(lookup: Lookup) -> "AbstractResolver":
    from aiohttp.abc import AbstractResolver

    class Resolver(AbstractResolver):
        async def resolve(
            self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
        ) -> "list[ResolveResult]":
            return [
                {"hostname": host, "host": address, "port": port, "family": kind, "proto": 0, "flags": 0}
                for kind, address in await lookup(host, port)
                if family in (socket.AF_UNSPEC, kind)
            ]

        async def close(self) -> None:
            """Do nothing: there is nothing to close."""

    return Resolver()


def read_proxy(proxy: "SecretStr | None") -> str | None:
    """Return the proxy's URL with its credentials; raises SettingsError for one that is not http or https."""
    if proxy is None:
        return None
    url = proxy.get_secret_value()
    with contextlib.suppress(ValueError):  # a part of it does not parse
        require_one_reading(url)
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return url
    remedy = 'Set it to a URL such as "http://proxy.example:3128".'
    raise SettingsError('The setting "network.proxy" is not the address of an HTTP proxy', remedy=remedy)
