"""Endpoints of background runs, which continue when the caller disconnects or the service stops."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import aclosing, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from mimetypes import guess_type
from pathlib import Path
from typing import Annotated, Any, Final

from fastapi import Header
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from ..kernel.cleanup import rollback_on_error, run_in_background
from ..kernel.errors import DatabaseError
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..render import render, suffixes
from ..report import Report
from ..runs import RunManager, StoredRun
from ..runs.plan_edit import PlanEdit
from ..runs.stored import INTERRUPTED, PLANNED, RUNNING
from .bodies import RunPlan, RunRequest, RunState
from .caller import Caller, Calling
from .collections import Collections
from .error_response import LATER
from .evidence import ReportEvidence
from .limits import MAX_COST, RunSlots, asked_of, lowered, require_room
from .redaction import Redaction
from .sse import ServerEvent
from .streams import Events, EventStream, run_events
from .tokens import Grant

HasLeft = Callable[[], Awaitable[bool]]  # returns whether the caller has disconnected
TAKE_OVER: Final = 3.0  # seconds between two checks for runs of services that have stopped
MONTH: Final = timedelta(days=30)  # the period of a token's budget

PAGE: Final = {"Content-Security-Policy": "frame-ancestors 'self'", "X-Frame-Options": "SAMEORIGIN"}
"""Headers of a report as HTML, which the service's page shows in a frame."""


class BackgroundRuns:
    """The endpoints of runs; a caller with their own token sees and starts only the runs of this token."""

    def __init__(
        self, settings: Settings, manager: RunManager, redaction: Redaction, slots: RunSlots, collections: Collections
    ) -> None:
        self._collections = collections
        self._settings = settings
        self._manager = manager
        self._redaction = redaction
        self._slots = slots
        self._tasks: set[asyncio.Task[Any]] = set()

    async def start(
        self, body: RunRequest, caller: Calling, traceparent: Annotated[str | None, Header()] = None
    ) -> RunState:
        """Start a report in the background; one that follows another run by default searches where that run did.

        Its spans belong to the caller's trace if the request has a W3C `traceparent` header.
        """
        if caller.grant is None or not caller.grant.is_bounded:
            return await self._start(body, caller, traceparent, None)
        runs = self._runs_of(caller)
        async with runs.admitting():
            return await self._start(body, caller, traceparent, await in_thread(self._budget_left, caller.grant, runs))

    async def _start(
        self, body: RunRequest, caller: Caller, traceparent: str | None, budget_left: float | None
    ) -> RunState:
        """Start a report that may cost at most `budget_left` US dollars; None for no limit."""
        limited = lowered(lowered(self._settings, body.max_cost, body.max_time), budget_left, None)
        folders = await self._collections.folders(caller, body.collections)
        if body.follows and body.files is None and not folders:
            folders, web = await in_thread(self._runs_of(caller).places, body.follows)
            body = body.model_copy(update={"files": False, "web": web if body.web is None else body.web})
        settings = await asked_of(limited.updated(effort=body.effort or limited.effort), body, folders)
        settings = settings.updated(research__ask=settings.research.ask if body.ask is None else body.ask)
        return await self._launch(
            caller, partial(self._runs_of(caller).start, body.q, settings, body.follows, traceparent)
        )

    async def all(self, caller: Calling, q: str = "") -> list[RunState]:
        """List the background runs whose question contains `q`, the latest first."""
        runs = await in_thread(self._runs_of(caller).all)
        return [self._state(run) for run in runs if q.casefold() in run.question.casefold()]

    async def status(self, run_id: str, caller: Calling) -> RunState:
        """Return the state of a run; a run whose process is still starting counts as running."""
        return self._state(await in_thread(self._runs_of(caller).status, run_id))

    async def plan(self, run_id: str, caller: Calling) -> RunPlan:
        """Return the plan of a run, and a forecast of its cost and time."""
        proposal, forecast = await in_thread(self._runs_of(caller).plan, run_id)
        return RunPlan(plan=proposal.plan, by=proposal.by, agents=proposal.agents, forecast=forecast)

    async def approve(self, run_id: str, caller: Calling, edit: PlanEdit | None = None) -> RunState:
        """Approve the plan of a waiting run, optionally edited, and resume the run."""
        await self.status(run_id, caller)
        return await self._launch(caller, lambda: self._runs_of(caller).approve(run_id, edit).id)

    async def cancel(self, run_id: str, caller: Calling) -> RunState:
        """Stop a run, which then writes a report of the results so far."""
        return self._state(await in_thread(self._runs_of(caller).cancel, run_id))

    async def events(
        self, run_id: str, caller: Calling, after: int = 0, last_event_id: Annotated[int | None, Header()] = None
    ) -> Response:
        """Stream the events of a run to its end, from the first one or after the one with a given id.

        The first and the last event, `run`, are the run's state. A browser whose connection was cut reconnects with the
        last id, until it gets 204 because there is nothing more.
        """
        start = after if last_event_id is None else last_event_id
        first = ServerEvent("run", (await self.status(run_id, caller)).model_dump())
        if await in_thread(self._manager.is_over, run_id) and not await in_thread(self._manager.events, run_id, start):
            return Response(status_code=204)
        return EventStream([first], self._follow(run_id, caller, start), self._settings.serve.sse_limit)

    async def evidence(self, run_id: str, caller: Calling) -> ReportEvidence:
        """Return the evidence of a run's report: its claims with their quotes, and its sources."""
        return ReportEvidence.of(await self.report(run_id, caller))

    async def file(self, run_id: str, name: str, caller: Calling) -> Response:
        """Return the report of a run as a file: `report.md`, `report.html`, and so on.

        The HTML carries its own content security policy, which allows its style and nothing from elsewhere.
        """
        if name.removeprefix("report") not in suffixes():
            raise HTTPException(404, f"Available files: report{', report'.join(suffixes())}")
        content = await render(await self.report(run_id, caller), Path(name), self._settings)
        media_type = guess_type(name)[0] or "application/octet-stream"
        return Response(content, media_type=media_type, headers=PAGE if media_type == "text/html" else None)

    async def report(self, run_id: str, caller: Caller) -> Report:
        """Return the redacted report of a run. Raises as `RunManager.report` does."""
        return self._redaction.report(await in_thread(self._runs_of(caller).report, run_id))

    async def ended(self, run_id: str, caller: Caller, has_left: HasLeft | None = None) -> RunState:
        """Wait until no process works on a run, and return its state; the run's own limits bound the time.

        With `has_left` the run is stopped when the caller disconnects or this call is cancelled.
        """
        try:
            async with self._manager.store.following(run_id) as change:
                while not await self._query(self._manager.is_over, run_id, default=False):
                    if has_left is not None and await has_left():
                        await self.cancel(run_id, caller)
                    await change()
        except asyncio.CancelledError:
            if has_left is not None:
                run_in_background(self._tasks, in_thread(self._manager.cancel, run_id))
            raise
        return await self.status(run_id, caller)

    async def resume(self) -> None:
        """Resume the runs of an earlier process of this service, and the runs of services that have stopped."""
        self._hold_slots(await in_thread(self._manager.resume, self._settings.serve.runs))
        if self._settings.database_url is not None:
            run_in_background(self._tasks, self._take_over())

    async def _take_over(self) -> None:
        while True:
            await asyncio.sleep(TAKE_OVER)
            with suppress(DatabaseError):  # unreachable at present
                self._hold_slots(await in_thread(self._manager.take_over, self._slots.most - self._slots.in_use))

    def _hold_slots(self, runs: Iterable[str]) -> None:
        """Hold a slot for each run until its process has ended."""
        for run_id in runs:
            self._slots.take(run_id)
            run_in_background(self._tasks, self._hold_slot(run_id, run_id))

    async def get_ready(self) -> None:
        """Prepare a process for the next run, unless running ones need the resources."""
        if self._settings.serve.spare and not self._slots.in_use:
            await in_thread(self._manager.makers.get_ready)

    async def leave(self) -> None:
        """Stop waiting for runs, which continue in their processes."""
        for task in self._tasks:
            task.cancel()
        await in_thread(self._manager.makers.leave)

    def _runs_of(self, caller: Caller) -> RunManager:
        return self._manager.of(caller.owner)

    def _budget_left(self, grant: Grant, runs: RunManager) -> float | None:
        """Return the US dollars that a caller may still spend, None for no limit. Raises HTTPException at a limit.

        A run that has not ended counts with its maximum cost.
        """
        now = datetime.now(UTC)
        recent = [run for run in runs.all() if run.began and datetime.fromisoformat(run.began) > now - MONTH]
        today = sum(datetime.fromisoformat(run.began) > now - timedelta(days=1) for run in recent)
        if grant.runs_a_day is not None and today >= grant.runs_a_day:
            raise HTTPException(429, f"{today} runs in 24 hours are the maximum of this token", LATER)
        if grant.budget is None:
            return None
        max_cost = MAX_COST if self._settings.budget.max_cost is None else self._settings.budget.max_cost
        spent = sum(max_cost if run.outcome in (RUNNING, INTERRUPTED, PLANNED) else run.cost or 0.0 for run in recent)
        if spent >= grant.budget:
            raise HTTPException(429, f"The budget of this token, ${grant.budget:g} in 30 days, is used up")
        return grant.budget - spent

    async def _launch(self, caller: Caller, begin: Callable[[], str]) -> RunState:
        """Start the process of a run; the client holds a slot until it ends."""
        self._slots.take(caller.client)
        with rollback_on_error(lambda: self._slots.give_back(caller.client)):
            await require_room(self._settings)
            run_id = await in_thread(begin)
        run_in_background(self._tasks, self._hold_slot(run_id, caller.client))
        return await self.status(run_id, caller)

    async def _hold_slot(self, run_id: str, client: str) -> None:
        """Hold a client's slot until the process of its run has ended."""
        async with self._manager.store.following(run_id) as change:
            while await self._query(self._manager.makers.is_at, run_id, default=True):
                await change()
        self._slots.give_back(client)
        with suppress(DatabaseError):  # others then wait a little longer for the run
            await in_thread(self._manager.store.expect, run_id, 0)
        await self.get_ready()

    async def _query(self, query: Callable[[str], bool], run_id: str, *, default: bool) -> bool:
        """Return the result of a query about a run; `default` while the database is unreachable."""
        try:
            return await in_thread(query, run_id)
        except DatabaseError:
            return default

    async def _follow(self, run_id: str, caller: Caller, after: int) -> Events:
        wait = self._settings.runs.database_wait
        async with aclosing(run_events(self._manager, self._redaction, run_id, after, wait)) as events:
            async for batch in events:
                yield batch
        yield [ServerEvent("run", (await self.status(run_id, caller)).model_dump())]

    def _state(self, run: StoredRun) -> RunState:
        is_starting = run.outcome in (INTERRUPTED, PLANNED) and self._manager.makers.has(run.id)
        record = {**run.to_record(), "outcome": RUNNING if is_starting else run.outcome}
        return RunState.model_validate({**record, "problem": self._redaction.text(run.problem)})
