"""The cache in PostgreSQL, for the runs of several machines."""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from ..database.database import Database, Row
from ..errors import CacheError, DatabaseError
from ..notice import Notice
from .cache import MOST, Cache, Result

_NOW: Final = "COALESCE(:now, CAST(extract(epoch FROM clock_timestamp()) AS float8))"
_PARAMETER: Final = re.compile(r":(\w+)")


class SharedCache(Cache):
    """The cache in a database, whose clock is used unless one is given."""

    def __init__(self, database: Database, *, most: int = MOST, clock: Callable[[], float] | None = None) -> None:
        super().__init__(Path(), most=most)
        self._database = database
        self._now = clock

    async def _in_thread(self, call: Callable[[], Result]) -> Result:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._database.threads, call)
        except DatabaseError as error:
            raise CacheError(Notice("cache_unusable", error=error.bare_message), where=error.where) from error

    def _rows(self, query: str, **values: Any) -> list[Row]:
        sql = _PARAMETER.sub(r"%(\1)s", query.format(table="cache_entry", now=_NOW))
        return self._database.rows(sql, {"now": self._now and self._now(), **values})

    def _free_space(self) -> None:
        """Do nothing: the database frees space by itself."""
