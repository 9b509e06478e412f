"""One entry of the setting `network.allow_private`: a name, an address or a network, perhaps with a port."""

import re
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Self

from ..kernel.errors import SettingsError
from .address import IPAddress, reached
from .host import HostError, read_host

_ENTRY = re.compile(r"\[(?P<six>[^\]]+)\](?P<rest>.*)|(?P<bare>[^:]*:[^:]*:.*)|(?P<host>[^:]+)(?P<tail>.*)")
_PORT = re.compile(r":(?P<port>[0-9]{1,5})|")


@dataclass(frozen=True, slots=True)
class Allowance:
    """What may be reached although it is not public; without a port, on every port that a public host has."""

    name: str = ""
    network: IPv4Network | IPv6Network | None = None
    port: int | None = None

    @classmethod
    def read(cls, text: str) -> Self:
        """Read `name`, `10.0.0.5`, `10.0.0.0/8`, `fd00::/8` or `[::1]`, all but bare IPv6 with `:port` if wished.

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
        """Whether it holds for a port."""
        return self.port in (None, port)

    def holds(self, address: IPAddress) -> bool:
        """Whether an address, or the one that is reached through it, is in its network."""
        ends = (address, reached(address))
        return self.network is not None and any(
            end.version == self.network.version and end in self.network for end in ends
        )


def _unreadable(text: str) -> SettingsError:
    return SettingsError(
        f'"{text[:80]}" in the setting "network.allow_private" is no host',
        remedy='Entries look like "wiki.example", "10.0.0.5:8080", "10.0.0.0/8" or "[fd00::1]:80".',
    )
