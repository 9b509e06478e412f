"""What a resumed run lives through again, where what it decides hangs on when answers come."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final

from .errors import SpyglassError
from .journal import Journal

BEGUN: Final = "begun"
"""The kind of the effect which says that one decided by time has begun: its request is the key of that one."""

IDLE: Final = 0.05
"""Seconds in which no call is under way, after which those that only the journal answers need not be waited for."""

LATEST: Final = 1.0
"""Seconds for which what was decided is lived through longer than it took at most."""

_KNOWN_ONLY: ContextVar[bool] = ContextVar("known_only", default=False)


def is_known_only() -> bool:
    """Say whether the caller lives through what was decided: what the journal does not answer never came to it."""
    return _KNOWN_ONLY.get()


@dataclass(slots=True, eq=False)
class _Coming:
    """An answer of the journal that is not given yet: the second at which it is."""

    at: float


class Retrace:
    """The way that an earlier process went, where it was killed amid something that is decided by time.

    Answers of the journal are then given as late as they came, so that the same is decided again, and what is asked
    anew comes when it would have come. That ends with the last of what had begun; where all of it was decided there is
    nothing to retrace. The time in which the earlier process waited for nothing else is skipped.
    """

    def __init__(self, journal: Journal) -> None:
        begun = {str(key) for _, key, _ in journal.effects(BEGUN)}
        amid = any(journal.find(key) is None for key in begun)
        self._left = begun if amid else set()
        self._seconds = journal.durations() if amid else {}
        self._coming: list[_Coming] = []
        self._busy = 0
        self._idle_since = 0.0

    @property
    def goes_on(self) -> bool:
        """Whether there is something left to retrace."""
        return bool(self._left)

    def end(self, key: str = "") -> None:
        """Note that what had begun under this key is over; without one, retrace no further."""
        self._left = self._left - {key} if key else set()

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Have time pass as it does, for as long as a call is under way."""
        self._busy += 1
        try:
            yield
        finally:
            self._busy -= 1
            self._idle_since = _now()

    async def wait(self, key: str) -> None:
        """Wait until an answer of the journal comes that is asked for the first time."""
        coming = _Coming(_now() + self._seconds.pop(key, 0.0))
        self._coming.append(coming)
        try:
            while self.goes_on and (left := coming.at - _now()) > 0:
                await asyncio.sleep(min(left, IDLE))
                self._skip()
        finally:
            self._coming.remove(coming)
            self._idle_since = _now()

    def _skip(self) -> None:
        """Go on to the next answer when nothing else is under way."""
        if not self._busy and _now() - self._idle_since >= IDLE:
            ahead = min(coming.at for coming in self._coming) - _now()
            for coming in self._coming:
                coming.at -= max(0.0, ahead)

    async def relive(self, key: str, call: Callable[[], Awaitable[Any]]) -> None:
        """Do again what led to an answer of the journal, asking nothing: others met what came of it on the way."""
        seconds = self._seconds.pop(key, 0.0) + LATEST
        known_only = _KNOWN_ONLY.set(True)
        try:
            with self.busy(), suppress(TimeoutError, SpyglassError):
                async with asyncio.timeout(seconds):
                    await call()
        finally:
            _KNOWN_ONLY.reset(known_only)


def _now() -> float:
    return asyncio.get_running_loop().time()
