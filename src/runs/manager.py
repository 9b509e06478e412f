"""Manages background runs: starts, lists, inspects, approves and stops them, and returns their reports."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from contextlib import ExitStack, asynccontextmanager
from copy import copy
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..kernel.errors import UnknownRunError, UsageError
from ..kernel.journal.approval import approve
from ..kernel.journal.journal import journal_at
from ..kernel.plan import Proposal
from ..kernel.thread import in_thread
from ..search.queries import with_subject
from .account import Account
from .detached import Makers, prepared
from .event_log import LoggedEvent
from .forecast import Forecast, forecast
from .plan_edit import PlanEdit, proposal_of
from .recorded_settings import settings_from_record
from .run_store import BEGINS, RunStore
from .stored import INTERRUPTED, PLANNED, RUNNING, StoredRun

if TYPE_CHECKING:
    from ..kernel.settings import Settings
    from ..report import Report


MOST_PAGES: Final = 10  # pages of a report that a follow-up reads, cited pages first


class RunManager:
    """Manages the runs of a `store` that managers started and that `makers` make. Its methods block."""

    def __init__(self, settings: "Settings", makers: Makers) -> None:
        self._settings = settings
        self.makers = makers
        self.store = RunStore.of(settings)
        self._owner: str | None = None
        self._cut: list[str] = []
        self._admissions: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def of(self, owner: str | None) -> "RunManager":
        """Return a manager that sees and starts only the runs of one owner; None sees all."""
        manager = copy(self)
        manager._owner = owner
        return manager

    def start(
        self, question: str, settings: "Settings", follows: str | None = None, traceparent: str | None = None
    ) -> str:
        """Start a report in a process that outlives this one, and return its id. Raises UsageError.

        A run that `follows` another of this manager also reads the pages of that run, and `it` in its question means
        the subject of that run. A `traceparent` names the trace that the run belongs to.
        """
        if follows:
            report = self.report(follows)
            question = with_subject(question, report.question)
            settings = with_pages(settings, report, MOST_PAGES)  # mostly cached, so not requested again
        run_id = prepared(question, settings, traceparent=traceparent)
        self.store.manage(run_id, self._owner or "")
        self._launch(run_id)
        return run_id

    def resume(self, most: int) -> list[str]:
        """Resume at most `most` of the runs that ended with their machine, the latest first; return their ids."""
        return self._resume(self.store.interrupted(), most)

    def take_over(self, most: int) -> list[str]:
        """Resume at most `most` runs whose machine is gone, and return their ids.

        Only runs that were already cut off at the previous call are resumed: leases of living processes also expire
        while the database is unreachable.
        """
        before, self._cut = self._cut, self.store.cut_off()
        return self._resume((run_id for run_id in self._cut if run_id in before), most)

    def _resume(self, run_ids: Iterable[str], most: int) -> list[str]:
        resumed = list(islice(filter(self.store.take_up, run_ids), most))
        for run_id in resumed:
            self._launch(run_id)
        return resumed

    def all(self) -> list[StoredRun]:
        """Return the runs, the latest first."""
        return self.store.managed(self._owner)

    def status(self, run_id: str) -> StoredRun:
        """Return a run by its id. Raises UnknownRunError."""
        return self.store.status(self._owned(run_id))

    def is_over(self, run_id: str) -> bool:
        """Return whether no process makes a run or is about to; one may still be exiting. Raises UnknownRunError."""
        outcome = self.status(run_id).outcome
        begins = outcome in (INTERRUPTED, PLANNED) and self.makers.has(run_id)
        return outcome != RUNNING and not begins and not (outcome == INTERRUPTED and self.store.is_awaited(run_id))

    @asynccontextmanager
    async def admitting(self) -> AsyncIterator[None]:
        """Hold the lock on starting runs for the owner, while the owner's limits are checked.

        Raises UsageError if another service keeps the lock.
        """
        async with self._admissions[self._owner or ""]:
            with ExitStack() as stack:
                try:
                    await in_thread(stack.enter_context, self.store.admitting(self._owner or ""))
                except BlockingIOError as error:
                    raise UsageError("Another service is starting a run of yours", remedy="Try again.") from error
                yield

    def cancel(self, run_id: str) -> StoredRun:
        """Stop a run, which then makes a report of the results so far. Raises UnknownRunError."""
        run = self.status(run_id)
        if run.outcome in (RUNNING, INTERRUPTED):
            self.store.ask_to_stop(run.id)
        if run.outcome == INTERRUPTED and not self.makers.has(run_id):
            self._launch(run_id)  # to report the results so far
        return run

    def plan(self, run_id: str) -> tuple[Proposal, Forecast]:
        """Return the plan of a run as it was made, and its forecast. Raises UsageError while there is no plan."""
        run = self.status(run_id)
        proposal = proposal_of(self.store.fetch(run).path)
        if proposal is None:
            raise UsageError(f"The run {run.id} has no plan", remedy="Wait until the plan has been made.")
        return proposal, forecast(proposal.plan, settings_from_record(run.required_settings(), self._settings))

    def approve(self, run_id: str, edit: PlanEdit | None = None) -> StoredRun:
        """Approve the plan of a waiting run, or the plan as edited, and resume the run.

        Raises UsageError if the run does not wait for approval, as after an earlier approval.
        """
        run = self.status(run_id)
        if run.outcome != PLANNED:
            raise UsageError(
                f"The plan of the run {run.id} cannot be approved: it is {run.outcome}",
                remedy="Check the state of the run.",
            )
        proposal, _ = self.plan(run_id)
        with journal_at(run.path, self._settings) as journal:
            journal.take()
            approve(journal, proposal.plan if edit is None else edit.applied(proposal))
            journal.release()
        self._launch(run_id)
        return self.status(run_id)

    def events(self, run_id: str, after: int = 0) -> list[LoggedEvent]:
        """Return the events of a run after the one with id `after`, a limited number per call.

        Raises UnknownRunError.
        """
        return self.store.events(self._owned(run_id), after)

    def report(self, run_id: str) -> "Report":
        """Return the report of a run. Raises UnknownRunError, and UsageError while there is none."""
        run = self.status(run_id)
        report = Account.of(self.store.fetch(run)).report
        if report is None:
            raise UsageError(
                f"The run {run.id} has no report: it is {run.outcome}", remedy="Check the state of the run."
            )
        return report

    def places(self, run_id: str) -> tuple[list[Path], bool | None]:
        """Return the folders that a run searches, and whether it searches the web: None means only without folders.

        Raises UnknownRunError.
        """
        settings = self.status(run_id).required_settings()
        return [Path(folder) for folder in settings.get("db", ())], settings.get("web")

    def _owned(self, run_id: str) -> str:
        if not (run_id.isalnum() and self.store.owns(self._owner, run_id)):
            raise UnknownRunError(
                f'There is no run "{run_id[:40]}"', remedy="Use the id that was returned at its start."
            )
        return run_id

    def _launch(self, run_id: str) -> None:
        self.store.expect(run_id, BEGINS)
        self.makers.start(run_id)


def with_pages(settings: "Settings", report: "Report", most: int) -> "Settings":
    """Return settings that also read up to `most` pages of a report, cited pages first."""
    cited = {citation.source_id for citation in report.citations}
    pages = sorted((page for page in report.sources if page.kind == "web"), key=lambda page: page.id not in cited)
    urls = dict.fromkeys([*settings.urls, *(page.url for page in pages[:most])])
    return settings.updated(urls=list(urls), web=settings.searches_web) if urls else settings
