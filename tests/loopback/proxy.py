"""A forward proxy on this machine, as companies have them: it resolves names itself and tunnels TLS."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit


class ProxyServer:
    """Passes requests on to 127.0.0.1, whatever their host is, and notes `requests` (first lines) and `credentials`.

    With a `port` it passes them on to that one, whichever they are for; with `refuses`, it answers that status instead.
    """

    def __init__(self, refuses: int = 0, port: int = 0) -> None:
        self._port = port
        self.url = ""
        self.requests: list[str] = []
        self.credentials: list[str] = []
        self._refuses = refuses

    @asynccontextmanager
    async def running(self) -> AsyncIterator["ProxyServer"]:
        """Listen on a free port."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            server.close()
            await server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            await self._pass_on(head.decode("latin-1"), reader, writer)
        writer.close()

    async def _pass_on(self, head: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line, _, rest = head.partition("\r\n")
        method, address, version = line.split(" ")
        fields = rest.split("\r\n")
        self.requests.append(line)
        self.credentials += [one.split(" ")[-1] for one in fields if one.lower().startswith("proxy-authorization:")]
        if self._refuses:
            writer.write(f"HTTP/1.1 {self._refuses} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
            return
        parts = urlsplit(f"//{address}" if method == "CONNECT" else address)
        there = await asyncio.open_connection("127.0.0.1", self._port or parts.port or 80)
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            kept = "\r\n".join(one for one in fields if not one.lower().startswith(("proxy-", "connection:")))
            path = parts.path + (f"?{parts.query}" if parts.query else "")
            there[1].write(f"{method} {path} {version}\r\nConnection: close\r\n{kept}".encode("latin-1"))
        await asyncio.gather(_copy(reader, there[1]), _copy(there[0], writer))


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await reader.read(65_536):
            writer.write(piece)
            await writer.drain()
    with suppress(OSError):
        writer.close()
