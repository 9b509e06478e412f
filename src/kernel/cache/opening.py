"""The cache that the settings name: a file under `data_dir`, or the database that several machines share."""

from typing import TYPE_CHECKING

from ..database import database_of
from .cache import Cache

if TYPE_CHECKING:
    from ..run import Run
    from ..settings import Settings


async def cache_of(run: "Run") -> Cache:
    """Return the cache that a run shares with all others under its `data_dir`, or of its database."""
    settings = run.settings
    terms = ("cache", settings.data_dir, settings.database_url, settings.cache.megabytes)
    return await run.shared(terms, lambda: cache_at(settings))


def cache_at(settings: "Settings") -> Cache:
    """Return the cache of the settings, not opened yet."""
    most = int(settings.cache.megabytes * 1_000_000)
    if settings.database_url is None:
        return Cache(settings.data_dir / "cache.sqlite", most=most)
    database = database_of(settings)
    from .shared import SharedCache

    return SharedCache(database, most=most)
