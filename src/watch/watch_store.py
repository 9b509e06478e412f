"""The store of watches: each is a question, its schedule, and the report that the next one is compared with."""

import secrets
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cronsim import CronSim, CronSimError
from pydantic import BaseModel, ValidationError

from ..kernel.database import database_of
from ..kernel.errors import UnknownRunError, UsageError
from ..kernel.host import hold, write_private
from ..kernel.question import checked_question
from ..kernel.settings import Settings
from ..report import Report
from ..runs.recorded_settings import settings_record
from .changes import ValueChange

if TYPE_CHECKING:
    from ..kernel.database.database import Database

MOST_NEWS: Final = 50  # latest changes that a watch keeps


class News(BaseModel, frozen=True):
    """The changes found by one check, with its ISO time in UTC; `run` made the report that states them."""

    at: str
    run: str
    changes: list[ValueChange]


class Watch(BaseModel, extra="forbid"):
    """A question that is researched again on the schedule of the cron expression `every`, in this machine's local time.

    `settings` is a `settings_record`. `due` and `checked` are ISO times with UTC offset, `problem` is why the last
    check made no report, `run` the run whose report the next one is compared with.
    """

    id: str
    question: str
    every: str
    settings: dict[str, Any]
    due: str
    checked: str = ""
    run: str = ""
    problem: str = ""
    news: list[News] = []

    def is_due(self, now: datetime) -> bool:
        """Return whether a check is due."""
        return datetime.fromisoformat(self.due) <= now


class WatchStore:
    """The watches in a data folder. All methods block."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / "watches"

    @staticmethod
    def of(settings: Settings) -> "WatchStore":
        """Return the store in the settings' data folder, or in the database that they name."""
        if settings.database_url is None:
            return WatchStore(settings.data_dir)
        return SharedWatches(settings.data_dir, database_of(settings))

    def add(self, question: str, every: str, settings: Settings) -> Watch:
        """Store a watch that is due at once, and return it. Raises UsageError for an invalid schedule."""
        question, now = checked_question(question), datetime.now().astimezone()
        next_time(every, now)
        name, due = secrets.token_hex(4), now.isoformat()
        watch = Watch(id=name, question=question, every=every, settings=settings_record(settings), due=due)
        self.put(watch)
        return watch

    def all(self) -> list[Watch]:
        """Return the watches, sorted by question."""
        watches = [self._read(path) for path in self._folder.glob("*.json") if ".report." not in path.name]
        return sorted(watches, key=lambda watch: (watch.question, watch.id))

    def find(self, name: str) -> Watch:
        """Return the watch whose id equals or begins with `name`. Raises UnknownRunError."""
        matches = [watch for watch in self.all() if name and watch.id.startswith(name)]
        if len(matches) != 1:
            known = ", ".join(watch.id for watch in self.all()) or "none"
            raise UnknownRunError(f"{len(matches)} watches begin with {name!r}", remedy=f"Known watches: {known}.")
        return matches[0]

    def put(self, watch: Watch, before: Watch | None = None) -> bool:  # noqa: ARG002 a lock guards the file
        """Store a new watch, or replace `before`; return False if the stored watch no longer equals `before`.

        A concurrent reader gets the old or the new watch; of several concurrent writers, one succeeds.
        """
        write_private(self._folder / f"{watch.id}.json", watch.model_dump_json(indent=1).encode())
        return True

    def remove(self, watch: Watch) -> None:
        """Delete a watch and its report; its runs are kept."""
        for path in self._folder.glob(f"{watch.id}.*"):
            path.unlink(missing_ok=True)

    def report(self, watch: Watch) -> Report | None:
        """Return the report that the next one is compared with; None before the first."""
        path = self._folder / f"{watch.id}.report.json"
        return Report.model_validate_json(path.read_bytes()) if path.exists() else None

    def put_report(self, watch: Watch, report: Report) -> None:
        """Store the report that the next one is compared with."""
        write_private(self._folder / f"{watch.id}.report.json", report.model_dump_json().encode())

    def hold(self, watch: Watch) -> AbstractContextManager[None]:
        """Lock a watch while it is checked. Raises BlockingIOError if another process holds the lock."""
        return hold(self._folder / f"{watch.id}.lock")

    def _read(self, path: Path) -> Watch:
        try:
            return Watch.model_validate_json(path.read_bytes())
        except ValidationError as error:
            raise UsageError("The watch cannot be read", where=str(path), remedy="Remove the file.") from error


class SharedWatches(WatchStore):
    """The watches in the database that several services share. All methods block, and raise DatabaseError."""

    def __init__(self, data_dir: Path, database: "Database") -> None:
        super().__init__(data_dir)
        self._database = database

    def all(self) -> list[Watch]:
        """Return the watches, sorted by question."""
        records = self._database.rows("SELECT record FROM watch")
        watches = [Watch.model_validate_json(record) for (record,) in records]
        return sorted(watches, key=lambda watch: (watch.question, watch.id))

    def put(self, watch: Watch, before: Watch | None = None) -> bool:
        """Store a new watch, or replace `before`; return False if the stored watch no longer equals `before`."""
        now = watch.model_dump_json()
        if before is None:
            query = "INSERT INTO watch (id, record) VALUES (%s, %s) RETURNING id"
            return bool(self._database.rows(query, [watch.id, now]))
        query = "UPDATE watch SET record = %s WHERE id = %s AND record = %s RETURNING id"
        return bool(self._database.rows(query, [now, watch.id, before.model_dump_json()]))

    def remove(self, watch: Watch) -> None:
        """Delete a watch and its report; its runs are kept."""
        self._database.rows("DELETE FROM watch WHERE id = %s", [watch.id])

    def report(self, watch: Watch) -> Report | None:
        """Return the report that the next one is compared with; None before the first."""
        rows = self._database.rows("SELECT report FROM watch WHERE id = %s", [watch.id])
        return Report.model_validate_json(rows[0][0]) if rows and rows[0][0] else None

    def put_report(self, watch: Watch, report: Report) -> None:
        """Store the report that the next one is compared with."""
        query = "UPDATE watch SET report = %s WHERE id = %s"
        self._database.rows(query, [report.model_dump_json().encode(), watch.id])

    def hold(self, watch: Watch) -> AbstractContextManager[None]:
        """Lock a watch while it is checked. Raises BlockingIOError if another process holds the lock."""
        return self._database.locked(f"watch {watch.id}")


def next_time(every: str, after: datetime) -> datetime:
    """Return the next time of a cron expression after `after`. Raises UsageError for an invalid expression."""
    try:
        return next(CronSim(every, after))
    except (CronSimError, StopIteration) as error:
        raise UsageError(
            f"{every!r} is not a schedule: {error or 'it never occurs'}",
            where="--every",
            remedy="Use the five fields of cron: minute, hour, day, month, weekday; '0 8 * * *' is every day at 8.",
        ) from error
