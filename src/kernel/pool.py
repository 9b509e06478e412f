"""Resources that the runs of one process share: expensive clients, and limits of calls to servers."""

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Self, TypeVar

from .argument import validated
from .errors import UsageError
from .limiter import Limiter

Client = TypeVar("Client")

KEPT: Final = 16
"""Unused clients that stay open for the next run; beyond them the least recently used is closed."""


@dataclass(eq=False, slots=True)
class _Shared:
    """A client with its number of users and its exit stack; the first user opens it."""

    users: int = 0
    opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    exits: AsyncExitStack | None = None
    client: Any = None

    async def open(self, opener: Callable[[], AbstractAsyncContextManager[Any]]) -> None:
        async with self.opening:
            if self.exits is None:
                async with AsyncExitStack() as exits:
                    self.client = await exits.enter_async_context(opener())
                    self.exits = exits.pop_all()

    async def close(self) -> None:
        exits, self.exits = self.exits, None
        if exits is not None:
            await exits.aclose()

    async def close_unless_used(self) -> None:
        async with self.opening:  # a concurrent caller waits for the lock and reopens it
            if not self.users:
                await self.close()


@validated
class Pool:
    """Clients and limits that several runs share: `async with Pool() as pool: await research(…, pool=pool)`.

    It holds the connections to models and the web, browser, converter, cache and local embedder, each opened at first
    use, and closed with the pool or once KEPT other idle clients were used since. Runs with different settings of a
    client do not share it. Calls to one server with one key are limited fairly over all runs. A pool belongs to one
    event loop.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._shared: dict[Hashable, _Shared] = {}  # the most recently used last
        self._limiters: dict[Hashable, Limiter] = {}

    async def __aenter__(self) -> Self:
        if self._loop is not None:
            raise UsageError("The pool is already open", remedy="Open it once, and pass it to every run.")
        self._loop = asyncio.get_running_loop()
        return self

    async def __aexit__(self, *_exception: object) -> None:
        self._loop = None
        async with AsyncExitStack() as exits:
            while self._shared:
                exits.push_async_callback(self._shared.popitem()[1].close)

    def require_open(self) -> None:
        """Raise UsageError unless the pool is open, and in this event loop."""
        if self._loop is None:
            raise UsageError("The pool is not open", remedy="Use it as `async with Pool() as pool:`.")
        if self._loop is not asyncio.get_running_loop():
            remedy = "Open a pool in each event loop: event loops cannot share its connections."
            raise UsageError("The pool belongs to another event loop", remedy=remedy)

    @asynccontextmanager
    async def client(
        self, name: Hashable, opener: Callable[[], AbstractAsyncContextManager[Client]], *, keeps: bool = True
    ) -> AsyncIterator[Client]:
        """Use the client of a name, which must contain everything that configures it. Raises what the opener raises.

        After its last user the client stays open for the next one, or is closed at once if `keeps` is false.
        """
        self.require_open()
        shared = self._shared.setdefault(name, _Shared())
        shared.users += 1
        try:
            await shared.open(opener)
            yield shared.client
        finally:
            shared.users -= 1
            if self._shared.pop(name, None) is shared:
                self._shared[name] = shared
            await self._close_idle([name] if not keeps or shared.exits is None else [])

    @asynccontextmanager
    async def slot(self, name: Hashable, owner: Hashable, most: int) -> AsyncIterator[None]:
        """Hold a slot of the limiter with this name; see `Limiter.slot`."""
        self.require_open()
        limiter = self._limiters.setdefault(name, Limiter())
        try:
            async with limiter.slot(owner, most):
                yield
        finally:
            if limiter.is_idle:
                self._limiters.pop(name, None)

    async def _close_idle(self, done: Sequence[Hashable]) -> None:
        """Close the unused clients among `done`, and the oldest unused ones beyond KEPT."""
        idle = [name for name, shared in self._shared.items() if not shared.users]
        for name in {*idle[: max(0, len(idle) - KEPT)], *done}:
            shared = self._shared.get(name)
            if shared is not None and not shared.users:
                await shared.close_unless_used()
                if not shared.users and self._shared.get(name) is shared:
                    del self._shared[name]
