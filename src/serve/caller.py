"""Who calls the service, and which runs are theirs."""

import ipaddress
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Depends, Request

from .tokens import Grant

GRANT: Final = "grant"  # where the state of a request has what its token was made for


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever shows a token that was made for them, or else runs the service or sits at its machine (no `grant`).

    `client` is whom places are counted for: the name of the token, else the address.
    """

    client: str
    grant: Grant | None = None

    @property
    def owner(self) -> str | None:
        """Whose runs they see and make: those of the token; None, which is all, without one."""
        return None if self.grant is None else self.grant.name


def caller_of(request: Request) -> Caller:
    """Return who made a request that was let in."""
    grant = getattr(request.state, GRANT, None)
    if grant is not None:
        return Caller(f"token {grant.name}", grant)
    return Caller(network_of(request.client.host if request.client else ""))


Calling = Annotated[Caller, Depends(caller_of)]


def network_of(host: str) -> str:
    """Return the address that shares count for: an IPv6 caller is its whole network of 64 bits, which is one site's."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or ipaddress.ip_network((address, 64), strict=False))
