"""The rules for the destination of a request: http and https, to public addresses and those that the user allowed."""

import re
import socket
from collections.abc import Awaitable, Callable
from copy import copy
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Final, Self

from ..kernel.errors import AddressError, SettingsError, UnreachableError
from ..kernel.notice import Notice
from ..kernel.settings import Settings
from ..kernel.thread import in_daemon
from ..kernel.url import shown
from .address import IPAddress, kind_of, reached
from .host import HostError, authority, bracketed, is_local, is_localhost, literal, read_host
from .target import Target, read_target

_ENTRY = re.compile(r"\[(?P<six>[^\]]+)\](?P<rest>.*)|(?P<bare>[^:]*:[^:]*:.*)|(?P<host>[^:]+)(?P<tail>.*)")
_PORT = re.compile(r":(?P<port>[0-9]{1,5})|")


@dataclass(frozen=True, slots=True)
class Allowance:
    """A host or network that is allowed though not public; without `port`, on each port allowed for public hosts."""

    name: str = ""
    network: IPv4Network | IPv6Network | None = None
    port: int | None = None

    @classmethod
    def read(cls, text: str) -> Self:
        """Read `name`, `10.0.0.5`, `10.0.0.0/8`, `fd00::/8` or `[::1]`, all but bare IPv6 optionally with `:port`.

        Raises SettingsError.
        """
        entry = _ENTRY.fullmatch(text.strip())
        port = _PORT.fullmatch(entry["rest"] or entry["tail"] or "") if entry else None
        if entry is None or port is None:
            raise _unreadable(text)
        host = entry["six"] or entry["bare"] or entry["host"]
        number = int(port["port"]) if port["port"] else None
        try:
            return cls(network=ip_network(host, strict=False), port=number)
        except ValueError:
            pass
        try:
            return cls(name=read_host(host), port=number)
        except HostError as error:
            raise _unreadable(text) from error

    def on(self, port: int) -> bool:
        """Whether it covers a port."""
        return self.port in (None, port)

    def covers(self, host: str, address: IPAddress | None) -> bool:
        """Return whether it names the host, or its network contains the address or an IPv4 address embedded in it."""
        if self.network is None:
            return self.name == host
        return address is not None and (address in self.network or reached(address) in self.network)


def _unreadable(text: str) -> SettingsError:
    return SettingsError(
        f'"{text[:80]}" in the setting "network.allow_private" is not a host',
        remedy='Write entries such as "wiki.example", "10.0.0.5:8080", "10.0.0.0/8" or "[fd00::1]:80".',
    )


Lookup = Callable[[str, int], Awaitable[list[tuple[int, str]]]]
"""Resolves a host name and a port to pairs of address family and address; raises UnreachableError."""

_NO_SUCH_NAME = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", None)}


async def system_lookup(host: str, port: int) -> list[tuple[int, str]]:
    """Call `getaddrinfo` in a daemon thread, since a name service may hang for half a minute.

    It has no deadline; cancel it to stop waiting. Raises UnreachableError.
    """
    try:
        return await in_daemon(lambda: _getaddrinfo(host, port), f"lookup {host}")
    except OSError as error:
        if error.errno in _NO_SUCH_NAME:
            raise UnreachableError(Notice("no_such_host", host=host), where=host, gone=True, fault="name") from error
        notice = Notice("name_service_silent", host=host, why=str(error.strerror or error))
        raise UnreachableError(notice, where=host, fault="name") from error


def _getaddrinfo(host: str, port: int) -> list[tuple[int, str]]:
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:
        raise socket.gaierror(socket.EAI_NONAME, "not a name") from error
    return [(family, str(address[0])) for family, _, _, _, address in entries]


WEB_PORTS: Final = frozenset({80, 443})
FIRST_FREE_PORT: Final = 1024

BAD_PORTS: Final = frozenset(
    {1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080}
)
"""Ports from 1024 up of other services: the Fetch standard's "bad ports", which browsers refuse, too."""

_LOOPBACK: Final = ((int(socket.AF_INET), "127.0.0.1"), (int(socket.AF_INET6), "::1"))


class Guard:
    """The check of every outgoing connection: it decides whether a request may go to a URL, a name or an address.

    The setting `allow_private` lists the exceptions. Addresses that the user configured are not among them, since a
    page that links to one must not reach it; the client connects to them for its `configured` requests only.
    """

    def __init__(self, settings: Settings, *, lookup: Lookup = system_lookup) -> None:
        self._allowed = [Allowance.read(entry) for entry in settings.network.allow_private]
        self._lookup = lookup

    def allowing(self, target: Target) -> "Guard":
        """Return a guard that also allows the host and port of a target."""
        guard = copy(self)
        guard._allowed = [*self._allowed, Allowance.read(authority(target.host, target.port))]
        return guard

    def check_url(self, url: str) -> str:
        """Return the URL in normal form: A-labels, plain addresses, percent-encoded path, no fragment.

        Raises AddressError for another scheme, credentials, a port of other services, and a host that is a private
        address in any spelling or a name of the local network. Names are resolved only when a connection is opened.
        """
        return str(self.check_target(url))

    def check_target(self, url: str) -> Target:
        """Return the URL's parts. Raises as `check_url` does."""
        target = read_target(url)
        try:
            self._check_host(target.host, target.port)
        except AddressError as error:
            error.where = shown(url)
            raise
        return target

    def check_address(self, address: str, port: int, host: str) -> None:
        """Raise AddressError unless a connection for `host` may go to this address of a resolver or socket."""
        end = ip_address(address)
        kind = kind_of(end)
        if kind is None or any(allowance.on(port) and allowance.covers(host, end) for allowance in self._allowed):
            return
        notice = Notice("host_leads_to", address=address, kind=kind)
        if host == address:
            notice = Notice("host_not_public", kind=kind)
        raise _refused(notice, host, port)

    async def resolve(self, host: str, port: int) -> list[tuple[int, str]]:
        """Return the host's pairs of address family and address; a single refused address refuses the host.

        It has no deadline. Raises AddressError, and UnreachableError if there is no such host.
        """
        try:
            name = read_host(host if host.startswith("[") else bracketed(host))
        except HostError as error:
            raise AddressError(Notice("address_invalid", why=str(error)), where=shown(host)) from error
        self._check_host(name, port)
        if (address := literal(name)) is not None:
            return [(socket.AF_INET if address.version == 4 else socket.AF_INET6, name)]
        if is_localhost(name):
            return [pair for pair in _LOOPBACK if self._is_open(pair[1], port, name)]
        pairs = await self._lookup(name, port)
        if not pairs:
            raise UnreachableError(Notice("host_without_address", host=name), where=authority(name, port), fault="name")
        for _, resolved in pairs:
            self.check_address(resolved, port, name)
        return pairs

    def _check_host(self, host: str, port: int) -> None:
        """Raise AddressError for a port of other services, and a host that is refused before it is resolved.

        If the user allows a network, a name of a local network may resolve to it, and is checked by its addresses.
        """
        if not self._port_allowed(host, port):
            raise _refused(Notice("port_of_other_services", port=port), host, port)
        if literal(host) is not None:
            self.check_address(host, port, host)
        elif is_localhost(host):
            if not any(self._is_open(loopback, port, host) for _, loopback in _LOOPBACK):
                raise _refused(Notice("host_is_this_machine"), host, port)
        elif is_local(host) and not any(
            allowance.on(port) and allowance.name in ("", host) for allowance in self._allowed
        ):
            raise _refused(Notice("host_is_local_name"), host, port)

    def _port_allowed(self, host: str, port: int) -> bool:
        if port in WEB_PORTS or (port >= FIRST_FREE_PORT and port not in BAD_PORTS):
            return True
        address = literal(host)
        return any(allowance.port == port and allowance.covers(host, address) for allowance in self._allowed)

    def _is_open(self, address: str, port: int, host: str) -> bool:
        try:
            self.check_address(address, port, host)
        except AddressError:
            return False
        return True


def _refused(notice: Notice, host: str, port: int) -> AddressError:
    where = authority(host, port)
    return AddressError(notice, where=where, remedy=Notice("allow_private", place=where))
