"""The cache that all runs share: pages, answers and conversions, in one SQLite file of bounded size."""

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from ..cleanup import rollback_on_error, transaction
from ..database import database_of
from ..errors import CacheError
from ..host import private_file, private_folder
from ..notice import Notice

if TYPE_CHECKING:
    from ..run import Run
    from ..settings import Settings


FORMAT: Final = 3  # incremented whenever the table changes; a cache of another format is emptied
MOST: Final = 200_000_000
"""Bytes of values that a cache keeps; beyond them the least recently used entries are deleted."""

SLACK: Final = 0.1
"""The fraction of `most` that a sweep frees in addition, so that the next sweep is not due at once."""

DAY: Final = 86_400.0  # seconds
FRESHLY: Final = 60.0  # seconds after a use in which further uses are not recorded, so that reading seldom writes
LONGEST_WAIT: Final = 5.0  # seconds that a write waits for another process's write

_TABLES: Final = (
    "DROP TABLE IF EXISTS entry",
    """CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, bytes BLOB NOT NULL,
    size INTEGER NOT NULL, stored_at REAL NOT NULL, used_at REAL NOT NULL, ends_at REAL NOT NULL,
    UNIQUE (kind, key))""",
    "CREATE INDEX entry_use ON entry (used_at, size)",
    "CREATE INDEX entry_end ON entry (ends_at)",
    f"PRAGMA user_version = {FORMAT}",
)

_GET: Final = """
SELECT value, bytes, {now} - stored_at, {now} - used_at FROM {table}
WHERE kind = :kind AND key = :key AND ends_at > {now}
"""
_USED: Final = "UPDATE {table} SET used_at = {now} WHERE kind = :kind AND key = :key"
_DROP: Final = "DELETE FROM {table} WHERE kind = :kind AND key = :key"
_PUT: Final = """
INSERT INTO {table} (kind, key, value, bytes, size, stored_at, used_at, ends_at)
VALUES (:kind, :key, :value, :data, :size, {now}, {now}, {now} + :lasts)
ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value, bytes = excluded.bytes, size = excluded.size,
    stored_at = excluded.stored_at, used_at = excluded.used_at, ends_at = excluded.ends_at
"""
_EXPIRE: Final = "DELETE FROM {table} WHERE ends_at <= {now}"
_TOTAL: Final = "SELECT CAST(COALESCE(SUM(size), 0) AS bigint) FROM {table}"
_SWEEP: Final = """
DELETE FROM {table} WHERE (kind, key) IN (
    SELECT kind, key
    FROM (SELECT kind, key, SUM(size) OVER (ORDER BY used_at DESC, kind, key) AS kept FROM {table}) AS ranked
    WHERE kept > :most
)
"""
_SHARES: Final = """
SELECT kind, COUNT(*), CAST(SUM(size) AS bigint), {now} - MIN(stored_at), {now} - MAX(stored_at)
FROM {table} GROUP BY kind ORDER BY kind
"""
_CLEAR: Final = """
DELETE FROM {table} WHERE stored_at <= {now} - :age AND (CAST(:kind AS text) IS NULL OR kind = :kind) RETURNING 1
"""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """A cached entry: a JSON value, bytes, and its age in seconds."""

    value: Any
    data: bytes
    age: float


@dataclass(frozen=True, slots=True)
class Share:
    """The entries of one kind: their number, their bytes, and the ages in seconds of the oldest and the newest."""

    kind: str
    entries: int
    size: int
    oldest: float
    newest: float


class Cache:
    """A cache in one file, for several runs and processes at once. Use it as `async with Cache(path) as cache:`.

    All work is done in a thread of its own. Expired entries are deleted when the file is opened and after many writes,
    then, above `most` bytes, the least recently used. `clock` returns seconds.
    """

    def __init__(self, path: Path, *, most: int = MOST, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self.most = most
        self._clock = clock
        self._db: sqlite3.Connection | None = None
        self._unswept = 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="spyglass-cache")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        self._thread.submit(self._close)
        await asyncio.to_thread(self._thread.shutdown)

    async def get(self, kind: str, key: str, *, max_age: float | None = None) -> CacheEntry | None:
        """Return the entry of a key, unless it is older than `max_age` seconds. Raises CacheError."""
        return await self._in_thread(lambda: self._get(kind, key, max_age))

    async def put(self, kind: str, key: str, value: Any, data: bytes = b"", *, lasts: float = DAY) -> None:
        """Store a JSON value and bytes for `lasts` seconds, replacing the entry of the key.

        Raises CacheError.
        """
        await self._in_thread(lambda: self._put(kind, key, value, data, lasts))

    async def shares(self) -> list[Share]:
        """Return the statistics of each kind, sorted by kind. Raises CacheError."""
        return await self._in_thread(lambda: [Share(*row) for row in self._rows(_SHARES)])

    async def clear(self, kind: str | None = None, *, older_than: float = 0.0) -> int:
        """Delete entries of at least this age in seconds, of one kind or all, and free their disk space.

        Returns the number of deleted entries. Raises CacheError.
        """
        return await self._in_thread(lambda: self._clear(kind, older_than))

    async def _in_thread(self, call: Callable[[], Result]) -> Result:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, call)
        except (OSError, sqlite3.Error) as error:
            what, remedy = Notice("cache_unusable", error=str(error)), Notice("cache_may_be_deleted")
            raise CacheError(what, where=str(self.path), remedy=remedy) from error

    def _get(self, kind: str, key: str, max_age: float | None) -> CacheEntry | None:
        rows = self._rows(_GET, kind=kind, key=key)
        if not rows or (max_age is not None and rows[0][2] > max_age):
            return None
        value, data, age, unused = rows[0]
        if unused > FRESHLY:
            with suppress(sqlite3.OperationalError):  # another process is writing: this use is not recorded
                self._rows(_USED, kind=kind, key=key)
        try:
            return CacheEntry(json.loads(value), data, max(0.0, age))
        except (TypeError, ValueError):  # not written by us
            return None

    def _put(self, kind: str, key: str, value: Any, data: bytes, lasts: float) -> None:
        text = json.dumps(value).encode()
        size = len(text) + len(data)
        if size > self.most:
            self._rows(_DROP, kind=kind, key=key)
            return
        self._rows(_PUT, kind=kind, key=key, value=text, data=data, size=size, lasts=lasts)
        self._unswept -= size
        if self._unswept <= 0:
            self._sweep()
            self._unswept = int(self.most * SLACK)

    def _clear(self, kind: str | None, older_than: float) -> int:
        deleted = self._rows(_CLEAR, kind=kind, age=older_than)
        if deleted:
            self._free_space()
        return len(deleted)

    def _sweep(self) -> None:
        """Delete expired entries and, when there are too many bytes, the least recently used ones."""
        self._rows(_EXPIRE)
        [(total,)] = self._rows(_TOTAL)
        if total > self.most * (1 - SLACK):
            self._rows(_SWEEP, most=int(self.most * (1 - 2 * SLACK)))

    def _rows(self, query: str, **values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query template with the placeholders `table` and `now`, the time."""
        sql = query.format(table="entry", now=":now")
        return self._opened().execute(sql, {"now": self._clock(), **values}).fetchall()

    def _free_space(self) -> None:
        with suppress(sqlite3.OperationalError):  # another process uses the file: the space is reused anyway
            self._opened().execute("VACUUM")

    def _opened(self) -> sqlite3.Connection:
        if self._db is None:
            private_folder(self.path.parent)
            private_file(self.path)
            db = sqlite3.connect(self.path, isolation_level=None, timeout=LONGEST_WAIT)
            with rollback_on_error(db.close):
                _prepare(db, self._clock())
            self._db = db
        return self._db

    def _close(self) -> None:
        if self._db is not None:
            self._db.close()


def _prepare(db: sqlite3.Connection, now: float) -> None:
    _use_wal(db)
    db.execute("PRAGMA synchronous=NORMAL")
    with transaction(db):
        if db.execute("PRAGMA user_version").fetchone()[0] != FORMAT:
            for statement in _TABLES:
                db.execute(statement)
        db.execute("DELETE FROM entry WHERE ends_at <= ?", (now,))


def _use_wal(db: sqlite3.Connection) -> None:
    """Switch to a write-ahead log; SQLite itself does not wait for another process that is switching."""
    ends = time.monotonic() + LONGEST_WAIT
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.02)


async def cache_of(run: "Run") -> Cache:
    """Return the cache that a run shares with all runs of the same `data_dir` or database."""
    settings = run.settings
    key = ("cache", settings.data_dir, settings.database_url, settings.cache.megabytes)
    return await run.shared(key, lambda: cache_at(settings))


def cache_at(settings: "Settings") -> Cache:
    """Return the cache of the settings, not yet opened."""
    most = int(settings.cache.megabytes * 1_000_000)
    if settings.database_url is None:
        return Cache(settings.data_dir / "cache.sqlite", most=most)
    database = database_of(settings)
    from .shared import SharedCache

    return SharedCache(database, most=most)
