"""The service's FastAPI application: a web page, and searches, reports and checks over HTTP."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route

from .. import __version__
from ..kernel.errors import DatabaseError, SpyglassError, UnknownRunError, UsageError
from ..kernel.pool import Pool
from ..kernel.settings import Settings
from ..runs import RunManager, RunStore
from ..runs.detached import Makers, Processes
from ..watch import WatchStore, keep_watch
from .access import LOOPBACK, AccessControl
from .background_runs import BackgroundRuns
from .collections import Collections
from .endpoints import Endpoints
from .error_response import AWAY, ERROR_RESPONSES, OPENAI_ERROR_RESPONSES, error_response
from .indexing import Indexer
from .limits import RunSlots
from .openai import OpenAIEndpoints
from .operations import Operations
from .redaction import Redaction
from .tokens import Tokens, require_token

logger = logging.getLogger("spyglass.serve")

EVENTS: Final = "text/event-stream"

STREAM: Final[dict[str, Any]] = {"response_class": Response, "responses": {200: {"content": {EVENTS: {}}}}}
"""OpenAPI description of an endpoint whose response is a stream."""

AT_AN_END: Final[dict[str, Any]] = {
    **STREAM,
    "responses": {**STREAM["responses"], 204: {"description": "There are no events after the last id"}},
}
STREAM_AT_WISH: Final[dict[str, Any]] = {"responses": {**OPENAI_ERROR_RESPONSES, 200: {"content": {EVENTS: {}}}}}


STATUS: Final[dict[type[SpyglassError], int]] = {UnknownRunError: 404, UsageError: 422, DatabaseError: 503}
"""HTTP status by kind of error; 500 for others."""


def create_app(settings: Settings, *, host: str = "127.0.0.1", config: Path | None = None) -> FastAPI:
    """Return the service with these settings; a request can change only those settings that its body has fields for.

    `host` is the address that the server is bound to; it is accepted as a host name, like those of the loopback and of
    the setting `serve.hosts`. The processes of background runs read the `config` file. Raises UsageError if other
    machines can reach `host` and there is no token.
    """
    tokens = Tokens(settings)
    require_token(tokens, host)
    settings = settings.with_whole_paths()
    pool, redaction, slots = Pool(), Redaction(settings), RunSlots(settings.serve.runs, settings.serve.share)
    indexer = Indexer(settings, pool)
    collections = Collections(settings, indexer, redaction)
    runs = BackgroundRuns(settings, RunManager(settings, makers(settings, config)), redaction, slots, collections)
    others, openai = Endpoints(settings, pool, redaction, slots, tokens, collections), OpenAIEndpoints(runs)

    answers: Counter[int] = Counter()
    operations = Operations(RunStore.of(settings), slots, answers)

    @asynccontextmanager
    async def pooled(_app: FastAPI) -> AsyncGenerator[None, None]:
        async with pool:
            await runs.resume()
            await indexer.begin()
            await runs.get_ready()
            watching = asyncio.create_task(keep_watch(WatchStore.of(settings), settings, pool, logger.warning))
            yield
            watching.cancel()
            await indexer.leave()
            await runs.leave()

    async def failed(request: Request, error: Exception) -> JSONResponse:
        """Respond with the reason why a request failed."""
        status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 500)
        why = AWAY if status == 503 else redaction.text(str(error))
        return error_response(status, why, type(error).__name__, path=request.url.path)

    about: dict[str, Any] = {"title": "Spyglass", "version": __version__, "docs_url": None, "redoc_url": None}
    app = FastAPI(**about, lifespan=pooled, responses=ERROR_RESPONSES)
    hosts = [*LOOPBACK, host, *settings.serve.hosts]
    app.add_middleware(AccessControl, hosts=hosts, tokens=tokens, serve=settings.serve, answers=answers)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(SpyglassError, failed)
    app.add_exception_handler(RequestValidationError, _unusable)
    app.add_exception_handler(Exception, _broken)
    _add_calls(app, others, operations, runs, collections, openai)
    return app


def makers(settings: Settings, config: Path | None) -> Makers:
    """Return what makes the service's runs: processes or a Ray cluster. Raises UsageError if no cluster answers."""
    if settings.runs.ray is None:
        return Processes(settings, config)
    from ..cluster.connection import Cluster

    return Cluster(settings, settings.runs.ray)


def _add_calls(
    app: FastAPI,
    others: Endpoints,
    operations: Operations,
    runs: BackgroundRuns,
    collections: Collections,
    openai: OpenAIEndpoints,
) -> None:
    app.get("/", include_in_schema=False)(others.page)
    app.get("/page/{name}", include_in_schema=False)(others.page)
    app.post("/session", status_code=204)(others.session)
    app.get("/health")(others.health)
    app.get("/healthz")(operations.healthz)
    app.get("/readyz")(operations.readyz)
    app.get("/metrics", response_class=PlainTextResponse)(operations.metrics)
    app.post("/check")(others.check)
    app.post("/search", **STREAM)(others.search)
    app.post("/research")(others.research)
    app.post("/report", **STREAM)(others.report)
    app.post("/runs", status_code=202)(runs.start)
    app.get("/runs")(runs.all)
    app.get("/runs/{run_id}")(runs.status)
    app.post("/runs/{run_id}/cancel")(runs.cancel)
    app.get("/runs/{run_id}/plan")(runs.plan)
    app.post("/runs/{run_id}/plan", status_code=202)(runs.approve)
    app.get("/runs/{run_id}/events", **AT_AN_END)(runs.events)
    app.get("/runs/{run_id}/evidence")(runs.evidence)
    app.get("/runs/{run_id}/{name}", name="file", response_class=Response)(runs.file)
    app.get("/collections")(collections.all)
    app.post("/collections", status_code=201)(collections.make)
    app.get("/collections/{name}")(collections.one)
    app.delete("/collections/{name}", status_code=204)(collections.forget)
    app.post("/collections/{name}/index", status_code=202)(collections.index)
    app.put("/collections/{name}/documents/{document:path}", status_code=201)(collections.upload)
    app.delete("/collections/{name}/documents/{document:path}", status_code=204)(collections.remove)
    app.get("/v1/models", responses=OPENAI_ERROR_RESPONSES)(openai.models)
    app.post("/v1/responses", **STREAM_AT_WISH)(openai.create)
    app.get("/v1/responses/{response_id}", **STREAM_AT_WISH)(openai.retrieve)
    app.post("/v1/responses/{response_id}/cancel", responses=OPENAI_ERROR_RESPONSES)(openai.cancel)
    app.post("/v1/chat/completions", **STREAM_AT_WISH)(openai.chat)


async def _refused(request: Request, error: Exception) -> JSONResponse:
    """Respond to an HTTPException, such as an unknown path or method."""
    assert isinstance(error, HTTPException)
    headers = {"Allow": _allowed(request)} if error.status_code == 405 else error.headers
    return error_response(error.status_code, f"{error.detail}.", headers=headers, path=request.url.path)


def _allowed(request: Request) -> str:
    """Return the allowed methods of the requested path; each has its own route."""
    routes = [route for route in request.app.routes if isinstance(route, Route)]
    path = next(route.path for route in routes if route.matches(request.scope)[0] != Match.NONE)
    return ", ".join(sorted({method for route in routes if route.path == path for method in route.methods or ()}))


async def _unusable(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    return error_response(422, f"{'.'.join(map(str, first['loc']))}: {first['msg']}", path=request.url.path)


async def _broken(request: Request, _error: Exception) -> JSONResponse:
    """Respond to an internal error, whose details go only to the log."""
    why = "The service had an internal error; its operator finds details where it was started."
    return error_response(500, why, path=request.url.path)
