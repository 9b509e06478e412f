"""A fair limit of concurrency, for calls to one server or pages of one browser."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    """A waiting caller; `admitted` is done once it has a slot."""

    most: int
    admitted: asyncio.Future[None]


class Limiter:
    """Assigns slots: a free one goes to the owner that holds the fewest, and equal owners take turns.

    The callers of one owner are served in order; a cancelled caller releases its slot. Belongs to one event loop.
    """

    def __init__(self) -> None:
        self._held: Counter[Hashable] = Counter()
        self._waiting: dict[Hashable, deque[_Waiting]] = {}  # in the order of turns
        self._most = 0

    @asynccontextmanager
    async def slot(self, owner: Hashable, most: int) -> AsyncIterator[None]:
        """Wait for a slot and hold it: `owner` gets at most `most`, all owners together the largest `most` of any."""
        await self._take(owner, most)
        try:
            yield
        finally:
            self._give_back(owner)

    @property
    def is_idle(self) -> bool:
        """Whether no slot is held and nobody waits for one."""
        return not self._held and not self._waiting

    async def _take(self, owner: Hashable, most: int) -> None:
        self._most = max(self._most, most)
        waiting = _Waiting(most, asyncio.get_running_loop().create_future())
        self._waiting.setdefault(owner, deque()).append(waiting)
        self._admit()
        try:
            await waiting.admitted
        except asyncio.CancelledError:
            if waiting.admitted.cancelled():
                self._leave(owner, waiting)
            else:  # cancelled after the slot was assigned
                self._give_back(owner)
            raise

    def _give_back(self, owner: Hashable) -> None:
        self._held[owner] -= 1
        if not self._held[owner]:
            del self._held[owner]
        self._admit()

    def _leave(self, owner: Hashable, waiting: _Waiting) -> None:
        with suppress(KeyError, ValueError):  # `_admit` has dropped it as cancelled
            self._waiting[owner].remove(waiting)
            if not self._waiting[owner]:
                del self._waiting[owner]
        self._admit()

    def _admit(self) -> None:
        while self._held.total() < self._most and (owner := self._next()) is not None:
            queue = self._waiting.pop(owner)
            first = queue.popleft()
            if queue:
                self._waiting[owner] = queue  # last in the order of turns
            if not first.admitted.cancelled():
                self._held[owner] += 1
                first.admitted.set_result(None)

    def _next(self) -> Hashable | None:
        """Return the owner whose turn it is; None where all waiting owners hold their maximum."""
        entitled = (owner for owner, queue in self._waiting.items() if self._held[owner] < queue[0].most)
        return min(entitled, key=self._held.__getitem__, default=None)
