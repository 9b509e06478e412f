"""What is watched: a question, when it is asked again, and the report that the next one is compared with."""

import secrets
from contextlib import AbstractContextManager
from datetime import UTC, datetime
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
from ..runs.kept import kept
from .changes import ValueChange

if TYPE_CHECKING:
    from ..kernel.database.database import Database

MOST_NEWS: Final = 50  # notices of a watch that are kept


class News(BaseModel, frozen=True):
    """What was found changed at a time, an ISO time in UTC; `run` made the report that says so."""

    at: str
    run: str
    changes: list[ValueChange]


class Watch(BaseModel, extra="forbid"):
    """A question that is asked again when the cron expression `every` says, by the clock of this machine.

    `settings` are as the runs keep them. `due` and `checked` are ISO times with their offset, `problem` is what
    kept the last check from an answer, `run` the one whose report the next is compared with.
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
        """Say whether it is time."""
        return datetime.fromisoformat(self.due) <= now


class WatchStore:
    """The watches under a data folder. All of its methods block."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / "watches"

    @staticmethod
    def of(settings: Settings) -> "WatchStore":
        """Return the watches under the settings' data folder, or those of the database that they name."""
        if settings.database_url is None:
            return WatchStore(settings.data_dir)
        return SharedWatches(settings.data_dir, database_of(settings))

    def add(self, question: str, every: str, settings: Settings) -> Watch:
        """Keep a question to be asked again, the first time at once. Raises UsageError for a schedule that is none."""
        asked, now = checked_question(question), datetime.now().astimezone()
        next_time(every, now)
        made = Watch(id=secrets.token_hex(4), question=asked, every=every, settings=kept(settings), due=now.isoformat())
        self.put(made)
        return made

    def all(self) -> list[Watch]:
        """Return the watches, by their questions."""
        found = [self._read(path) for path in self._folder.glob("*.json") if ".report." not in path.name]
        return sorted(found, key=lambda one: (one.question, one.id))

    def find(self, name: str) -> Watch:
        """Return the watch of that id, or beginning of one. Raises UnknownRunError."""
        found = [one for one in self.all() if name and one.id.startswith(name)]
        if len(found) != 1:
            known = ", ".join(one.id for one in self.all()) or "none"
            raise UnknownRunError(f"{len(found)} watches begin with {name!r}", remedy=f"Watches: {known}.")
        return found[0]

    def put(self, watch: Watch, before: Watch | None = None) -> bool:  # noqa: ARG002 a file has one who holds it
        """Keep a watch as it is now, new or in the place of `before`, and say whether it still was as it was then.

        Whoever reads meanwhile has the old one or the new one; of several who change it, one does.
        """
        write_private(self._folder / f"{watch.id}.json", watch.model_dump_json(indent=1).encode())
        return True

    def remove(self, watch: Watch) -> None:
        """Forget a watch and its report; its runs stay."""
        for path in self._folder.glob(f"{watch.id}.*"):
            path.unlink(missing_ok=True)

    def report(self, watch: Watch) -> Report | None:
        """Return the report that the next one is compared with; None before the first."""
        path = self._folder / f"{watch.id}.report.json"
        return Report.model_validate_json(path.read_bytes()) if path.exists() else None

    def put_report(self, watch: Watch, report: Report) -> None:
        """Keep the report that the next one is compared with."""
        write_private(self._folder / f"{watch.id}.report.json", report.model_dump_json().encode())

    def held(self, watch: Watch) -> AbstractContextManager[None]:
        """Hold a watch while it is checked. Raises BlockingIOError where another process does."""
        return hold(self._folder / f"{watch.id}.lock")

    def _read(self, path: Path) -> Watch:
        try:
            return Watch.model_validate_json(path.read_bytes())
        except ValidationError as error:
            raise UsageError("The watch cannot be read", where=str(path), remedy="Remove the file.") from error


class SharedWatches(WatchStore):
    """The watches in the database that several services share. All of its methods block, and raise DatabaseError."""

    def __init__(self, data_dir: Path, database: "Database") -> None:
        super().__init__(data_dir)
        self._database = database

    def all(self) -> list[Watch]:
        """Return the watches, by their questions."""
        found = [Watch.model_validate_json(record) for (record,) in self._database.rows("SELECT record FROM watch")]
        return sorted(found, key=lambda one: (one.question, one.id))

    def put(self, watch: Watch, before: Watch | None = None) -> bool:
        """Keep a watch as it is now, new or in the place of `before`, and say whether it still was as it was then."""
        now = watch.model_dump_json()
        if before is None:
            query = "INSERT INTO watch (id, record) VALUES (%s, %s) RETURNING id"
            return bool(self._database.rows(query, [watch.id, now]))
        query = "UPDATE watch SET record = %s WHERE id = %s AND record = %s RETURNING id"
        return bool(self._database.rows(query, [now, watch.id, before.model_dump_json()]))

    def remove(self, watch: Watch) -> None:
        """Forget a watch and its report; its runs stay."""
        self._database.rows("DELETE FROM watch WHERE id = %s", [watch.id])

    def report(self, watch: Watch) -> Report | None:
        """Return the report that the next one is compared with; None before the first."""
        rows = self._database.rows("SELECT report FROM watch WHERE id = %s", [watch.id])
        return Report.model_validate_json(rows[0][0]) if rows and rows[0][0] else None

    def put_report(self, watch: Watch, report: Report) -> None:
        """Keep the report that the next one is compared with."""
        query = "UPDATE watch SET report = %s WHERE id = %s"
        self._database.rows(query, [report.model_dump_json().encode(), watch.id])

    def held(self, watch: Watch) -> AbstractContextManager[None]:
        """Hold a watch while it is checked. Raises BlockingIOError where another process does."""
        return self._database.locked(f"watch {watch.id}")


def next_time(every: str, after: datetime) -> datetime:
    """Return the first time of a cron expression behind another. Raises UsageError for one that is none."""
    try:
        return next(CronSim(every, after))
    except (CronSimError, StopIteration) as error:
        raise UsageError(
            f"{every!r} is no schedule: {error or 'it never comes'}",
            where="--every",
            remedy="Give the five fields of cron: minute, hour, day, month, weekday; '0 8 * * *' is each day at 8.",
        ) from error


def now_in_utc() -> str:
    """Return the time as reports have it."""
    return datetime.now(UTC).isoformat(timespec="seconds")
