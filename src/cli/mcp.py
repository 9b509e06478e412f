"""`spyglass mcp`."""

import asyncio
from pathlib import Path

from ..kernel.errors import UsageError
from ..kernel.settings import Settings
from .console import tell
from .serve import listen
from .watching import watched


def serve_mcp(settings: Settings, config: Path | None, port: int | None) -> None:
    """Serve tools to an assistant until it closes standard input; on a `port` of this machine, until Ctrl-C.

    Raises UsageError where the extra `mcp` is not installed.
    """
    try:
        import uvicorn

        from ..mcp.server import server_of
    except ImportError as error:
        raise UsageError(
            f"The MCP server is not installed: {error}", remedy='Install it: pip install "spyglass[mcp]".'
        ) from error
    server = server_of(settings, config)
    with watched(settings):
        if port is None:
            asyncio.run(server.run_stdio_async())
        else:
            listening = listen("127.0.0.1", port)
            tell(f"Serving on http://127.0.0.1:{listening.getsockname()[1]}/mcp (Ctrl-C ends it)")
            uvicorn.Server(uvicorn.Config(server.streamable_http_app(), log_level="warning")).run(sockets=[listening])
