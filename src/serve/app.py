"""The service: searches and reports over HTTP, as streams of server-sent events."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from functools import partial
from mimetypes import guess_type
from pathlib import Path
from typing import Annotated, Any, Final

from fastapi import FastAPI, Header, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from ..kernel.errors import SpyglassError, UnknownRunError, UsageError
from ..kernel.plan import Plan
from ..kernel.pool import Pool
from ..kernel.settings import Effort, Settings
from ..kernel.thread import in_thread
from ..render.output import SUFFIXES, render
from ..runs.forecast import Forecast
from ..runs.manager import RunManager
from ..runs.plan_edit import PlanEdit
from ..runs.stored import INTERRUPTED, PLANNED, RUNNING, StoredRun
from .access import COOKIE, LOOPBACK, AccessControl
from .check import CheckAnswer, CheckRequest, checked
from .client import client_of
from .evidence import Evidence
from .limits import bytes_under, limited, lowered
from .page import page_file
from .redaction import Redaction, absolute
from .refusal import refusal
from .slots import RunSlots
from .sse import ServerEvent, split
from .streams import report_events, run_events, search_events
from .text import Text
from .token import Token, require_token, token_of

Events = AsyncGenerator[ServerEvent, None]

SESSION: Final = 30 * 86_400
"""Seconds for which a browser keeps the token."""

LOOK = 0.3
"""Seconds between two looks at whether the process of a run has ended."""


class SearchRequest(BaseModel):
    """What `POST /search` takes."""

    model_config = ConfigDict(extra="forbid")

    query: Text
    time_range: Text = "none"
    whitelisted_domains: list[Text] = []


class ReportRequest(BaseModel):
    """What `POST /report` takes; whether the `files` and the `web` are searched is by default as the settings say."""

    model_config = ConfigDict(extra="forbid")

    q: Text
    files: bool = True
    web: bool | None = None


class RunRequest(ReportRequest):
    """What `POST /runs` takes beside that; with `ask` the run waits with its plan until that is approved.

    One that `follows` a run reads what that has read, and knows what it was about. It takes no more than the `max_cost`
    in US dollars and the `max_time` in seconds, and makes of it what is there.
    """

    ask: bool = False
    follows: Text | None = Field(default=None, max_length=100)
    effort: Effort | None = None
    max_cost: float | None = Field(default=None, ge=0)
    max_time: float | None = Field(default=None, gt=0)


class RunPlan(BaseModel):
    """The plan of a run as it was made, and what it will take."""

    plan: Plan
    by: str
    agents: list[str]
    forecast: Forecast


class SessionRequest(BaseModel):
    """What `POST /session` takes."""

    model_config = ConfigDict(extra="forbid")

    token: Text = Field(max_length=1_000)


class RunState(BaseModel):
    """How a run in the background stands; `cost` in US dollars, None when a price is unknown."""

    id: str
    question: str
    began: str
    outcome: str
    calls: int
    cost: float | None
    problem: str


def create_app(settings: Settings, *, host: str = "127.0.0.1", config: Path | None = None) -> FastAPI:
    """Return the service with these settings; a request may change nothing of them but what it says as its body.

    `host` is the address that it is bound to: a name by which it may be asked, like those of the loopback and of the
    setting `serve.hosts`. Raises UsageError where others than this machine reach that and there is no token.
    The processes of runs in the background read the `config` file.
    """
    token = token_of(settings)
    require_token(token, host)
    settings = absolute(settings)
    pool, redaction, manager = Pool(), Redaction(settings), RunManager(settings, config)

    @asynccontextmanager
    async def pooled(_app: FastAPI) -> AsyncGenerator[None, None]:
        async with pool:
            door.hold(await in_thread(manager.resume, settings.serve.runs))
            yield
            door.leave()

    app = FastAPI(title="Spyglass", docs_url=None, redoc_url=None, openapi_url=None, lifespan=pooled)
    app.add_middleware(AccessControl, hosts=[*LOOPBACK, host, *settings.serve.hosts], token=token)
    door = _Endpoints(settings, pool, redaction, manager)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(SpyglassError, door.failed)
    app.add_exception_handler(RequestValidationError, _unusable)
    app.add_exception_handler(Exception, _broken)
    app.get("/")(door.page)
    app.get("/page/{name}")(door.page)
    app.post("/session", status_code=204)(partial(_session, token))
    app.get("/health")(door.health)
    app.post("/check")(door.check)
    app.post("/search")(door.search)
    app.post("/report")(door.report)
    app.post("/runs", status_code=202)(door.start)
    app.get("/runs")(door.runs)
    app.get("/runs/{run_id}")(door.status)
    app.post("/runs/{run_id}/cancel")(door.cancel)
    app.get("/runs/{run_id}/plan")(door.plan)
    app.post("/runs/{run_id}/plan", status_code=202)(door.approve)
    app.get("/runs/{run_id}/events")(door.events)
    app.get("/runs/{run_id}/evidence")(door.evidence)
    app.get("/runs/{run_id}/{name}")(door.file)
    return app


PAGE: Final = {"Content-Security-Policy": "frame-ancestors 'self'", "X-Frame-Options": "SAMEORIGIN"}
"""What is added to the policy that a report carries as a page: the page of the service shows it in a frame."""


class _Endpoints:
    """The endpoints, and what their runs share."""

    def __init__(self, settings: Settings, pool: Pool, redaction: Redaction, manager: RunManager) -> None:
        self._settings = settings
        self._pool = pool
        self._redaction = redaction
        self._manager = manager
        self._waiting: set[asyncio.Task[None]] = set()
        self._slots = RunSlots(settings.serve.runs, settings.serve.share)

    async def page(self, name: str = "index.html") -> Response:
        """Answer with a file of the page."""
        if (found := page_file(name)) is None:
            raise HTTPException(404, "The page has no such file")
        return found

    async def health(self) -> dict[str, Any]:
        """Say that the service runs, how many runs it serves, and what it searches."""
        settings = self._settings
        places = {"files": bool(settings.db), "web": settings.web is not False, "searches_web": settings.searches_web}
        return {"status": "ok", "open": self._slots.taken, "most": self._slots.most, **places}

    async def check(self, asked: CheckRequest, request: Request) -> CheckAnswer:
        """Mark each sentence of a text by what the files, and the pages that it cites, say."""
        if asked.web and self._settings.web is False:
            raise UsageError("This service does not search the web", where="web = false in its settings")
        if not (asked.web or self._settings.db):
            raise UsageError("There is nothing to check it against", remedy="Read the pages that it cites: web = true.")
        settings = await limited(self._settings)
        client = client_of(request.client.host if request.client else "")
        self._slots.take(client)
        try:
            return await checked(settings, self._pool, self._redaction, asked)
        finally:
            self._slots.give_back(client)

    async def search(self, asked: SearchRequest, request: Request) -> Response:
        """Answer a question from the web."""
        if self._settings.web is False:
            raise UsageError("This service does not search the web", where="web = false in its settings")
        settings = await limited(self._settings)
        events = search_events(
            settings, self._pool, self._redaction, asked.query, asked.time_range, asked.whitelisted_domains
        )
        return await self._streamed(request, events)

    async def report(self, asked: ReportRequest, request: Request) -> Response:
        """Research a question and write a report."""
        settings = await self._settings_for(asked, self._settings)
        return await self._streamed(request, report_events(settings, self._pool, self._redaction, asked.q))

    async def start(self, asked: RunRequest, request: Request) -> RunState:
        """Start a report in the background: it goes on whatever becomes of the caller and of the service."""
        given = lowered(self._settings, asked.max_cost, asked.max_time)
        settings = await self._settings_for(asked, given.updated(effort=asked.effort or given.effort))
        settings = settings.updated(research__ask=asked.ask or settings.research.ask)
        return await self._at_work(request, partial(self._manager.start, asked.q, settings, asked.follows))

    async def plan(self, run_id: str) -> RunPlan:
        """Tell the plan of a run, and what it will take."""
        proposal, takes = await in_thread(self._manager.plan, run_id)
        return RunPlan(plan=proposal.plan, by=proposal.by, agents=proposal.agents, forecast=takes)

    async def approve(self, run_id: str, request: Request, edit: PlanEdit | None = None) -> RunState:
        """Have a run go on that waits with its plan, perhaps with a changed one."""
        await self.status(run_id)
        return await self._at_work(request, lambda: self._manager.approve(run_id, edit).id)

    async def _at_work(self, request: Request, begin: Callable[[], str]) -> RunState:
        """Begin the process of a run, for which the client has a place until it ends."""
        client = client_of(request.client.host if request.client else "")
        self._slots.take(client)
        try:
            await self._require_room()
            run_id = await in_thread(begin)
        except BaseException:
            self._slots.give_back(client)
            raise
        self._wait_for(run_id, client)
        return await self.status(run_id)

    async def runs(self, q: str = "") -> list[RunState]:
        """List the runs in the background whose question has this text, the latest first."""
        found = await in_thread(self._manager.all)
        return [self._state(run) for run in found if q.casefold() in run.question.casefold()]

    async def status(self, run_id: str) -> RunState:
        """Tell how a run stands; one whose process is only starting is running."""
        return self._state(await in_thread(self._manager.status, run_id))

    async def events(
        self, run_id: str, after: int = 0, last_event_id: Annotated[int | None, Header()] = None
    ) -> Response:
        """Stream what happens in a run, from its first event on or behind the one with an id, to its end.

        First and last comes how it stands, as `run`. A browser whose connection was cut sends the last id by itself,
        and gets 204, which ends that, once there is nothing more.
        """
        begun = after if last_event_id is None else last_event_id
        first = ServerEvent("run", (await self.status(run_id)).model_dump())
        if await in_thread(self._manager.is_over, run_id) and not await in_thread(self._manager.events, run_id, begun):
            return Response(status_code=204)
        return _Stream(first, self._followed(run_id, begun), self._settings.serve.sse_limit)

    async def _followed(self, run_id: str, after: int) -> Events:
        async with aclosing(run_events(self._manager, self._redaction, run_id, after)) as events:
            async for event in events:
                yield event
        yield ServerEvent("run", (await self.status(run_id)).model_dump())

    async def cancel(self, run_id: str) -> RunState:
        """Stop a run, which then writes a report of what is there."""
        return self._state(await in_thread(self._manager.cancel, run_id))

    async def evidence(self, run_id: str) -> Evidence:
        """Tell what the report of a run rests on: its claims with their quotes, and its sources."""
        return Evidence.of(self._redaction.report(await in_thread(self._manager.report, run_id)))

    async def file(self, run_id: str, name: str) -> Response:
        """Answer with the report of a run as a file: `report.md`, `report.html`, and so on.

        What a page of it may do, its own policy says, which allows its style and nothing from elsewhere.
        """
        if name.removeprefix("report") not in SUFFIXES:
            raise HTTPException(404, f"There is report{', report'.join(SUFFIXES)}.")
        report = self._redaction.report(await in_thread(self._manager.report, run_id))
        content = await render(report, Path(name), self._settings)
        media_type = guess_type(name)[0] or "application/octet-stream"
        return Response(content, media_type=media_type, headers=PAGE if media_type == "text/html" else None)

    def hold(self, runs: Sequence[str]) -> None:
        """Take places for runs that a service before this one began."""
        for run_id in runs:
            self._slots.take(run_id)
            self._wait_for(run_id, run_id)

    def leave(self) -> None:
        """Wait for no run any more: each goes on in its process."""
        for waiting in self._waiting:
            waiting.cancel()

    def _wait_for(self, run_id: str, client: str) -> None:
        waiting = asyncio.create_task(self._held(run_id, client))
        self._waiting.add(waiting)
        waiting.add_done_callback(self._waiting.discard)

    async def _held(self, run_id: str, client: str) -> None:
        """Hold the place of a client until the process of its run has ended."""
        while True:
            await asyncio.sleep(LOOK)
            if not self._manager.at_work(run_id):
                return self._slots.give_back(client)

    async def _settings_for(self, asked: ReportRequest, given: Settings) -> Settings:
        if asked.web and self._settings.web is False:
            raise UsageError("This service does not search the web", where="web = false in its settings")
        if not (asked.files or (self._settings.web is not False and asked.web is not False)):
            raise UsageError("There is neither a file nor the web to search", where="files and web of the request")
        changed: dict[str, Any] = {} if asked.web is None else {"web": asked.web}
        return await limited(given.model_copy(update=changed if asked.files else {**changed, "db": []}))

    def _state(self, run: StoredRun) -> RunState:
        begins = run.outcome in (INTERRUPTED, PLANNED) and self._manager.at_work(run.id)
        record = {**run.to_record(), "outcome": RUNNING if begins else run.outcome}
        return RunState.model_validate({**record, "problem": self._redaction.text(run.problem)})

    async def failed(self, _request: Request, error: Exception) -> JSONResponse:
        """Answer why a call failed: 404 for a run that is not there, 422 for what somebody can mend."""
        status = 404 if isinstance(error, UnknownRunError) else 422 if isinstance(error, UsageError) else 500
        return refusal(status, self._redaction.text(str(error)), type(error).__name__)

    async def _streamed(self, request: Request, events: Events) -> Response:
        """Answer with the events as they come. Raises UsageError when there is none, HTTPException without room."""
        client = client_of(request.client.host if request.client else "")
        self._slots.take(client)
        try:
            await self._require_room()
            return _Stream(
                await anext(events), events, self._settings.serve.sse_limit, lambda: self._slots.give_back(client)
            )
        except BaseException:
            self._slots.give_back(client)
            raise

    async def _require_room(self) -> None:
        """Raise HTTPException when what is kept takes as much room as it may."""
        taken, most = await in_thread(bytes_under, self._settings.data_dir) / 1e6, self._settings.serve.megabytes
        if taken >= most:
            full = (
                f"What this service keeps takes {taken:,.0f} MB of {most:,.0f}: it takes no run until some is forgotten"
            )
            raise HTTPException(507, full)


class _Stream(EventSourceResponse):
    """The events as they go over the wire, large ones in slices; however it ends, nothing works on behind it."""

    def __init__(
        self, first: ServerEvent, events: Events, limit: int, on_close: Callable[[], None] = lambda: None
    ) -> None:
        self._events = events
        self._on_close = on_close
        super().__init__(_wire(first, events, limit))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._on_close()
            await self._events.aclose()


async def _wire(first: ServerEvent, events: Events, limit: int) -> AsyncGenerator[ServerSentEvent, None]:
    for part in split(first, limit):
        yield _sent(part)
    async for event in events:
        for part in split(event, limit):
            yield _sent(part)


def _sent(event: ServerEvent) -> ServerSentEvent:
    return ServerSentEvent(event=event.name, data=event.text, id=None if event.id is None else str(event.id))


async def _session(token: Token | None, asked: SessionRequest) -> Response:
    """Take the token of a browser, which shows it as a cookie from then on. Raises HTTPException for a wrong one."""
    if token is not None and not token.fits(asked.token):
        raise HTTPException(401, "That is not the token of this service")
    answer = Response(status_code=204)
    answer.set_cookie(COOKIE, asked.token, max_age=SESSION, httponly=True, samesite="strict")
    return answer


async def _refused(_request: Request, error: Exception) -> JSONResponse:
    """Answer what there is no such address or method for."""
    assert isinstance(error, HTTPException)
    return refusal(error.status_code, f"{error.detail}.", headers=error.headers)


async def _unusable(_request: Request, error: Exception) -> JSONResponse:
    """Answer what is wrong with a request."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    return refusal(422, f"{'.'.join(map(str, first['loc']))}: {first['msg']}")


async def _broken(_request: Request, _error: Exception) -> JSONResponse:
    """Answer an error that is ours: what it was is for the log alone."""
    return refusal(500, "Something is wrong with this service; whoever runs it finds more where it was started.")
