"""The store of runs: a folder for each run, in the folder `runs` of the data folder."""

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
MOST_RESUMED: Final = 3  # times that managers resume a run, which may be what kills its process
BEGINS: Final = 30.0  # seconds within which a process must begin a run that a manager assigned to it
LOOK: Final = 0.1  # seconds between two polls of the events of a run stored in files
MOST_NAMED: Final = 5  # runs that an error names
MANAGED: Final = "managed"  # a file beside the journal of a run that a manager started, with the owner's name
RESUMED: Final = "resumed"  # a file beside the journal with one byte for each time that a manager resumed the run
STOPPED: Final = "stopped"  # a file beside the journal of a stopped run, which no process resumes


@dataclass(frozen=True)
class RunStore:
    """The runs under a data folder. All of its methods block."""

    data_dir: Path
    _ended: dict[Path, tuple[int, StoredRun]] = field(default_factory=dict, compare=False, repr=False)

    @staticmethod
    def of(settings: Settings) -> "RunStore":
        """Return the store in the settings' data folder, or in the database that they name."""
        if settings.database_url is None:
            return RunStore(settings.data_dir)
        database = database_of(settings)
        from .shared_store import SharedRunStore

        return SharedRunStore(settings.data_dir, database=database)

    def all(self, most: int | None = None) -> list[StoredRun]:
        """Return all runs, or the `most` latest, the latest first."""
        return sorted(map(StoredRun.at, self.journals()), key=lambda run: (run.began, run.id), reverse=True)[:most]

    def find(self, name: str) -> StoredRun:
        """Return the run whose id is or begins with `name`, the latest run for `last`, or the run in an exported file.

        Raises UnknownRunError, which names the candidates.
        """
        if (file := Path(name)).is_file():
            return StoredRun.at(file)
        matches = self.all(1) if name == LAST else self._beginning(name) if name else []
        if len(matches) == 1:
            return self.fetch(matches[0])
        known = ", ".join(run.id for run in (matches or self.all(MOST_NAMED))[:MOST_NAMED]) or "none"
        none = "There are no runs yet" if name == LAST else f'There is no run "{name}"'
        what = f'{len(matches)} runs begin with "{name}"' if matches else none
        raise UnknownRunError(what, where=self._where, remedy=f"Known runs: {known}. `spyglass runs` lists them.")

    def _beginning(self, name: str) -> list[StoredRun]:
        return [StoredRun.at(path) for path in self.journals() if path.parent.name.startswith(name)]

    @property
    def _where(self) -> str:
        return str(self._folder)

    def fetch(self, run: StoredRun) -> StoredRun:
        """Return a run after making sure that the journal at its path is up to date."""
        return run

    def keep(self, journal: Path) -> None:
        """Add a run to the store; its journal is in this machine's folder already."""

    def keeps(self, journal: Path) -> bool:
        """Return whether a journal is in the folder of the user's runs; any other journal is untrusted."""
        above = journal.parent / ".."  # resolved by the operating system, symbolic links included
        return self._folder.exists() and above.samefile(self._folder) and not journal.is_symlink()

    def forget(self, run: StoredRun) -> None:
        """Delete a run. Raises LeaseError while a process is making it, and UnknownRunError for an exported file."""
        if run.outcome == RUNNING:
            raise LeaseError(f"The run {run.id} has not ended", where=str(run.path), remedy="Stop it first.")
        if not self.keeps(run.path):
            raise UnknownRunError("This is an exported file, not a stored run", where=str(run.path))
        shutil.rmtree(run.path.parent)

    def sweep(self, days: float) -> list[str]:
        """Delete the runs not written to for `days` days, and return their ids; 0 keeps all."""
        before = time.time() - days * DAY
        old = [path for path in self.journals() if days and _touched(path) < before]
        forgotten = [run for run in map(StoredRun.at, old) if run.outcome != RUNNING]
        for run in forgotten:
            self.forget(run)
        return [run.id for run in forgotten]

    def journal_path(self, name: str) -> Path:
        """Return the path of the journal of the run with this id."""
        return self._folder / name / JOURNAL

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Hold the lock of the only service of these runs. Raises UsageError while another process holds it."""
        private_folder(self.data_dir)
        try:
            with hold(self.data_dir / "service.lock"):
                yield
        except BlockingIOError as error:
            raise UsageError(
                "Another service uses the same data folder",
                where=str(self.data_dir),
                remedy="Give each service its own data_dir, or set database_url to share a database.",
            ) from error

    # Runs that a manager started

    def manage(self, run_id: str, owner: str) -> None:
        """Mark a run as started by a manager for an owner, "" for nobody."""
        write_private(self._beside(run_id, MANAGED), owner.encode())

    def managed(self, owner: str | None) -> list[StoredRun]:
        """Return the runs that managers started, those of one owner or all, the latest first.

        The journal of an ended run is read again only when it has changed.
        """
        journals = self.journals()
        for deleted in {*list(self._ended)}.difference(journals):
            self._ended.pop(deleted, None)
        owned = [journal for journal in journals if self.owns(owner, journal.parent.name)]
        return sorted(map(self._stored, owned), key=lambda run: (run.began, run.id), reverse=True)

    def owns(self, owner: str | None, run_id: str) -> bool:
        """Return whether a manager started a run and the owner may see it; None may see all."""
        try:
            return self._beside(run_id, MANAGED).read_text(encoding="ascii") == owner or owner is None
        except FileNotFoundError:
            return False

    def status(self, run_id: str) -> StoredRun:
        """Return a run by its id."""
        return StoredRun.at(self.journal_path(run_id))

    def events(self, run_id: str, after: int) -> list[LoggedEvent]:
        """Return the events of a run after the one with id `after`, a limited number per call."""
        return events_after(self.journal_path(run_id), after)

    @asynccontextmanager
    async def following(self, run_id: str) -> AsyncIterator[Callable[[], Awaitable[object]]]:  # noqa: ARG002 it polls
        """Yield a function that waits until a run may have new events; it polls, because files do not notify."""
        yield lambda: asyncio.sleep(LOOK)

    @contextmanager
    def admitting(self, owner: str) -> Iterator[None]:  # noqa: ARG002 only one service has a data folder
        """Hold the lock on starting runs for an owner."""
        yield

    def expect(self, run_id: str, seconds: float) -> None:
        """Announce that a process will begin a run within that many seconds; 0 withdraws the announcement."""

    def is_awaited(self, run_id: str) -> bool:  # noqa: ARG002 no other machine has it
        """Return whether a machine will soon resume a run that was cut off."""
        return False

    def counts(self) -> dict[str, int]:
        """Return the numbers of runs by state, those that are known without reading every run."""
        return {"kept": len(self.journals())}

    def interrupted(self) -> list[str]:
        """Return the ids of managed runs that no process makes and that neither ended nor were stopped."""
        left = (run.id for run in self.managed(None) if run.outcome == INTERRUPTED)
        return [run_id for run_id in left if not self.stop_asked(run_id)]

    def cut_off(self) -> list[str]:
        """Return the ids of runs that were cut off on another machine: none without a database."""
        return []

    def take_up(self, run_id: str) -> bool:
        """Count a resumption of a run by a manager; return False beyond MOST_RESUMED."""
        with self._beside(run_id, RESUMED).open("ab") as times:
            times.write(b".")
            return times.tell() <= MOST_RESUMED

    def ask_to_stop(self, run_id: str) -> None:
        """Ask a run to stop as soon as its process has begun; it then reports the results so far."""
        self._beside(run_id, STOPPED).touch(mode=0o600)
        with Journal(self.journal_path(run_id), readonly=True) as journal:
            process = journal.holder()
        if process is not None:
            os.kill(process, signal.SIGINT)

    def stop_asked(self, run_id: str) -> bool:
        """Return whether the run was asked to stop.

        A process that checks once it holds the lease misses no request made before the lease was visible.
        """
        return self._beside(run_id, STOPPED).exists()

    def _stored(self, journal: Path) -> StoredRun:
        changed = journal.stat().st_mtime_ns
        if (cached := self._ended.get(journal)) and cached[0] == changed:
            return cached[1]
        run = StoredRun.at(journal)
        if run.outcome not in (RUNNING, INTERRUPTED, PLANNED, UNREADABLE):
            self._ended[journal] = changed, run
        return run

    def _beside(self, run_id: str, name: str) -> Path:
        return self.journal_path(run_id).with_name(name)

    @property
    def _folder(self) -> Path:
        return self.data_dir / "runs"

    def journals(self) -> list[Path]:
        """Return the paths of all runs' journals, in the order of their ids."""
        return sorted(self._folder.glob(f"*/{JOURNAL}"))


def _touched(path: Path) -> float:
    """Return when a run was last written to, in seconds since 1970; an empty log, left by a reader, does not count."""
    written = path.stat().st_mtime
    with suppress(FileNotFoundError):  # the log is removed when its process ends
        log = path.with_name(f"{path.name}-wal").stat()
        written = max(written, log.st_mtime) if log.st_size else written
    return written
