import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from typing import Any, Protocol

import pytest

from loopback.names import Names
from spyglass.kernel.settings import Settings
from spyglass.net import Client, Response

BOUNDS: dict[str, Any] = {
    "max_bytes": 1_000_000,
    "connect_deadline": 60.0,
    "read_deadline": 60.0,
    "total_deadline": 90.0,
}

Opened = Callable[..., Awaitable[Client]]


class Get(Protocol):
    """Ask for a page through a client that may reach this machine; options are those of `Client.request`."""

    async def __call__(self, url: str, **options: Any) -> Response: ...


@pytest.fixture
async def opened() -> AsyncIterator[Opened]:
    """Open clients with these settings, that ask `names` as their name service; they are closed after the test."""
    async with AsyncExitStack() as clients:

        async def open_one(*, names: Names | None = None, **settings: Any) -> Client:
            return await clients.enter_async_context(Client(Settings(**settings), lookup=names or Names()))

        yield open_one


@pytest.fixture
async def get(opened: Opened) -> Get:
    client = await opened(network__allow_private=["127.0.0.0/8"])

    async def ask(url: str, **options: Any) -> Response:
        return await client.request(options.pop("method", "GET"), url, **{**BOUNDS, **options})

    return ask


@pytest.fixture
def free_port() -> Iterator[int]:
    """A port on which nobody listens, and that nobody else can take meanwhile."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield int(held.getsockname()[1])
