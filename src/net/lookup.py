"""Asking the system's name service without blocking anybody."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Awaitable, Callable

from ..errors import UnreachableError

Lookup = Callable[[str, int], Awaitable[list[tuple[int, str]]]]
"""From a host name and a port to pairs of address family and address; raises UnreachableError."""

_NO_SUCH_NAME = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", None)}


async def system_lookup(host: str, port: int) -> list[tuple[int, str]]:
    """Ask `getaddrinfo`, in a thread of its own that nothing waits for: a name service may hang for half a minute.

    Cancel it to bound it. Raises UnreachableError.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[list[tuple[int, str]]] = loop.create_future()

    def settle(found: list[tuple[int, str]] | OSError) -> None:
        if answer.done():
            return
        if isinstance(found, OSError):
            answer.set_exception(_explained(found, host))
        else:
            answer.set_result(found)

    def ask() -> None:
        found: list[tuple[int, str]] | OSError
        try:
            entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found = [(family, str(address[0])) for family, _, _, _, address in entries]
        except OSError as error:
            found = error
        except UnicodeError:
            found = socket.gaierror(socket.EAI_NONAME, "not a name")
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(settle, found)

    threading.Thread(target=ask, name=f"lookup {host}", daemon=True).start()
    return await answer


def _explained(error: OSError, host: str) -> UnreachableError:
    if error.errno in _NO_SUCH_NAME:
        return UnreachableError(f'There is no host "{host}"', where=host)
    return UnreachableError(f'The name service gave no answer for "{host}": {error.strerror or error}', where=host)
