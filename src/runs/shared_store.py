"""The store of runs that several machines share in PostgreSQL; journals in use are copied to this machine's folder."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from psycopg.rows import dict_row

from ..kernel.bounded_json import unpacked
from ..kernel.database import database_of
from ..kernel.database.database import Database
from ..kernel.database.listener import TELL
from ..kernel.errors import JournalError, LeaseError, UnknownRunError
from ..kernel.journal import Answer, effect_key
from ..kernel.journal.approval import KIND
from ..kernel.journal.shared import HOLDER, SHARED, Db, Holder, export, forget_rows, import_journal
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from .event_log import MOST_EVENTS, LoggedEvent
from .run_store import BEGINS, DAY, MOST_RESUMED, RunStore
from .stored import INTERRUPTED, StoredRun, rejecting_unfit_values

_LIST: Final = f"""
SELECT id, {HOLDER} AS "left", %(waits)s AND (queued IS NOT NULL OR expected > clock_timestamp()) AS waits,
    (SELECT coalesce(sum(octet_length(answer)), 0)::bigint FROM effect WHERE run = run.id) AS size,
    (SELECT array_agg(name ORDER BY name) FROM fact WHERE run = run.id AND name = ANY(%(facts)s)) AS names,
    (SELECT array_agg(value ORDER BY name) FROM fact WHERE run = run.id AND name = ANY(%(facts)s)) AS values,
    (SELECT answer FROM effect WHERE run = run.id AND key = %(plan)s) AS plan
FROM run
WHERE (%(ids)s::text[] IS NULL OR id = ANY(%(ids)s)) AND (%(begins)s::text IS NULL OR starts_with(id, %(begins)s))
    AND (%(owner)s::text IS NULL OR owner = %(owner)s) AND (NOT %(managed)s OR owner IS NOT NULL)
ORDER BY began DESC, id DESC LIMIT %(most)s
"""  # noqa: S608 the columns are ours

_LEFT: Final = f"owner IS NOT NULL AND queued IS NULL AND NOT stop AND resumed < {MOST_RESUMED}"
"""The condition of runs that a service may resume after their process is gone."""

_CUT: Final = f"(ends IS NOT NULL OR expected IS NOT NULL) AND coalesce(ends, expected) < clock_timestamp() AND {_LEFT}"
"""The condition of those among them whose lease or announced start has expired."""

_OPEN: Final = f"""
SELECT id FROM run
WHERE {_LEFT} AND (ends IS NOT NULL OR expected IS NOT NULL
    OR NOT EXISTS (SELECT 1 FROM fact WHERE run = run.id AND name = 'ended'))
"""  # noqa: S608 the condition is ours

_COUNTS: Final = f"""
SELECT count(*), count(queued), count(*) FILTER (WHERE ends > clock_timestamp()), count(*) FILTER (WHERE {_CUT})
FROM run
"""  # noqa: S608 the condition is ours

_TAKE_UP: Final = """
UPDATE run SET resumed = resumed + 1, expected = clock_timestamp() + make_interval(secs => %s)
WHERE id = %s AND resumed < %s AND queued IS NULL AND coalesce(expected < clock_timestamp(), true)
RETURNING id
"""

LOOK: Final = 1.0  # seconds without a notification after which a follower polls
WAITS: Final = 10.0  # seconds to wait for another service that is starting a run for the same owner

_SHOWN: Final = {
    "facts": ["id", "question", "began", "ended", "spent", "settings", "makes", "format"],
    "plan": effect_key(KIND, None),
    "ids": None,
    "begins": None,
    "most": None,
    "owner": None,
    "managed": False,
    "waits": True,
}
"""The default parameters of _LIST: the facts to show, and no filter."""


@dataclass(frozen=True)
class _Recorded:
    """A run as a row of _LIST contains it."""

    row: Mapping[str, Any]

    def get(self, name: str) -> Any:
        """Return a fact about the run."""
        values = dict(zip(self.row["names"] or (), self.row["values"] or (), strict=True))
        value = values.get(name, b"null")
        return json.loads(unpacked(value) if value.startswith(b"x") else value)

    def find(self, _key: str) -> Answer | None:
        """Return the approved plan, the only recorded answer that the list reads."""
        return Answer(json.loads(self.row["plan"])) if self.row["plan"] else None

    def holder(self) -> int | None:
        """Return the process that makes the run, on any machine, or the last one if another is to begin."""
        holder = Holder(*(self.row[name] for name in ("machine", "pid", "birth", "left")))
        return holder.pid if holder.is_there or self.row["waits"] else None


@dataclass(frozen=True)
class SharedRunStore(RunStore):
    """The runs in a database. All methods block, and raise DatabaseError if it cannot be used."""

    database: Database = field(kw_only=True)

    def all(self, most: int | None = None) -> list[StoredRun]:
        """Return all runs, or the `most` latest, the latest first."""
        return self._listed(most=most)

    def _beginning(self, name: str) -> list[StoredRun]:
        return self._listed(begins=name)

    @property
    def _where(self) -> str:
        return self.database.where

    def fetch(self, run: StoredRun) -> StoredRun:
        """Return a run after copying its current journal to this machine's folder. Raises UnknownRunError."""
        if not export(self.database, run.id, run.path):
            raise UnknownRunError(f'The run "{run.id}" no longer exists', where=self.database.where)
        return run

    def keep(self, journal: Path) -> None:
        """Add a run to the database; its journal is in this machine's folder. Raises LeaseError."""
        import_journal(self.database, journal)

    def forget(self, run: StoredRun) -> None:
        """Delete a run, and the texts that no other run refers to. Raises LeaseError while a process is making it."""
        if not self._forget(run.id):
            raise LeaseError(f"The run {run.id} has not ended", where=self.database.where, remedy="Stop it first.")

    def sweep(self, days: float) -> list[str]:
        """Delete the runs not written to for `days` days, and return their ids; 0 keeps all.

        This machine's copies of deleted runs are removed; runs that were never shared stay.
        """
        query = (
            "SELECT id FROM run, (SELECT now() - make_interval(secs => %s) AS oldest) AS kept"
            " WHERE began < oldest AND touched < oldest"
        )
        old = self.database.rows(query, [days * DAY]) if days else []
        deleted = [name for (name,) in old if self._forget(name)]
        copies = {journal.parent.name for journal in self.journals() if journal.with_name(SHARED).exists()}
        known = {name for (name,) in self.database.rows("SELECT id FROM run WHERE id = ANY(%s)", [list(copies)])}
        for name in copies - known:
            shutil.rmtree(self.journal_path(name).parent)
        return deleted

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Do nothing: several services may share these runs."""
        yield

    # Runs that a manager started

    def manage(self, run_id: str, owner: str) -> None:
        """Mark a run as started by a manager for an owner, "" for nobody."""
        self.database.rows("UPDATE run SET owner = %s WHERE id = %s", [owner, run_id])

    def managed(self, owner: str | None) -> list[StoredRun]:
        """Return the runs that managers started, those of one owner or all, the latest first."""
        return self._listed(owner=owner, managed=True)

    def owns(self, owner: str | None, run_id: str) -> bool:
        """Return whether a manager started a run and the owner may see it; None may see all."""
        query = "SELECT 1 FROM run WHERE id = %s AND owner IS NOT NULL AND owner = coalesce(%s, owner)"
        return bool(self.database.rows(query, [run_id, owner]))

    def status(self, run_id: str) -> StoredRun:
        """Return a run by its id. Raises UnknownRunError."""
        return self._one(run_id)

    def last_outcome(self, run_id: str) -> str:
        """Return the outcome that a run's last process left, even if another process is to begin.

        Raises UnknownRunError.
        """
        return self._one(run_id, waits=False).outcome

    def events(self, run_id: str, after: int) -> list[LoggedEvent]:
        """Return the events of a run after the one with id `after`, at most MOST_EVENTS.

        Ids ascend, and are the same for every caller.
        """
        query = "SELECT id, record FROM event WHERE run = %s AND id > %s ORDER BY id LIMIT %s"
        rows = self.database.rows(query, [run_id, after, MOST_EVENTS])
        records = [(number, json.loads(record)) for number, record in rows]
        return [LoggedEvent(number, str(record.pop("event")), record) for number, record in records]

    @asynccontextmanager
    async def following(self, run_id: str) -> AsyncIterator[Callable[[], Awaitable[object]]]:
        """Yield a function that waits until something has happened in a run, at most LOOK seconds."""
        listener = await in_thread(lambda: self.database.listener)
        with listener.listening(run_id) as changed:

            async def wait() -> None:
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK):
                        await changed.wait()
                changed.clear()

            yield wait

    @contextmanager
    def admitting(self, owner: str) -> Iterator[None]:
        """Hold the lock on starting runs for an owner. Raises BlockingIOError if another service keeps it."""
        with self.database.locked(f"admission {owner}", WAITS):
            yield

    def expect(self, run_id: str, seconds: float) -> None:
        """Announce that a process will begin a run within that many seconds; 0 withdraws the announcement."""
        query = "UPDATE run SET expected = clock_timestamp() + make_interval(secs => nullif(%s, 0)) WHERE id = %s"
        self._change(run_id, query, (seconds, run_id))

    def is_awaited(self, run_id: str) -> bool:
        """Return whether some service will soon resume a run that was cut off."""
        query = (
            f"SELECT 1 FROM run WHERE id = %s AND {_LEFT}"  # noqa: S608 the condition is ours
            " AND coalesce(ends, expected) > clock_timestamp() - make_interval(secs => %s)"
        )
        return bool(self.database.rows(query, [run_id, BEGINS]))

    def counts(self) -> dict[str, int]:
        """Return the numbers of all runs, of those queued for a worker, of those in progress, and of those cut off."""
        [row] = self.database.rows(_COUNTS)
        return dict(zip(("kept", "queued", "held", "cut"), row, strict=True))

    def interrupted(self) -> list[str]:
        """Return the ids of managed runs that no process makes and that neither ended nor were stopped."""
        ids = [name for (name,) in self.database.rows(_OPEN)]
        return [run.id for run in self._listed(ids=ids) if run.outcome == INTERRUPTED]

    def cut_off(self) -> list[str]:
        """Return the ids of managed runs whose process vanished before the run ended, the oldest first."""
        query = f"SELECT id FROM run WHERE {_CUT} ORDER BY began"  # noqa: S608 the condition is ours
        return [name for (name,) in self.database.rows(query)]

    def take_up(self, run_id: str) -> bool:
        """Count a resumption of a run by a manager; return False beyond MOST_RESUMED, or if another one resumes it."""
        return bool(self.database.rows(_TAKE_UP, [BEGINS, run_id, MOST_RESUMED]))

    def count_resumption(self, run_id: str) -> int:
        """Count a resumption of a run by a worker, and return the count."""
        query = "UPDATE run SET resumed = resumed + 1 WHERE id = %s RETURNING resumed"
        [(times,)] = self.database.rows(query, [run_id])
        return int(times)

    def ask_to_stop(self, run_id: str) -> None:
        """Ask a run to stop: its process checks for that each time it renews its lease."""
        self.database.rows("UPDATE run SET stop = true WHERE id = %s", [run_id])

    # Runs that a worker of a cluster is to make

    def queue(self, run_id: str) -> None:
        """Queue a run for the next free worker."""
        self.database.rows("UPDATE run SET queued = clock_timestamp() WHERE id = %s", [run_id])

    def leave_queue(self, run_id: str, trouble: str = "") -> None:
        """Remove from the queue a run that has ended, or that no worker can make; `trouble` is the reason."""
        query = "UPDATE run SET queued = NULL, trouble = %s WHERE id = %s"
        self._change(run_id, query, (trouble, run_id))

    def trouble(self, run_id: str) -> str:
        """Return why no worker can make a run; empty if none has failed."""
        rows = self.database.rows("SELECT trouble FROM run WHERE id = %s", [run_id])
        return str(rows[0][0]) if rows else ""

    def queued(self) -> list[tuple[str, str]]:
        """Return the queued runs as (id, owner), the longest waiting first."""
        query = "SELECT id, coalesce(owner, '') FROM run WHERE queued IS NOT NULL ORDER BY queued, id"
        return [(run_id, owner) for run_id, owner in self.database.rows(query)]

    def is_queued(self, run_id: str, *, waits: bool = False) -> bool:
        """Return whether a run is queued or a worker is making it; `waits` retries an unreachable database."""
        query = "SELECT 1 FROM run WHERE id = %s AND queued IS NOT NULL"
        return bool(self.database.use(lambda db: db.execute(query, (run_id,)).fetchall(), waits=waits))

    def stop_asked(self, run_id: str) -> bool:
        """Return whether the run was asked to stop."""
        return bool(self.database.rows("SELECT 1 FROM run WHERE id = %s AND stop", [run_id]))

    def _change(self, run_id: str, statement: str, values: tuple[Any, ...]) -> None:
        """Update a run, and notify its followers."""

        def change(db: Db) -> None:
            db.execute(statement.encode(), values)
            db.execute(TELL, (run_id,))

        self.database.use(change)

    def _one(self, run_id: str, **filters: Any) -> StoredRun:
        for run in self._listed(ids=[run_id], **filters):
            return run
        raise UnknownRunError(f'There is no run "{run_id}"', where=self.database.where)

    def _listed(self, **filters: Any) -> list[StoredRun]:
        def read(db: Db) -> list[dict[str, Any]]:
            return db.cursor(row_factory=dict_row).execute(_LIST, {**_SHOWN, **filters}).fetchall()

        return [self._of(row) for row in self.database.use(read)]

    def _of(self, row: Mapping[str, Any]) -> StoredRun:
        path, size = self.journal_path(row["id"]), row["size"]
        try:
            with rejecting_unfit_values(path):
                return replace(StoredRun.of(_Recorded(row), path, size), id=row["id"])
        except JournalError as error:
            return StoredRun(row["id"], path, size=size, problem=str(error))

    def _forget(self, run_id: str) -> bool:
        """Delete a run unless a process makes it, and return whether it is gone."""

        def forget(db: Db) -> bool:
            row = db.execute(f"SELECT {HOLDER} FROM run WHERE id = %s FOR UPDATE", (run_id,)).fetchone()  # noqa: S608
            if row is not None:
                if Holder(*row).is_there:
                    return False
                forget_rows(db, run_id)
                db.execute("DELETE FROM run WHERE id = %s", (run_id,))
            return True

        gone = self.database.use(forget)
        if gone and self.journal_path(run_id).parent.is_dir():
            shutil.rmtree(self.journal_path(run_id).parent)
        return gone


def shared_store(settings: Settings) -> SharedRunStore:
    """Return the store in the settings' database. Raises UsageError without a database."""
    return SharedRunStore(settings.data_dir, database=database_of(settings))
