"""The service on a free port of this machine, over the loopback web."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from loopback import SearchServer
from spyglass.kernel.settings import Settings
from spyglass.serve.server import server_of
from tools.sites import settings_of

Serving = Callable[..., AbstractAsyncContextManager[str]]


@pytest.fixture
def online(tmp_path: Path, search_server: SearchServer) -> Settings:
    """Searching by words only: each run has a process, which would load the local models first."""
    return settings_of(tmp_path, search_server).updated(serve__spare=False, retrieval__dense=False)


@pytest.fixture
def serving(online: Settings) -> Serving:
    """Serve with the settings of `online`, some of them changed, bound to `host`; gives the address on this machine."""

    @asynccontextmanager
    async def serve(host: str = "127.0.0.1", **changed: Any) -> AsyncIterator[str]:
        server = await asyncio.to_thread(server_of, online.updated(**changed), host)
        with socket.create_server((host, 0)) as listening:
            running = asyncio.create_task(server.serve(sockets=[listening]))
            try:
                yield f"http://127.0.0.1:{listening.getsockname()[1]}"
            finally:
                server.should_exit = True
                await running

    return serve
