"""What a run may take that somebody asks the service for: a place, money and time, and room on the disk."""

import math
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from starlette.exceptions import HTTPException

from ..kernel.errors import SettingsError, UsageError
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..model.metering import require_prices
from ..model.providers import models_of
from .bodies import ReportRequest
from .refusal import LATER

LIMITS: Final[dict[str, Any]] = {"budget.max_time": 600.0, "budget.max_calls": 300, "budget.max_tokens": 1_000_000}
MAX_COST: Final = 1.0
"""Of a run where the settings have none; the cost, in US dollars, bounds only one whose prices are all known."""


class RunSlots:
    """The places for runs: `most` in all, and no client holds more than its `share`. Nobody waits for one here."""

    def __init__(self, most: int, share: int) -> None:
        self.most = most
        self._share = share
        self._held: Counter[str] = Counter()

    @property
    def taken(self) -> int:
        """How many are held."""
        return self._held.total()

    @contextmanager
    def held(self, client: str) -> Iterator[None]:
        """Hold a place for the block. Raises as `take` does."""
        self.take(client)
        try:
            yield
        finally:
            self.give_back(client)

    def take(self, client: str) -> None:
        """Take a place. Raises HTTPException when there is none, for this client or at all."""
        if self._held[client] >= self._share:
            raise HTTPException(429, f"{self._share} runs of yours are under way, which is all at once", LATER)
        if self.taken >= self.most:
            raise HTTPException(429, f"{self.taken} runs are under way, which is all that this service takes", LATER)
        self._held[client] += 1

    def give_back(self, client: str) -> None:
        """Free a place that was taken."""
        self._held[client] -= 1
        if not self._held[client]:
            del self._held[client]


def lowered(settings: Settings, max_cost: float | None, max_time: float | None) -> Settings:
    """Return the settings with these limits, in US dollars and seconds, where theirs are not lower already."""
    given = {"budget.max_cost": max_cost, "budget.max_time": max_time}
    lower = {
        name: most
        for name, most in given.items()
        if most is not None and most < (math.inf if (own := attrgetter(name)(settings)) is None else own)
    }
    return settings.updated(**lower)


async def asked_of(settings: Settings, asked: ReportRequest, collections: Sequence[Path]) -> Settings:
    """Return the settings for what is asked, with a limit on time and cost. Raises UsageError where nothing is left.

    `collections` are the folders of those that are named.
    """
    if asked.web:
        require_web(settings)
    db = [*(settings.db if asked.searches_files else []), *collections]
    if not (db or asked.searches_files or (settings.web is not False and asked.web is not False)):
        raise UsageError("There is neither a file nor the web to search", where="files and web of the request")
    changed: dict[str, Any] = {"db": db} if asked.web is None else {"db": db, "web": asked.web}
    return await limited(settings.model_copy(update=changed))


def require_web(settings: Settings) -> None:
    """Raise UsageError where the settings forbid the web."""
    if settings.web is False:
        raise UsageError("This service does not search the web", where="web = false in its settings")


async def limited(settings: Settings) -> Settings:
    """Return the settings with a limit on time and cost, theirs before those of here. Raises SettingsError."""
    missing = {name: most for name, most in LIMITS.items() if attrgetter(name)(settings) is None}
    given = settings.updated(**missing)
    used = models_of(given)
    if given.budget.max_cost is not None:
        await require_prices(given, used)
        return given
    priced = given.updated(budget__max_cost=MAX_COST)
    try:
        await require_prices(priced, used)
    except SettingsError:
        return given
    return priced


async def require_room(settings: Settings) -> None:
    """Raise HTTPException when what is kept takes as much room as it may."""
    taken, most = await in_thread(bytes_under, settings.data_dir) / 1e6, settings.serve.megabytes
    if taken >= most:
        full = f"What this service keeps takes {taken:,.0f} MB of {most:,.0f}: it takes no run until some is forgotten"
        raise HTTPException(507, full)


def bytes_under(folder: Path) -> int:
    """Return how many bytes the files under a folder take on the disk; what vanishes meanwhile takes none. Blocks."""
    taken = 0
    for inside, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                taken += os.lstat(os.path.join(inside, name)).st_blocks * 512  # noqa: PTH118 a Path takes as long again
    return taken
