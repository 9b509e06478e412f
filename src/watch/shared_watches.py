"""The watches in the database that several services share: each is checked by one of them at a time."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from ..kernel.database.database import Database
from ..report import Report
from .watch_store import Watch, WatchStore

_ADD: Final = "INSERT INTO watch (id, record) VALUES (%s, %s) RETURNING id"
_CHANGE: Final = "UPDATE watch SET record = %s WHERE id = %s AND record = %s RETURNING id"


class SharedWatches(WatchStore):
    """All of its methods block, and raise DatabaseError."""

    def __init__(self, data_dir: Path, database: Database) -> None:
        super().__init__(data_dir)
        self._database = database

    def all(self) -> list[Watch]:
        """Return the watches, by their questions."""
        rows = self._database.use(lambda db: db.execute("SELECT record FROM watch").fetchall())
        found = [Watch.model_validate_json(record) for (record,) in rows]
        return sorted(found, key=lambda one: (one.question, one.id))

    def put(self, watch: Watch, before: Watch | None = None) -> bool:
        """Keep a watch as it is now, new or in the place of `before`, and say whether it still was as it was then."""
        now = watch.model_dump_json()
        if before is None:
            return self._done(_ADD, (watch.id, now))
        return self._done(_CHANGE, (now, watch.id, before.model_dump_json()))

    def remove(self, watch: Watch) -> None:
        """Forget a watch and its report; its runs stay."""
        self._done("DELETE FROM watch WHERE id = %s RETURNING id", (watch.id,))

    def report(self, watch: Watch) -> Report | None:
        """Return the report that the next one is held against; None before the first."""
        query = "SELECT report FROM watch WHERE id = %s"
        row = self._database.use(lambda db: db.execute(query, (watch.id,)).fetchone())
        return Report.model_validate_json(row[0]) if row and row[0] else None

    def put_report(self, watch: Watch, report: Report) -> None:
        """Keep the report that the next one is held against."""
        content = report.model_dump_json().encode()
        self._done("UPDATE watch SET report = %s WHERE id = %s RETURNING id", (content, watch.id))

    def held(self, watch: Watch) -> AbstractContextManager[None]:
        """Hold a watch while it is checked. Raises BlockingIOError where another process does."""
        return self._database.locked(f"watch {watch.id}")

    def _done(self, statement: str, values: tuple[object, ...]) -> bool:
        return self._database.use(lambda db: db.execute(statement.encode(), values).fetchone()) is not None
