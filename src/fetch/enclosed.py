"""What renders pages goes out by a filter proxy alone, from a room of its own where the system has one."""

from abc import ABC, abstractmethod
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Self

from ..net.filter_proxy import FilterProxy
from .chromium import to_the_end
from .enclosure import Enclosure

if TYPE_CHECKING:
    from ..kernel.settings import Settings


class Enclosed(ABC):
    """A renderer with its enclosure and its proxy, which are there from `async with` on and go last."""

    def __init__(self, settings: "Settings") -> None:
        self._settings = settings
        self._enclosure = Enclosure()
        self._proxy: FilterProxy
        self._exits = AsyncExitStack()

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as exits:
            await exits.enter_async_context(self._enclosure)
            self._proxy = await exits.enter_async_context(FilterProxy(self._enclosure.listener))
            self._exits = exits.pop_all()
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await to_the_end(self._closed())

    @property
    def exposed(self) -> str:
        """Why only its own flags keep the browser from other ways out than our proxy; "" when it finds no other."""
        return self._enclosure.missing

    async def _closed(self) -> None:
        await self._close()
        await self._exits.aclose()

    @abstractmethod
    async def _close(self) -> None:
        """End the processes."""
