"""The limits of a run that a caller requests: slots for concurrent runs, cost, time, and disk space."""

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
from .error_response import LATER

LIMITS: Final[dict[str, Any]] = {"budget.max_time": 600.0, "budget.max_calls": 300, "budget.max_tokens": 1_000_000}
MAX_COST: Final = 1.0
"""Limits of a run if the settings have none; the cost, in US dollars, applies only if all prices are known."""


class RunSlots:
    """The slots for concurrent runs: `most` in all, at most `share` for each client. There is no queue."""

    def __init__(self, most: int, share: int) -> None:
        self.most = most
        self._share = share
        self._held: Counter[str] = Counter()

    @property
    def in_use(self) -> int:
        """The number of slots in use."""
        return self._held.total()

    @contextmanager
    def slot(self, client: str) -> Iterator[None]:
        """Hold a slot for the duration of the block. Raises as `take` does."""
        self.take(client)
        try:
            yield
        finally:
            self.give_back(client)

    def take(self, client: str) -> None:
        """Take a slot. Raises HTTPException if none is free, for this client or at all."""
        if self._held[client] >= self._share:
            raise HTTPException(429, f"{self._share} runs of yours are in progress, which is the maximum", LATER)
        if self.in_use >= self.most:
            raise HTTPException(429, f"{self.in_use} runs are in progress, which is the maximum of this service", LATER)
        self._held[client] += 1

    def give_back(self, client: str) -> None:
        """Free a slot that was taken."""
        self._held[client] -= 1
        if not self._held[client]:
            del self._held[client]


def lowered(settings: Settings, max_cost: float | None, max_time: float | None) -> Settings:
    """Return the settings with these limits, in US dollars and seconds, unless theirs are lower already."""
    limits = {"budget.max_cost": max_cost, "budget.max_time": max_time}
    changes = {
        name: limit
        for name, limit in limits.items()
        if limit is not None and limit < (math.inf if (current := attrgetter(name)(settings)) is None else current)
    }
    return settings.updated(**changes)


async def asked_of(settings: Settings, body: ReportRequest, collections: Sequence[Path]) -> Settings:
    """Return the settings of a request, with limits on time and cost. Raises UsageError if nothing can be searched.

    `collections` are the folders of the collections that the request names.
    """
    if body.web:
        require_web(settings)
    db = [*(settings.db if body.searches_files else []), *collections]
    if not (db or body.searches_files or (settings.web is not False and body.web is not False)):
        raise UsageError("There are neither files nor the web to search", where="files and web of the request")
    changed: dict[str, Any] = {"db": db} if body.web is None else {"db": db, "web": body.web}
    return await limited(settings.model_copy(update=changed))


def require_web(settings: Settings) -> None:
    """Raise UsageError if the settings forbid the web."""
    if settings.web is False:
        raise UsageError("This service does not search the web", where="web = false in its settings")


async def limited(settings: Settings) -> Settings:
    """Return the settings with limits on time and cost, by default LIMITS and MAX_COST. Raises SettingsError."""
    missing = {name: limit for name, limit in LIMITS.items() if attrgetter(name)(settings) is None}
    bounded = settings.updated(**missing)
    models = models_of(bounded)
    if bounded.budget.max_cost is not None:
        await require_prices(bounded, models)
        return bounded
    priced = bounded.updated(budget__max_cost=MAX_COST)
    try:
        await require_prices(priced, models)
    except SettingsError:
        return bounded
    return priced


async def require_room(settings: Settings) -> None:
    """Raise HTTPException if the stored data has reached the limit `serve.megabytes`."""
    taken, limit = await in_thread(bytes_under, settings.data_dir) / 1e6, settings.serve.megabytes
    if taken >= limit:
        message = f"The stored data takes {taken:,.0f} MB of {limit:,.0f}: no run is accepted until some is deleted"
        raise HTTPException(507, message)


def bytes_under(folder: Path) -> int:
    """Return the disk usage in bytes of the files under a folder, ignoring files that vanish meanwhile. Blocks."""
    taken = 0
    for inside, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                taken += os.lstat(os.path.join(inside, name)).st_blocks * 512  # noqa: PTH118 a Path would double the time
    return taken
