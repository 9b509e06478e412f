"""A server on a free port of this machine."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web


@asynccontextmanager
async def listening(
    app: web.Application, closing: asyncio.Event, tls: ssl.SSLContext | None = None
) -> AsyncIterator[web.AppRunner]:
    """Run the application; `closing` is set before it ends, for handlers that wait."""
    runner = web.AppRunner(app, shutdown_timeout=1.0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
    try:
        yield runner
    finally:
        closing.set()
        await runner.cleanup()
