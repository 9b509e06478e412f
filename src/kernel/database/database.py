"""A PostgreSQL database that several machines share, and its connections."""

import atexit
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property, lru_cache
from typing import Any, Final, TypeAlias, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg_pool import ConnectionPool, PoolTimeout

from ..errors import DatabaseError
from ..url import masked
from .listener import Listener
from .schema import migrate

CONNECTIONS: Final = 8  # connections of a process at most; a run holds one only while it writes
CONNECT: Final = 5  # seconds to wait for a connection
RECONNECT: Final = 1.0
"""Seconds for which the pool retries by itself; short, because its pauses grow, and `Database.use` retries anyway."""

PATIENCE: Final = 30.0  # seconds that a writer waits for an unreachable database
ASLEEP: Final = 10.0
"""Seconds until the database ends the idle transaction of a process that was paused, and frees its locks for others.

As long as a lease (`LASTS`): from then on another machine may take over the run.
"""

PAUSE: Final = 0.25  # seconds between the first two attempts to reach the database
AWAY: Final = (psycopg.OperationalError, psycopg.InterfaceError, PoolTimeout)
"""The errors of an unreachable database, or of a temporary fault such as a full disk."""

TOO_MUCH: Final = psycopg.errors.ProgramLimitExceeded
"""The error for a value above a limit of the database; retries are useless, although it is an OperationalError."""

AGAIN: Final = (
    psycopg.errors.SerializationFailure,
    psycopg.errors.DeadlockDetected,
    psycopg.errors.ForeignKeyViolation,  # a text that another run is deleting
    psycopg.errors.IdleInTransactionSessionTimeout,  # this process was paused for longer than `ASLEEP`
)
"""The errors of a transaction that can be repeated: it conflicted with another one, or was ended while idle."""

_LOCK: Final = "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))"

Result = TypeVar("Result")
Row: TypeAlias = tuple[Any, ...]


class Database:
    """A database at a URL, which errors show without the password. Its methods block.

    The tables are created or migrated before the first use. `patience` is how many seconds writers wait while the
    database is unreachable, `asleep` how many seconds a transaction may be idle. Raises DatabaseError.
    """

    def __init__(self, url: str, *, patience: float = PATIENCE, asleep: float = ASLEEP) -> None:
        self.where = masked(url)
        self.patience = patience
        if not _is_address(url):
            raise DatabaseError(
                "The value is not the URL of a PostgreSQL database",  # not shown: its password cannot be located
                where="database_url",
                remedy='Write it as "postgresql://user:password@host:5432/name".',
            )
        self._url = url
        session = f"-c search_path=spyglass,public -c idle_in_transaction_session_timeout={1000 * asleep:.0f}"
        self._options: dict[str, Any] = {"autocommit": True, "connect_timeout": CONNECT, "options": session}

    @cached_property
    def _pool(self) -> "ConnectionPool[psycopg.Connection[Any]]":
        """The connection pool, to a database whose schema has been migrated to this version."""
        with psycopg.connect(self._url, **self._options) as db:
            migrate(db, self.where)
        return ConnectionPool(
            self._url,
            kwargs=self._options,
            min_size=0,
            max_size=CONNECTIONS,
            open=True,
            timeout=CONNECT,
            reconnect_timeout=RECONNECT,
            check=ConnectionPool.check_connection,
        )

    @cached_property
    def listener(self) -> Listener:
        """The listener for notifications of other processes."""
        return Listener(self._url, **self._options)

    @cached_property
    def threads(self) -> ThreadPoolExecutor:
        """The threads in which event loops make blocking calls."""
        return ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="spyglass-database")

    def use(self, work: "Callable[[psycopg.Connection[Any]], Result]", *, waits: bool = False) -> Result:
        """Return the result of `work` in one transaction; retry conflicts and, with `waits`, an unreachable database.

        Raises DatabaseError if the database stays unreachable, with `waits` for `patience` seconds.
        """
        ends, pause = time.monotonic() + (self.patience if waits else 0.0), PAUSE
        while True:
            try:
                with self._pool.connection() as db, db.transaction():
                    return work(db)
            except AGAIN as error:
                if time.monotonic() > ends + PATIENCE:
                    raise self.trouble(error) from None
            except AWAY as error:
                if isinstance(error, TOO_MUCH) or time.monotonic() + pause > ends:
                    raise self.trouble(error) from None
            except psycopg.Error as error:
                raise self.trouble(error) from None
            time.sleep(pause)
            pause = min(2 * pause, 2.0)

    def rows(self, query: str, values: Sequence[Any] | Mapping[str, Any] = (), *, waits: bool = False) -> list[Row]:
        """Return the rows of a query, or an empty list for one without rows. Retries and raises like `use`."""

        def fetch(db: "psycopg.Connection[Any]") -> list[Row]:
            cursor = db.execute(query.encode(), values or None)
            return cursor.fetchall() if cursor.description else []

        return self.use(fetch, waits=waits)

    @contextmanager
    def locked(self, name: str, wait: float = 0.0) -> Iterator[None]:
        """Hold the lock of a name on a separate connection; the database frees the lock of a dead process.

        Raises BlockingIOError if another process still holds it after `wait` seconds.
        """
        try:
            with psycopg.connect(self._url, **self._options) as db:
                ends = time.monotonic() + wait
                while db.execute(_LOCK, (name,)).fetchone() != (True,):
                    if time.monotonic() > ends:
                        raise BlockingIOError(f"Another process has locked {name}")
                    time.sleep(PAUSE / 5)
                yield
        except psycopg.Error as error:
            raise self.trouble(error) from None

    def trouble(self, error: Exception) -> DatabaseError:
        """Return the DatabaseError for an exception, without the password of the URL."""
        message = " ".join(str(error).split()) or type(error).__name__
        return DatabaseError(
            f"The database cannot be used: {masked(message)}",
            where=self.where,
            remedy="Check that it runs and is reachable from this machine. Recorded answers are not requested again.",
        )

    def close(self) -> None:
        """Close all connections once running work has ended; the next use reopens them."""
        if "listener" in self.__dict__:
            self.listener.close()
            del self.listener
        if "threads" in self.__dict__:
            self.threads.shutdown()
            del self.threads
        if "_pool" in self.__dict__:
            self._pool.close()
            del self._pool


def _is_address(url: str) -> bool:
    try:
        return url.startswith(("postgresql://", "postgres://")) and bool(conninfo_to_dict(url))
    except psycopg.Error:
        return False


@lru_cache
def database_at(url: str) -> Database:
    """Return this process's database at a URL. Raises DatabaseError for an invalid URL."""
    database = Database(url)
    atexit.register(database.close)
    return database
