"""Where runs are kept: one folder each, under `runs` of the data folder."""

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..kernel.errors import LeaseError, UnknownRunError
from .stored import RUNNING, StoredRun

JOURNAL: Final = "journal.sqlite"
LAST: Final = "last"
DAY: Final = 86_400.0
"""Seconds."""

MOST_NAMED: Final = 5
"""Runs that an error names."""


@dataclass(frozen=True, slots=True)
class RunStore:
    """The runs under a data folder. All of its methods block."""

    data_dir: Path

    def all(self) -> list[StoredRun]:
        """Return every run, the latest first."""
        return sorted(map(StoredRun.at, self.journals()), key=lambda run: (run.began, run.id), reverse=True)

    def find(self, name: str) -> StoredRun:
        """Return the run of that id, or beginning of one; `last` is the first that `all` lists; or a file.

        Raises UnknownRunError, which names the runs that it could be.
        """
        if name == LAST:
            if not (runs := self.all()):
                raise UnknownRunError("There is no run yet", where=str(self._folder))
            return runs[0]
        if (file := Path(name)).is_file():
            return StoredRun.at(file)
        paths = [path for path in self.journals() if name and path.parent.name.startswith(name)]
        if len(paths) == 1:
            return StoredRun.at(paths[0])
        known = ", ".join(path.parent.name for path in (paths or self.journals())[:MOST_NAMED]) or "none"
        what = f'{len(paths)} runs begin with "{name}"' if paths else f'There is no run "{name}"'
        raise UnknownRunError(what, where=str(self._folder), remedy=f"Runs: {known}. `spyglass runs` lists them.")

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

    def sweep(self, days: float, clock: Callable[[], float] = time.time) -> list[str]:
        """Forget the runs that nothing was written to for so many days, and return their ids; 0 keeps all."""
        before = clock() - days * DAY
        old = [path for path in self.journals() if days and _touched(path) < before]
        forgotten = [run for run in map(StoredRun.at, old) if run.outcome != RUNNING]
        for run in forgotten:
            self.forget(run)
        return [run.id for run in forgotten]

    def place(self, name: str) -> Path:
        """Return where the journal of a run of this id is."""
        return self._folder / name / JOURNAL

    @property
    def _folder(self) -> Path:
        return self.data_dir / "runs"

    def journals(self) -> list[Path]:
        """Return where the journals of all runs are, in the order of their ids."""
        return sorted(self._folder.glob(f"*/{JOURNAL}"))


def _touched(path: Path) -> float:
    """Return when anything of a run was last written, in seconds since 1970; who only looks leaves an empty log."""
    log = path.with_name(f"{path.name}-wal")
    files = [path, log] if log.exists() and log.stat().st_size else [path]
    return max(file.stat().st_mtime for file in files)
