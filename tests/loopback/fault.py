"""What a server does wrong, and how it does it over a real socket."""

import asyncio
import socket
import struct
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

Misbehaviour = Literal["hang", "reset", "garbage", "half", "html", "empty"]


@dataclass(frozen=True)
class Fault:
    """What goes wrong instead of an answer: an HTTP status, or a way of misbehaving."""

    kind: int | Misbehaviour
    message: str = "something went wrong"
    code: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    details: list[dict[str, Any]] = field(default_factory=list)


async def misbehave(
    request: web.Request, kind: Misbehaviour, closing: asyncio.Event, *, half: str
) -> web.StreamResponse:
    """Answer as no server should; `half` is the beginning of an answer, and a hanging one ends with the server."""
    match kind:
        case "hang":
            await closing.wait()
            return web.Response(status=503)
        case "reset":
            _reset(request)
            return web.Response()
        case "garbage":
            return web.Response(body=bytes(range(256)) * 4, content_type="application/json")
        case "half":
            return web.Response(text=half, content_type="application/json")
        case "html":
            return web.Response(text="<html><body>Sign in to the hotel</body></html>", content_type="text/html")
        case "empty":
            return web.Response(text="", content_type="application/json")


def _reset(request: web.Request) -> None:
    """Break the connection as a crashed server does: with a reset, not a close."""
    transport = request.transport
    assert transport is not None
    connection = transport.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()
