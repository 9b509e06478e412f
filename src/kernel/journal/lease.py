"""The lease of a journal: which process may write to it."""

import asyncio
import os
import secrets
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..cleanup import transaction
from ..errors import JournalError, LeaseError
from ..host import birth_of, is_gone, machine

if TYPE_CHECKING:
    from .journal import Journal

LASTS: Final = 10.0  # seconds that a lease lasts unless it is renewed
RENEWED: Final = 2.5  # seconds after which its owner renews it
MARGIN: Final = 2.0  # seconds by which the clocks of two machines may differ
OWNED: Final = "(SELECT owner FROM lease) IS ?"
"""The condition of every write, checked by the statement that writes: its parameter is the writer's owner token."""


def taken_over(path: Path | None) -> LeaseError:
    """Return the error of a write after another process has taken the lease."""
    return LeaseError(
        "Another process has taken over this run; this process records nothing more",
        where=str(path),
        remedy="Check its progress with `spyglass runs`.",
    )


class Lease:
    """A row of the journal that names its owner by a random token.

    Every write compares the token, so that only one process writes. The clock only decides how soon another process may
    take over; a lease that ends too far in the future counts as expired, because the clock was set back.
    """

    def __init__(self, db: sqlite3.Connection, where: str, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._where = where
        self._clock = clock
        self.owner: str | None = None
        """The token of this process; None without a lease, which permits writes only to a journal without a lease."""

    def take(self) -> None:
        """Take the lease. Raises LeaseError while its holder is alive, or if another process is just writing."""
        try:
            with transaction(self._db):
                if (holder := self.holder()) is not None:
                    raise self._held(f"Process {holder}")
                self.seize()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            raise self._held("Another process") from error

    def _held(self, holder: str) -> LeaseError:
        remedy = f"Wait until it has ended, or for {LASTS + MARGIN:g} s if it has crashed."
        return LeaseError(f"{holder} is working on this run", where=self._where, remedy=remedy)

    def seize(self) -> None:
        """Take the lease from any holder; only for the holder of the lease in the database."""
        token = secrets.token_hex(8)
        self._db.execute(
            "INSERT OR REPLACE INTO lease VALUES (1, ?, ?, ?, ?, ?)",
            (token, machine(), os.getpid(), birth_of(os.getpid()) or "", self._clock() + LASTS),
        )
        self.owner = token

    def renew(self) -> bool:
        """Renew the lease; return False if another process has taken it."""
        query = "UPDATE lease SET ends = ? WHERE owner = ? RETURNING 1"  # `rowcount` may be another thread's
        return bool(self._db.execute(query, (self._clock() + LASTS, self.owner)).fetchall())

    def release(self) -> None:
        """Release the lease, if this process holds it."""
        self._db.execute("DELETE FROM lease WHERE owner = ?", (self.owner,))

    def holder(self) -> int | None:
        """Return the id of the process that holds the lease; None if the process is gone or the lease has expired."""
        rows = self._db.execute("SELECT machine, pid, birth, ends FROM lease").fetchall()
        if not rows:
            return None
        where, pid, birth, ends = rows[0]
        left = ends - self._clock()
        if left < -MARGIN or left > LASTS + MARGIN or (where == machine() and is_gone(pid, birth)):
            return None
        return int(pid)


@asynccontextmanager
async def hold_lease(journal: "Journal", stop: Callable[[], None]) -> AsyncIterator[None]:
    """Hold the lease and renew it; call `stop` when another process takes it, or the run is asked to stop.

    Raises LeaseError if another process holds it.
    """
    await journal.take_async()
    renewing = asyncio.create_task(_keep_renewing(journal, stop))
    try:
        yield
    finally:
        renewing.cancel()
        with suppress(asyncio.CancelledError):
            await renewing
        await journal.flush()
        with suppress(JournalError):  # for example a full disk: the lease expires by itself
            journal.release()


async def _keep_renewing(journal: "Journal", stop: Callable[[], None]) -> None:
    while True:
        await asyncio.sleep(journal.renewed_after)
        try:
            ours = journal.renew()
            await journal.flush()
        except LeaseError:
            ours = False
        except JournalError:  # busy or full for now: the next write checks the lease
            continue
        if not ours or journal.stop_asked:
            stop()
        if not ours:
            return
