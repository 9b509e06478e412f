"""Identifies the caller of a request, and the owner of the caller's runs."""

import ipaddress
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Depends, Request

from .tokens import Grant

GRANT: Final = "grant"  # the key of the token's grant in the state of a request


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller with their own token, or (without `grant`) the operator or a user of the service's machine.

    `client` is the key by which calls and slots are counted: the name of the token, else the address.
    """

    client: str
    grant: Grant | None = None

    @property
    def owner(self) -> str | None:
        """The owner of the runs that the caller sees and starts: the name of the token, or None for all runs."""
        return None if self.grant is None else self.grant.name


def caller_of(request: Request) -> Caller:
    """Return the caller of an admitted request."""
    grant = getattr(request.state, GRANT, None)
    if grant is not None:
        return Caller(f"token {grant.name}", grant)
    return Caller(network_of(request.client.host if request.client else ""))


Calling = Annotated[Caller, Depends(caller_of)]


def network_of(host: str) -> str:
    """Return the address by which a caller is counted; for IPv6 its /64 network, which belongs to one site."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or ipaddress.ip_network((address, 64), strict=False))
