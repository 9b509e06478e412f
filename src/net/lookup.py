"""Asking the system's name service without blocking anybody."""

import socket
from collections.abc import Awaitable, Callable

from ..kernel.errors import UnreachableError
from ..kernel.thread import in_daemon

Lookup = Callable[[str, int], Awaitable[list[tuple[int, str]]]]
"""From a host name and a port to pairs of address family and address; raises UnreachableError."""

_NO_SUCH_NAME = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", None)}


async def system_lookup(host: str, port: int) -> list[tuple[int, str]]:
    """Ask `getaddrinfo`, in a thread of its own that nothing waits for: a name service may hang for half a minute.

    Cancel it to bound it. Raises UnreachableError.
    """
    try:
        return await in_daemon(lambda: _asked(host, port), f"lookup {host}")
    except OSError as error:
        raise _explained(error, host) from error


def _asked(host: str, port: int) -> list[tuple[int, str]]:
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:
        raise socket.gaierror(socket.EAI_NONAME, "not a name") from error
    return [(family, str(address[0])) for family, _, _, _, address in entries]


def _explained(error: OSError, host: str) -> UnreachableError:
    if error.errno in _NO_SUCH_NAME:
        return UnreachableError(f'There is no host "{host}"', where=host, gone=True, fault="name")
    what = f'The name service gave no answer for "{host}": {error.strerror or error}'
    return UnreachableError(what, where=host, fault="name")
