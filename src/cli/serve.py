"""`spyglass serve` and `spyglass mcp`: start the HTTP service and the MCP server."""

import asyncio
import socket
from pathlib import Path

from ..kernel.errors import UsageError
from ..kernel.settings import Settings
from ..runs import RunStore
from .console import tell
from .loop import watched


def serve(settings: Settings, host: str, port: int, config: Path | None = None) -> None:
    """Serve the page, searches and reports until Ctrl-C.

    Raises UsageError if the address is in use or needs a token, and if another service has these runs.
    """
    try:
        from ..serve import server_of
    except ImportError as error:
        raise _not_installed("service", "serve", error) from error
    server = server_of(settings, host, config)
    listening = _listen(host, port)
    place = f"[{host}]" if ":" in host else host
    tell(f"Serving on http://{place}:{listening.getsockname()[1]} (Ctrl-C ends it)")
    with RunStore.of(settings).serving(), watched(settings):
        server.run(sockets=[listening])


def serve_mcp(settings: Settings, config: Path | None, port: int | None) -> None:
    """Serve tools to an assistant until it closes standard input, or with a `port` of this machine until Ctrl-C.

    Raises UsageError if the extra `mcp` is not installed.
    """
    try:
        import uvicorn

        from ..mcp import server_of
    except ImportError as error:
        raise _not_installed("MCP server", "mcp", error) from error
    server = server_of(settings, config)
    with watched(settings):
        if port is None:
            asyncio.run(server.run_stdio_async())
        else:
            listening = _listen("127.0.0.1", port)
            tell(f"Serving on http://127.0.0.1:{listening.getsockname()[1]}/mcp (Ctrl-C ends it)")
            uvicorn.Server(uvicorn.Config(server.streamable_http_app(), log_level="warning")).run(sockets=[listening])


def _not_installed(part: str, extra: str, error: ImportError) -> UsageError:
    return UsageError(f"The {part} is not installed: {error}", remedy=f'Install it: pip install "spyglass[{extra}]".')


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on an address; port 0 takes a free one. Raises UsageError if it cannot be bound."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise UsageError(f"Cannot listen on {host}:{port}: {error.strerror}", where="--host, --port") from error
