"""A journal that is copied to PostgreSQL, so that any machine can resume the run."""

import asyncio
import hashlib
import json
import os
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from psycopg import Connection

from ..database.database import Database
from ..database.listener import TELL
from ..database.texts import drop_unheld, keep_texts
from ..errors import JournalError, LeaseError
from ..events import Event
from ..host import birth_of, is_gone, machine
from ..thread import in_thread
from .journal import Durability, Journal
from .lease import LASTS, taken_over
from .tables import Rows

Db: TypeAlias = Connection[Any]
Change: TypeAlias = tuple[str, tuple[Any, ...]]
"""A row inserted into a table, or another step in the same order, such as to renew or release the lease."""

_INSERT: Final = {
    "run": "INSERT INTO fact VALUES (%s, %s, %s) ON CONFLICT (run, name) DO UPDATE SET value = excluded.value",
    "effect": "INSERT INTO effect VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
    "message": "INSERT INTO message VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING",
    "phase": "INSERT INTO phase VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
}
_SELECT: Final = {
    "run": "SELECT name, value FROM fact WHERE run = %s",
    "effect": "SELECT seq, key, kind, request, answer, error, began, ended FROM effect WHERE run = %s",
    "message": "SELECT seq, sender, body FROM message WHERE run = %s",
    "phase": "SELECT seq, name, status, after, at FROM phase WHERE run = %s",
    "snapshot": "SELECT hash, text FROM snapshot JOIN held_snapshot USING (hash) WHERE run = %s",
}
_BYTES: Final = {"run": (1,), "effect": (3, 4, 5), "message": (2,), "phase": ()}
"""The columns of a row that are bytes in PostgreSQL."""

SHARED: Final = "shared"  # marks the journal of a run that is, or was, in the database
_OWN: Final = "/"
"""Separates the id of a run from the name of a text that only this run has, as its name is not its SHA-256."""


class SharedJournal(Journal):
    """A journal in a file of this machine; a thread writes each change, in order, to PostgreSQL.

    Reads use the file; only `flush` waits for the database. The lease is a row of the database with a fencing token
    that grows each time the lease is taken. Each transaction checks the token, so a process that has lost the lease
    writes nothing. While the database is unreachable, changes wait; if it stays so, DatabaseError ends the run, and the
    missing changes are copied from the file when the run is resumed on this machine.
    """

    path: Path
    renewed_after = 1.0

    def __init__(self, path: Path, database: Database, *, durability: Durability = "process") -> None:
        super().__init__(path, durability=durability)
        self.run_id = path.parent.name
        self._database = database
        self._waits_for_disk = durability == "power"
        self._token = self._version = 0
        self._waiting: list[Change | Future[None]] = []
        self._group: list[Change] | None = None
        self._is_writing = False
        self._broken: JournalError | None = None

    # The lease

    def take(self) -> None:
        """Take the lease, and copy the run's rows from the database. Blocks. Raises LeaseError."""
        claim, rows = self._database.use(lambda db: (take_lease(db, self.run_id), rows_of(db, self.run_id)))
        mark_shared(self.path)
        self._token, self._version = claim
        if not self.seize(rows):
            self._add(("all", ()))

    async def take_async(self) -> None:
        """Take the lease, in a thread."""
        await in_thread(self.take)

    def renew(self) -> bool:
        """Renew the lease in the thread; return False once another process is known to have taken it."""
        if not isinstance(self._broken, LeaseError):
            super().renew()
            self._add(("hold", ()))
        return not isinstance(self._broken, LeaseError)

    def release(self) -> None:
        """Release the lease in the thread, after all recorded changes."""
        self._add(("release", ()))
        super().release()

    def publish(self, event: Event) -> None:
        """Publish an event to all machines, in the thread."""
        self._add(("event", (json.dumps(event.to_record(), default=str).encode(),)))

    # Contents

    async def flush(self) -> None:
        """Wait until the database has all changes recorded so far. Raises DatabaseError and LeaseError."""
        await asyncio.wrap_future(self._flush_soon())

    @contextmanager
    def together(self) -> Iterator[None]:
        """Record all changes of the block, or none. Raises JournalError."""
        group: list[Change] = []
        with super().together():
            self._group = group
            try:
                yield
            finally:
                self._group = None
        self._add(*group)

    def close(self) -> None:
        """Close the file, once the database has all changes or has failed."""
        with suppress(JournalError):  # `flush` has raised it
            self._flush_soon().result()
        super().close()

    def _insert(
        self, columns: str, values: tuple[Any, ...], otherwise: str = "NOTHING", *, marks: str = ""
    ) -> int | None:
        if self._broken is not None:
            raise self._broken
        with self._lock:
            number = super()._insert(columns, values, otherwise, marks=marks)
            if number is not None:
                table = columns.split()[0]
                change = (table, values if table in ("run", "snapshot") else (number, *values))
                if self._group is None:
                    self._add(change)
                else:
                    self._group.append(change)
        return number

    def _write(self, statement: str, values: tuple[Any, ...]) -> list[Any]:
        written = super()._write(statement, values)
        if statement.lstrip().startswith("DELETE"):
            self._add(("all", ()))
        return written

    # Writing to the database

    def _add(self, *changes: "Change | Future[None]") -> None:
        with self._lock:
            self._waiting += changes
            if self._is_writing or not self._waiting:
                return
            self._is_writing = True
        self._database.threads.submit(self._write_waiting)

    def _flush_soon(self) -> "Future[None]":
        done: Future[None] = Future()
        self._add(done)
        return done

    def _write_waiting(self) -> None:
        while True:
            with self._lock:
                waiting, self._waiting = self._waiting, []
                if not waiting:
                    self._is_writing = False
                    return
            changes = [item for item in waiting if not isinstance(item, Future)]
            if changes and self._broken is None:
                try:
                    self._write_to_database(changes)
                except JournalError as error:
                    self._broken = error
            for done in waiting:
                if isinstance(done, Future) and done.set_running_or_notify_cancel():
                    if self._broken is None:
                        done.set_result(None)
                    else:
                        done.set_exception(self._broken)

    def _write_to_database(self, changes: list[Change]) -> None:
        """Write changes in one transaction, or the whole file if rows were deleted or the database has lost commits.

        A crash of the database may lose commits (`synchronous_commit = off`), which its counter of our commits shows.
        Raises LeaseError, and DatabaseError if the database stays unreachable.
        """

        def write(db: Db) -> int:
            version = self._counted(db)
            if version != self._version + 1 or any(kind == "all" for kind, _ in changes):
                forget_rows(db, self.run_id)
                insert(db, self.run_id, _changes(self.rows()))
            else:
                insert(db, self.run_id, changes)
            events = [(self.run_id, *row) for kind, row in changes if kind == "event"]
            if events:
                db.cursor().executemany("INSERT INTO event (run, record) VALUES (%s, %s)", events)
            for kind, _ in changes:
                if kind == "hold":
                    [(self.stop_asked,)] = db.execute(_HOLD, (LASTS, self.run_id)).fetchall()
                elif kind == "release":
                    db.execute(_RELEASE, (self.run_id,))
            if any(kind in ("event", "release") for kind, _ in changes):
                db.execute(TELL, (self.run_id,))
            return version

        self._version = self._database.use(write, waits=True)

    def _counted(self, db: Db) -> int:
        """Increment and return the counter of our commits. Raises LeaseError if another process has the lease."""
        if not self._waits_for_disk:
            db.execute("SET LOCAL synchronous_commit = off")
        row = db.execute(_COUNT, (self.run_id, self._token)).fetchone()
        if row is None:
            raise taken_over(self.path)
        return int(row[0])


@dataclass(frozen=True, slots=True)
class Holder:
    """The last holder of a run's lease; `seconds_left` is the rest of the lease, 0 once it was released."""

    machine: str
    pid: int
    birth: str
    seconds_left: float

    @property
    def is_there(self) -> bool:
        """Whether the lease is valid; the lease of a dead process of this machine is not."""
        return self.seconds_left > 0 and not (self.machine == machine() and is_gone(self.pid, self.birth))


HOLDER: Final = (
    "machine, coalesce(pid, 0) AS pid, birth, coalesce(extract(epoch FROM ends - clock_timestamp())::float8, 0)"
)
"""The columns of a Holder."""

_TAKE: Final = (
    "UPDATE run SET token = token + 1, machine = %s, pid = %s, birth = %s, expected = NULL,"
    " touched = clock_timestamp(), ends = clock_timestamp() + make_interval(secs => %s)"
    " WHERE id = %s RETURNING token, version"
)
_COUNT: Final = "UPDATE run SET version = version + 1 WHERE id = %s AND token = %s RETURNING version"
_HOLD: Final = (
    "UPDATE run SET touched = clock_timestamp(), ends = clock_timestamp() + make_interval(secs => %s) WHERE id = %s"
    " RETURNING stop"
)
_RELEASE: Final = "UPDATE run SET touched = clock_timestamp(), ends = NULL, stop = false WHERE id = %s"


def take_lease(db: Db, run_id: str) -> tuple[int, int]:
    """Take the lease of a run; return its token and the counter of commits. Raises LeaseError while it is held."""
    db.execute("INSERT INTO run (id) VALUES (%s) ON CONFLICT DO NOTHING", (run_id,))
    row = db.execute(f"SELECT {HOLDER} FROM run WHERE id = %s FOR UPDATE", (run_id,)).fetchone()  # noqa: S608
    if row is not None and (holder := Holder(*row)).is_there:
        raise LeaseError(
            f"Process {holder.pid} is working on this run",
            where=f"{run_id}, {holder.machine.split()[0]}",
            remedy=f"Wait until it has ended, or for {holder.seconds_left:.0f} s if it has crashed.",
        )
    values = (machine(), os.getpid(), birth_of(os.getpid()) or "", LASTS, run_id)
    [(token, version)] = db.execute(_TAKE, values).fetchall()
    return token, version


def rows_of(db: Db, run_id: str) -> Rows:
    """Return the rows of a run."""
    rows = {table: db.execute(query, (run_id,)).fetchall() for table, query in _SELECT.items()}
    return {**rows, "snapshot": [(name.rpartition(_OWN)[2], text) for name, text in rows["snapshot"]]}


def insert(db: Db, run_id: str, changes: list[Change]) -> None:
    """Add rows to a run; existing rows are kept, except facts about the run, which are replaced."""
    for table, statement in _INSERT.items():
        rows = [(run_id, *_binary(row, _BYTES[table])) for kind, row in changes if kind == table]
        if rows:
            db.cursor().executemany(statement, rows)
    texts = {_name(run_id, *text): text[1] for kind, text in changes if kind == "snapshot"}
    if texts:
        keep_texts(db, texts)
        held = [(run_id, name) for name in texts]
        db.cursor().executemany("INSERT INTO held_snapshot VALUES (%s, %s) ON CONFLICT DO NOTHING", held)


def forget_rows(db: Db, run_id: str) -> None:
    """Delete all rows of a run, and the texts that no other run or index references."""
    for table in ("fact", "effect", "message", "phase"):
        db.execute(f"DELETE FROM {table} WHERE run = %s", (run_id,))  # noqa: S608
    released = [name for (name,) in db.execute("DELETE FROM held_snapshot WHERE run = %s RETURNING hash", (run_id,))]
    drop_unheld(db, released)


def export(database: Database, run_id: str, path: Path) -> bool:
    """Update the file of a run from the database, unless a process here holds it; False if there is no such run.

    Blocks. Raises DatabaseError and JournalError.
    """

    def read(db: Db) -> Rows:
        db.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        return rows_of(db, run_id)

    rows = database.use(read)
    if rows["run"]:
        with Journal(path) as file:
            file.replace_rows(rows)
        mark_shared(path)
    return bool(rows["run"])


def import_journal(database: Database, path: Path) -> None:
    """Replace a run in the database by the run in a file. Blocks. Raises LeaseError."""
    with Journal(path, readonly=True) as file:
        changes = _changes(file.rows())

    def write(db: Db) -> None:
        run_id = path.parent.name
        take_lease(db, run_id)
        forget_rows(db, run_id)
        insert(db, run_id, changes)
        db.execute(_RELEASE, (run_id,))

    database.use(write)
    mark_shared(path)


def mark_shared(path: Path) -> None:
    """Mark a journal as shared: when the database deletes the run, the file may be deleted."""
    path.with_name(SHARED).touch(mode=0o600)


def _changes(rows: Rows) -> list[Change]:
    return [(table, tuple(row)) for table, table_rows in rows.items() for row in table_rows]


def _binary(row: tuple[Any, ...], columns: tuple[int, ...]) -> list[Any]:
    return [cell.encode() if index in columns and isinstance(cell, str) else cell for index, cell in enumerate(row)]


def _name(run_id: str, name: str, text: bytes) -> str:
    """Return the name under which a text is shared: `name` if that is its SHA-256, else a name private to the run."""
    return name if hashlib.sha256(text).hexdigest() == name else f"{run_id}{_OWN}{name}"
