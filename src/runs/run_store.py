"""Where runs are kept: one folder each, under `runs` of the data folder."""

import asyncio
import os
import shutil
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ..kernel.database import database_of
from ..kernel.errors import LeaseError, UnknownRunError, UsageError
from ..kernel.host import hold, private_folder, write_private
from ..kernel.journal import Journal
from ..kernel.settings import Settings
from .event_log import LoggedEvent, events_after
from .stored import INTERRUPTED, PLANNED, RUNNING, UNREADABLE, StoredRun

JOURNAL: Final = "journal.sqlite"
LAST: Final = "last"
DAY: Final = 86_400.0  # seconds
MOST_RESUMED: Final = 3  # times that managers go on with a run: one that ends its process is not begun for ever
BEGINS: Final = 30.0  # seconds in which a process begins with a run that a manager gives it
LOOK: Final = 0.1  # seconds between two looks at what has happened in a run that is kept in files
MOST_NAMED: Final = 5  # runs that an error names
MANAGED: Final = "managed"  # a file beside the journal of a manager's run, with the owner's name
RESUMED: Final = "resumed"  # a file beside its journal that has a byte for each time a manager went on with a run
STOPPED: Final = "stopped"  # a file beside the journal of a run that was stopped: no process goes on with it


@dataclass(frozen=True)
class RunStore:
    """The runs under a data folder. All of its methods block."""

    data_dir: Path
    _ended: dict[Path, tuple[int, StoredRun]] = field(default_factory=dict, compare=False, repr=False)

    @staticmethod
    def of(settings: Settings) -> "RunStore":
        """Return the runs under the settings' data folder, or those of the database that they name."""
        if settings.database_url is None:
            return RunStore(settings.data_dir)
        database = database_of(settings)
        from .shared_store import SharedRunStore

        return SharedRunStore(settings.data_dir, database=database)

    def all(self, most: int | None = None) -> list[StoredRun]:
        """Return every run, or so many of them, the latest first."""
        return sorted(map(StoredRun.at, self.journals()), key=lambda run: (run.began, run.id), reverse=True)[:most]

    def find(self, name: str) -> StoredRun:
        """Return the run of that id, or beginning of one; `last` is the first that `all` lists; or a file.

        Raises UnknownRunError, which names the runs that it could be.
        """
        if (file := Path(name)).is_file():
            return StoredRun.at(file)
        chosen = self.all(1) if name == LAST else self._beginning(name) if name else []
        if len(chosen) == 1:
            return self.fetch(chosen[0])
        known = ", ".join(run.id for run in (chosen or self.all(MOST_NAMED))[:MOST_NAMED]) or "none"
        none = "There is no run yet" if name == LAST else f'There is no run "{name}"'
        what = f'{len(chosen)} runs begin with "{name}"' if chosen else none
        raise UnknownRunError(what, where=self._where, remedy=f"Runs: {known}. `spyglass runs` lists them.")

    def _beginning(self, name: str) -> list[StoredRun]:
        return [StoredRun.at(path) for path in self.journals() if path.parent.name.startswith(name)]

    @property
    def _where(self) -> str:
        return str(self._folder)

    def fetch(self, run: StoredRun) -> StoredRun:
        """Return a run with its journal where its path says, up to date."""
        return run

    def keep(self, journal: Path) -> None:
        """Have a run be among these whose journal was written where it belongs."""

    def keeps(self, journal: Path) -> bool:
        """Say whether a journal lies where the user's runs are kept: one that lies elsewhere anybody may have made."""
        above = journal.parent / ".."  # as the system has it, whatever links lead there
        return self._folder.exists() and above.samefile(self._folder) and not journal.is_symlink()

    def forget(self, run: StoredRun) -> None:
        """Delete all that is kept of a run. Raises LeaseError while a process is at it."""
        if run.outcome == RUNNING:
            raise LeaseError(f"The run {run.id} has not ended", where=str(run.path), remedy="Stop it first.")
        if not self.keeps(run.path):
            raise UnknownRunError("That is a file, no run that is kept here", where=str(run.path))
        shutil.rmtree(run.path.parent)

    def sweep(self, days: float) -> list[str]:
        """Forget the runs that nothing was written to for so many days, and return their ids; 0 keeps all."""
        before = time.time() - days * DAY
        old = [path for path in self.journals() if days and _touched(path) < before]
        forgotten = [run for run in map(StoredRun.at, old) if run.outcome != RUNNING]
        for run in forgotten:
            self.forget(run)
        return [run.id for run in forgotten]

    def place(self, name: str) -> Path:
        """Return where the journal of a run of this id is."""
        return self._folder / name / JOURNAL

    @contextmanager
    def served(self) -> Iterator[None]:
        """Be the one service over these runs. Raises UsageError while another process is that."""
        private_folder(self.data_dir)
        try:
            with hold(self.data_dir / "service.lock"):
                yield
        except BlockingIOError as error:
            raise UsageError(
                "Another service is at these runs",
                where=str(self.data_dir),
                remedy="Give each a data_dir of its own, or have them share a database: set database_url.",
            ) from error

    # Those that a manager began

    def manage(self, run_id: str, owner: str) -> None:
        """Have a run be one of a manager's, and of an owner, "" for nobody's."""
        write_private(self._beside(run_id, MANAGED), owner.encode())

    def managed(self, owner: str | None) -> list[StoredRun]:
        """Return the runs that a manager began, those of an owner or all, the latest first.

        A journal that has ended is read again only when it has changed.
        """
        there = self.journals()
        for gone in {*list(self._ended)}.difference(there):
            self._ended.pop(gone, None)
        own = [journal for journal in there if self.owns(owner, journal.parent.name)]
        return sorted(map(self._stored, own), key=lambda run: (run.began, run.id), reverse=True)

    def owns(self, owner: str | None, run_id: str) -> bool:
        """Say whether a manager began a run, and an owner sees it; None sees all."""
        try:
            return self._beside(run_id, MANAGED).read_text(encoding="ascii") == owner or owner is None
        except FileNotFoundError:
            return False

    def status(self, run_id: str) -> StoredRun:
        """Return how a run of that id stands."""
        return StoredRun.at(self.place(run_id))

    def events(self, run_id: str, after: int) -> list[LoggedEvent]:
        """Return what has happened in a run behind the event with that id, a part of it when it is much."""
        return events_after(self.place(run_id), after)

    @asynccontextmanager
    async def following(self, run_id: str) -> AsyncIterator[Callable[[], Awaitable[object]]]:  # noqa: ARG002 it looks
        """Give what waits until something may have happened in a run; it looks again soon, for nobody tells."""
        yield lambda: asyncio.sleep(LOOK)

    @contextmanager
    def admitting(self, owner: str) -> Iterator[None]:  # noqa: ARG002 there is no other service
        """Be the one service that begins runs for an owner."""
        yield

    def expect(self, run_id: str, seconds: float) -> None:
        """Have others know that a process begins with a run within so many seconds; 0 that none does any more."""

    def is_awaited(self, run_id: str) -> bool:  # noqa: ARG002 nobody else goes on with it
        """Say whether a machine goes on before long with a run that was cut."""
        return False

    def counts(self) -> dict[str, int]:
        """Return how many runs there are, by how they stand, as far as it is told without reading each."""
        return {"kept": len(self.journals())}

    def left(self) -> list[str]:
        """Return the runs of managers that no process is at, and that neither ended nor were to stop."""
        left = (run.id for run in self.managed(None) if run.outcome == INTERRUPTED)
        return [run_id for run_id in left if not self.stop_asked(run_id)]

    def cut(self) -> list[str]:
        """Return the runs that another machine's service began and cannot end: none, without a database."""
        return []

    def take_up(self, run_id: str) -> bool:
        """Note that a manager goes on with a run, and say whether it may: MOST_RESUMED times, and no other does."""
        with self._beside(run_id, RESUMED).open("ab") as times:
            times.write(b".")
            return times.tell() <= MOST_RESUMED

    def ask_to_stop(self, run_id: str) -> None:
        """Have a run stop that has begun, as soon as its process has; it then writes a report of what is there."""
        self._beside(run_id, STOPPED).touch(mode=0o600)
        with Journal(self.place(run_id), readonly=True) as journal:
            process = journal.holder()
        if process is not None:
            os.kill(process, signal.SIGINT)

    def stop_asked(self, run_id: str) -> bool:
        """Say whether a run was to stop.

        Who looks when it has the lease misses nobody who asks before he sees it held.
        """
        return self._beside(run_id, STOPPED).exists()

    def _stored(self, journal: Path) -> StoredRun:
        changed = journal.stat().st_mtime_ns
        if (kept := self._ended.get(journal)) and kept[0] == changed:
            return kept[1]
        run = StoredRun.at(journal)
        if run.outcome not in (RUNNING, INTERRUPTED, PLANNED, UNREADABLE):
            self._ended[journal] = changed, run
        return run

    def _beside(self, run_id: str, name: str) -> Path:
        return self.place(run_id).with_name(name)

    @property
    def _folder(self) -> Path:
        return self.data_dir / "runs"

    def journals(self) -> list[Path]:
        """Return where the journals of all runs are, in the order of their ids."""
        return sorted(self._folder.glob(f"*/{JOURNAL}"))


def _touched(path: Path) -> float:
    """Return when anything of a run was last written, in seconds since 1970; who only looks leaves an empty log."""
    written = path.stat().st_mtime
    with suppress(FileNotFoundError):  # the log goes with the process that ends
        log = path.with_name(f"{path.name}-wal").stat()
        written = max(written, log.st_mtime) if log.st_size else written
    return written
