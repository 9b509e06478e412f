"""The cache in PostgreSQL, for the runs of several machines."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from ..database.database import Database, Row
from ..errors import CacheError, DatabaseError
from ..notice import Notice
from .cache import FRESHLY, MOST, SLACK, Cache, CacheEntry, Result, Share

_NOW: Final = "coalesce(%(now)s, extract(epoch FROM clock_timestamp())::float8)"

_GET: Final = f"""
SELECT value, bytes, greatest(0, {_NOW} - stored_at), {_NOW} - used_at FROM cache_entry
WHERE kind = %(kind)s AND key = %(key)s AND ends_at > {_NOW}
"""  # noqa: S608 nothing of it is said by others

_USED: Final = f"UPDATE cache_entry SET used_at = {_NOW} WHERE kind = %(kind)s AND key = %(key)s"  # noqa: S608

_PUT: Final = f"""
INSERT INTO cache_entry VALUES (%(kind)s, %(key)s, %(value)s, %(data)s, %(size)s, {_NOW}, {_NOW}, {_NOW} + %(lasts)s)
ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value, bytes = excluded.bytes, size = excluded.size,
    stored_at = excluded.stored_at, used_at = excluded.used_at, ends_at = excluded.ends_at
"""  # noqa: S608

_SWEEP: Final = """
DELETE FROM cache_entry USING (
    SELECT kind, key, sum(size) OVER (ORDER BY used_at DESC, kind, key) AS kept FROM cache_entry
) AS ranked
WHERE cache_entry.kind = ranked.kind AND cache_entry.key = ranked.key AND ranked.kept > %s
"""


class SharedCache(Cache):
    """The cache in a database, whose own clock is used unless there is another."""

    def __init__(self, database: Database, *, most: int = MOST, clock: Callable[[], float] | None = None) -> None:
        super().__init__(Path(), most=most)
        self._database = database
        self._now = clock

    async def _in_thread(self, call: Callable[[], Result]) -> Result:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._database.threads, call)
        except DatabaseError as error:
            raise CacheError(Notice("cache_unusable", error=error.bare), where=error.where) from error

    def _do(self, query: str, **values: Any) -> list[Row]:
        return self._database.rows(query, {"now": self._now and self._now(), **values})

    def _get(self, kind: str, key: str, max_age: float | None) -> CacheEntry | None:
        rows = self._do(_GET, kind=kind, key=key)
        if not rows or (max_age is not None and rows[0][2] > max_age):
            return None
        value, data, age, unused = rows[0]
        if unused > FRESHLY:
            self._do(_USED, kind=kind, key=key)
        return CacheEntry(json.loads(value), data, age)

    def _drop(self, kind: str, key: str) -> None:
        self._do("DELETE FROM cache_entry WHERE kind = %(kind)s AND key = %(key)s", kind=kind, key=key)

    def _store(self, kind: str, key: str, text: str, data: bytes, size: int, lasts: float) -> None:
        self._do(_PUT, kind=kind, key=key, value=text.encode(), data=data, size=size, lasts=lasts)

    def _sweep(self) -> None:
        self._do(f"DELETE FROM cache_entry WHERE ends_at <= {_NOW}")  # noqa: S608
        [(total,)] = self._do("SELECT coalesce(sum(size), 0)::bigint FROM cache_entry")
        if total > self.most * (1 - SLACK):
            self._database.rows(_SWEEP, [int(self.most * (1 - 2 * SLACK))])

    def _shares(self) -> list[Share]:
        rows = self._do(
            f"SELECT kind, count(*), sum(size)::bigint, {_NOW} - min(stored_at), {_NOW} - max(stored_at)"  # noqa: S608
            " FROM cache_entry GROUP BY kind ORDER BY kind"
        )
        return [Share(*row) for row in rows]

    def _clear(self, kind: str | None, older_than: float) -> int:
        rows = self._do(
            f"DELETE FROM cache_entry WHERE stored_at <= {_NOW} - %(age)s"  # noqa: S608
            " AND (%(kind)s::text IS NULL OR kind = %(kind)s) RETURNING 1",
            age=older_than,
            kind=kind,
        )
        return len(rows)
