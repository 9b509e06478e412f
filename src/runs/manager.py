"""Runs in the background: started, listed, looked at, stopped, and read once there is a report."""

import subprocess
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..kernel.errors import UnknownRunError, UsageError
from ..kernel.journal import Journal
from ..kernel.journal.approval import approve
from ..kernel.plan import Proposal
from .account import Account
from .detached import COMPLAINTS, ask_to_stop, launch, prepared, spare, stop_asked
from .event_log import LoggedEvent, events_after
from .follow_up import followed
from .forecast import Forecast, forecast
from .kept import recalled
from .plan_edit import PlanEdit, proposal_of
from .run_store import RunStore
from .stored import INTERRUPTED, PLANNED, RUNNING, UNREADABLE, StoredRun

if TYPE_CHECKING:
    from ..kernel.settings import Settings
    from ..report import Report

MANAGED: Final = "managed"
"""A file beside the journals of a manager's runs; those of the command line have none, and no manager shows them."""

RESUMED: Final = "resumed"
"""A file beside its journal that has a byte for each time a manager went on with a run."""

LEAVE: Final = 10.0
"""Seconds that the process that is ready has to end; it has nothing to lose."""

MOST_RESUMED: Final = 3
"""Times that a manager goes on with a run: one that ends its process is not begun for ever."""


class RunManager:
    """The runs of one data folder that a manager began, each in a process of its own. All of its methods block."""

    def __init__(self, settings: "Settings", config: Path | None = None) -> None:
        self._settings = settings
        self._config = config
        self._store = RunStore(settings.data_dir)
        self._owner: str | None = None
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._spare: list[subprocess.Popen[bytes]] = []
        self._ended: dict[Path, tuple[int, StoredRun]] = {}

    def of(self, owner: str | None) -> "RunManager":
        """Return the manager of the runs of one owner, who sees no others and makes them its own; None sees all."""
        others = copy(self)
        others._owner = owner
        return others

    def start(self, question: str, settings: "Settings", follows: str | None = None) -> str:
        """Start a report in a process that outlives this one, and return its id. Raises UsageError.

        One that `follows` a run of this manager reads the pages that this has read, too, and what its question says of
        `it` is what that was about.
        """
        if follows:
            question, settings = followed(question, settings, self.report(follows))
        run_id = prepared(question, settings)
        managed = self._beside(run_id, MANAGED)
        managed.touch(mode=0o600)
        managed.write_text(self._owner or "", encoding="ascii")
        self._launch(run_id)
        return run_id

    def resume(self, most: int) -> list[str]:
        """Go on with the runs that ended with their machine, at most so many, the latest first; return their ids."""
        cut = [run.id for run in self.all() if run.outcome == INTERRUPTED and self._may_go_on(run.path)][:most]
        for run_id in cut:
            with self._beside(run_id, RESUMED).open("ab") as times:
                times.write(b".")
            self._launch(run_id)
        return cut

    def all(self) -> list[StoredRun]:
        """Return the runs, the latest first; a journal that has ended is read again only when it has changed."""
        own = [journal for journal in self._store.journals() if self._owns(journal.with_name(MANAGED))]
        return sorted(map(self._stored, own), key=lambda run: (run.began, run.id), reverse=True)

    def status(self, run_id: str) -> StoredRun:
        """Return how a run stands. Raises UnknownRunError."""
        return StoredRun.at(self._journal(run_id))

    def at_work(self, run_id: str) -> bool:
        """Say whether the process that this manager started for a run has not ended."""
        return run_id in self._processes and self._processes[run_id].poll() is None

    def is_over(self, run_id: str) -> bool:
        """Say whether no process is at a run, nor about to be; one may still be ending. Raises UnknownRunError."""
        outcome = self.status(run_id).outcome
        return outcome != RUNNING and not (outcome in (INTERRUPTED, PLANNED) and self.at_work(run_id))

    def cancel(self, run_id: str) -> StoredRun:
        """Stop a run, which then writes a report of what is there. Raises UnknownRunError."""
        run = self.status(run_id)
        if run.outcome in (RUNNING, INTERRUPTED):
            ask_to_stop(run.path)
        if run.outcome == INTERRUPTED and not self.at_work(run_id):
            self._launch(run_id)  # which reports what is there
        return run

    def plan(self, run_id: str) -> tuple[Proposal, Forecast]:
        """Return the plan of a run as it was made, and what it will take. Raises UsageError while there is none."""
        run = self.status(run_id)
        proposal = proposal_of(run.path)
        if proposal is None:
            raise UsageError(f"The run {run.id} has no plan", remedy="Wait until it is planned.")
        return proposal, forecast(proposal.plan, recalled(run.required_settings(), self._settings))

    def approve(self, run_id: str, edit: PlanEdit | None = None) -> StoredRun:
        """Have a run go on that waits for that, with its plan or with a changed one.

        Raises UsageError where it does not wait, as when it has been approved before.
        """
        run = self.status(run_id)
        if run.outcome != PLANNED:
            raise UsageError(f"The run {run.id} does not wait for a plan: it is {run.outcome}", remedy="Look at it.")
        proposal, _ = self.plan(run_id)
        journal = Journal(run.path)
        try:
            journal.take()
            approve(journal, proposal.plan if edit is None else edit.applied(proposal))
            journal.release()
        finally:
            journal.close()
        self._launch(run_id)
        return self.status(run_id)

    def events(self, run_id: str, after: int = 0) -> list[LoggedEvent]:
        """Return what has happened in a run behind the event with that id, a part of it when it is much.

        Raises UnknownRunError.
        """
        return events_after(self._journal(run_id), after)

    def report(self, run_id: str) -> "Report":
        """Return the report of a run. Raises UnknownRunError, and UsageError while there is none."""
        run = self.status(run_id)
        report = Account.of(run).report
        if report is None:
            raise UsageError(f"The run {run.id} has no report: it is {run.outcome}", remedy="Ask how it stands.")
        return report

    def places(self, run_id: str) -> tuple[list[Path], bool | None]:
        """Return the folders that a run searches, and whether it searches the web: None is when there are none.

        Raises UnknownRunError.
        """
        settings = self.status(run_id).required_settings()
        return [Path(folder) for folder in settings["db"]], settings["web"]

    def _journal(self, run_id: str) -> Path:
        """Return where the journal of a run is. Raises UnknownRunError."""
        if not (run_id.isalnum() and self._owns(self._beside(run_id, MANAGED))):
            raise UnknownRunError(f'There is no run "{run_id[:40]}"', remedy="Take the id that starting it returned.")
        return self._store.place(run_id)

    def _owns(self, managed: Path) -> bool:
        try:
            return managed.read_text(encoding="ascii") == self._owner or self._owner is None
        except FileNotFoundError:
            return False

    def _stored(self, journal: Path) -> StoredRun:
        changed = journal.stat().st_mtime_ns
        if (kept := self._ended.get(journal)) and kept[0] == changed:
            return kept[1]
        run = StoredRun.at(journal)
        if run.outcome not in (RUNNING, INTERRUPTED, PLANNED, UNREADABLE):
            self._ended[journal] = changed, run
        return run

    def _may_go_on(self, journal: Path) -> bool:
        times = journal.with_name(RESUMED)
        return not stop_asked(journal) and (not times.exists() or times.stat().st_size < MOST_RESUMED)

    def keep_ready(self) -> None:
        """Have a process ready for the next run, which then begins a second or two sooner."""
        if not self._spare:
            self._spare.append(spare(self._settings, self._config))

    def leave(self) -> None:
        """End the process that is ready; those that are at a run go on."""
        for process in self._spare:
            try:
                process.communicate(timeout=LEAVE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _launch(self, run_id: str) -> None:
        self._beside(run_id, COMPLAINTS).unlink(missing_ok=True)
        try:
            process = self._spare.pop()
        except IndexError:
            process = spare(self._settings, self._config)
        try:
            launch(run_id, process)
        except OSError:  # it has ended meanwhile
            process.wait()
            process = spare(self._settings, self._config)
            launch(run_id, process)
        self._processes[run_id] = process

    def _beside(self, run_id: str, name: str) -> Path:
        return self._store.place(run_id).with_name(name)
