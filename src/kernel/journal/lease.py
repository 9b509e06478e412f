"""The lease of a journal: who may write to it, and until when he need not be asked again."""

import os
import secrets
import sqlite3
import time
from collections.abc import Callable
from typing import Final

from ..errors import LeaseError
from ..host import birth_of, is_gone, machine
from .tables import writing

LASTS: Final = 10.0  # seconds for which a lease holds unless it is renewed
RENEWED: Final = 2.5  # seconds after which its owner renews it
MARGIN: Final = 2.0  # seconds by which the clocks of two machines may differ
OWNED: Final = "(SELECT owner FROM lease) IS ?"
"""The condition of every write, checked by the statement that writes: its parameter is the writer's owner token."""


class Lease:
    """A row of the journal that names its owner by a token nobody else has.

    Every write compares the token: so two processes never write. The clock only decides how soon another may take over;
    a lease that ends later than any could is from before the clock was set back, and has ended.
    """

    def __init__(self, db: sqlite3.Connection, where: str, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._where = where
        self._clock = clock
        self.owner: str | None = None
        """The token with which this process writes; None without a lease, which only a free journal takes."""

    def take(self) -> None:
        """Become the owner. Raises LeaseError while another one is alive."""
        with writing(self._db):
            if (holder := self.holder()) is not None:
                raise LeaseError(
                    f"Process {holder} is at this run",
                    where=self._where,
                    remedy=f"Wait until it has ended; if it is dead, for {LASTS + MARGIN:g} s.",
                )
            self.seize()

    def seize(self) -> None:
        """Become the owner, whoever was; for who holds what goes before this lease."""
        token = secrets.token_hex(8)
        self._db.execute(
            "INSERT OR REPLACE INTO lease VALUES (1, ?, ?, ?, ?, ?)",
            (token, machine(), os.getpid(), birth_of(os.getpid()) or "", self._clock() + LASTS),
        )
        self.owner = token

    def renew(self) -> bool:
        """Have the lease hold for longer; False when it is not ours any more."""
        ours = "UPDATE lease SET ends = ? WHERE owner = ? RETURNING 1"  # `rowcount` may be another thread's
        return bool(self._db.execute(ours, (self._clock() + LASTS, self.owner)).fetchall())

    def release(self) -> None:
        """Give the lease back, if it is ours."""
        self._db.execute("DELETE FROM lease WHERE owner = ?", (self.owner,))

    def holder(self) -> int | None:
        """Return the process that has the lease, unless it is gone or has let it run out."""
        rows = self._db.execute("SELECT machine, pid, birth, ends FROM lease").fetchall()
        if not rows:
            return None
        where, pid, birth, ends = rows[0]
        left = ends - self._clock()
        if left < -MARGIN or left > LASTS + MARGIN or (where == machine() and is_gone(pid, birth)):
            return None
        return int(pid)
