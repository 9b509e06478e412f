"""Runs in the background: started, listed, looked at, stopped, and read once there is a report."""

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
from .kept import recalled
from .plan_edit import PlanEdit, proposal_of
from .run_store import BEGINS, RunStore
from .stored import INTERRUPTED, PLANNED, RUNNING, StoredRun

if TYPE_CHECKING:
    from ..kernel.settings import Settings
    from ..report import Report


MOST_PAGES: Final = 10  # pages of a report that a follow-up reads, those that are cited first


class RunManager:
    """The runs in a `store` that a manager began, made by its `makers`. Its methods block."""

    def __init__(self, settings: "Settings", makers: Makers) -> None:
        self._settings = settings
        self.makers = makers
        self.store = RunStore.of(settings)
        self._owner: str | None = None
        self._cut: list[str] = []
        self._admissions: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def of(self, owner: str | None) -> "RunManager":
        """Return the manager of the runs of one owner, who sees no others and makes them its own; None sees all."""
        others = copy(self)
        others._owner = owner
        return others

    def start(
        self, question: str, settings: "Settings", follows: str | None = None, traceparent: str | None = None
    ) -> str:
        """Start a report in a process that outlives this one, and return its id. Raises UsageError.

        One that `follows` a run of this manager reads the pages that this has read, too, and what its question says of
        `it` is what that was about. A `traceparent` names the trace that it belongs to.
        """
        if follows:
            report = self.report(follows)
            question = with_subject(question, report.question)
            settings = with_pages(settings, report, MOST_PAGES)  # mostly cached, so that nothing is asked for again
        run_id = prepared(question, settings, traceparent=traceparent)
        self.store.manage(run_id, self._owner or "")
        self._launch(run_id)
        return run_id

    def resume(self, most: int) -> list[str]:
        """Go on with the runs that ended with their machine, at most so many, the latest first; return their ids."""
        return self._gone_on(self.store.left(), most)

    def take_over(self, most: int) -> list[str]:
        """Go on with runs whose machine is gone, at most so many, and return their ids.

        One that was cut at the last look, too: while the database was away, leases ended of processes that live.
        """
        before, self._cut = self._cut, self.store.cut()
        return self._gone_on((run_id for run_id in self._cut if run_id in before), most)

    def _gone_on(self, cut: Iterable[str], most: int) -> list[str]:
        begun = list(islice(filter(self.store.take_up, cut), most))
        for run_id in begun:
            self._launch(run_id)
        return begun

    def all(self) -> list[StoredRun]:
        """Return the runs, the latest first."""
        return self.store.managed(self._owner)

    def status(self, run_id: str) -> StoredRun:
        """Return how a run stands. Raises UnknownRunError."""
        return self.store.status(self._owned(run_id))

    def is_over(self, run_id: str) -> bool:
        """Say whether no process is at a run, nor about to be; one may still be ending. Raises UnknownRunError."""
        outcome = self.status(run_id).outcome
        begins = outcome in (INTERRUPTED, PLANNED) and self.makers.has(run_id)
        return outcome != RUNNING and not begins and not (outcome == INTERRUPTED and self.store.is_awaited(run_id))

    @asynccontextmanager
    async def admitting(self) -> AsyncIterator[None]:
        """Be alone in beginning runs for the owner, as long as it is looked what he may still take.

        Raises UsageError where another service is at that for long.
        """
        async with self._admissions[self._owner or ""]:
            with ExitStack() as held:
                try:
                    await in_thread(held.enter_context, self.store.admitting(self._owner or ""))
                except BlockingIOError as error:
                    raise UsageError("Other runs of yours are being begun", remedy="Try again.") from error
                yield

    def cancel(self, run_id: str) -> StoredRun:
        """Stop a run, which then writes a report of what is there. Raises UnknownRunError."""
        run = self.status(run_id)
        if run.outcome in (RUNNING, INTERRUPTED):
            self.store.ask_to_stop(run.id)
        if run.outcome == INTERRUPTED and not self.makers.has(run_id):
            self._launch(run_id)  # which reports what is there
        return run

    def plan(self, run_id: str) -> tuple[Proposal, Forecast]:
        """Return the plan of a run as it was made, and what it will take. Raises UsageError while there is none."""
        run = self.status(run_id)
        proposal = proposal_of(self.store.fetch(run).path)
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
        with journal_at(run.path, self._settings) as journal:
            journal.take()
            approve(journal, proposal.plan if edit is None else edit.applied(proposal))
            journal.release()
        self._launch(run_id)
        return self.status(run_id)

    def events(self, run_id: str, after: int = 0) -> list[LoggedEvent]:
        """Return what has happened in a run behind the event with that id, a part of it when it is much.

        Raises UnknownRunError.
        """
        return self.store.events(self._owned(run_id), after)

    def report(self, run_id: str) -> "Report":
        """Return the report of a run. Raises UnknownRunError, and UsageError while there is none."""
        run = self.status(run_id)
        report = Account.of(self.store.fetch(run)).report
        if report is None:
            raise UsageError(f"The run {run.id} has no report: it is {run.outcome}", remedy="Ask how it stands.")
        return report

    def places(self, run_id: str) -> tuple[list[Path], bool | None]:
        """Return the folders that a run searches, and whether it searches the web: None is when there are none.

        Raises UnknownRunError.
        """
        settings = self.status(run_id).required_settings()
        return [Path(folder) for folder in settings.get("db", ())], settings.get("web")

    def _owned(self, run_id: str) -> str:
        if not (run_id.isalnum() and self.store.owns(self._owner, run_id)):
            raise UnknownRunError(f'There is no run "{run_id[:40]}"', remedy="Take the id that starting it returned.")
        return run_id

    def _launch(self, run_id: str) -> None:
        self.store.expect(run_id, BEGINS)
        self.makers.start(run_id)


def with_pages(settings: "Settings", report: "Report", most: int) -> "Settings":
    """Return settings with which so many pages of a report at most are read besides, the cited ones first."""
    cited = {citation.source_id for citation in report.citations}
    pages = sorted((one for one in report.sources if one.kind == "web"), key=lambda one: one.id not in cited)
    urls = dict.fromkeys([*settings.urls, *(one.url for one in pages[:most])])
    return settings.updated(urls=list(urls), web=settings.searches_web) if urls else settings
