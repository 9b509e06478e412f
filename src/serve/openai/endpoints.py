"""The endpoints of OpenAI's formats: each answer is a run in the background, and is read as any other as well."""

import json
from collections.abc import AsyncGenerator
from typing import Any, Final

from fastapi import Request
from fastapi.responses import JSONResponse, Response
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.exceptions import HTTPException

from ...kernel.errors import UsageError
from ...report import Report
from ..background_runs import BackgroundRuns, Left
from ..bodies import RunState
from ..caller import Caller, Calling
from ..sse import ServerEvent
from .bodies import MODELS, ChatRequest, ResponseRequest, run_of
from .chat import chunk, chunks_of, completion_of
from .responses import begun, response_of, told

Sent = AsyncGenerator[ServerSentEvent, None]

DONE: Final = ServerSentEvent(data="[DONE]")


class OpenAIEndpoints:
    """Endpoints that the clients of OpenAI call; who leaves one that is not in the background stops its run."""

    def __init__(self, runs: BackgroundRuns) -> None:
        self._runs = runs

    async def models(self) -> dict[str, Any]:
        """List the names under which the service is asked: one for each effort."""
        listed = [{"id": name, "object": "model", "created": 0, "owned_by": "spyglass"} for name in MODELS]
        return {"object": "list", "data": listed}

    async def create(self, asked: ResponseRequest, request: Request, caller: Calling) -> Response:
        """Answer a question with a report whose citations are annotations."""
        state = await self._runs.start(asked.run(), caller)
        if asked.stream:
            left = None if asked.background else request.is_disconnected
            return EventSourceResponse(self._response_events(state, asked.model, caller, left=left))
        if not asked.background:
            state = await self._runs.ended(state.id, caller, request.is_disconnected)
        return JSONResponse(response_of(state, asked.model, await self._report(state, caller)))

    async def retrieve(
        self, response_id: str, caller: Calling, *, stream: bool = False, starting_after: int = -1
    ) -> Response:
        """Tell how a response stands; a stream goes on behind the event of that number."""
        state = await self._runs.status(run_of(response_id), caller)
        if stream:
            return EventSourceResponse(self._response_events(state, "spyglass", caller, starting_after))
        return JSONResponse(response_of(state, "spyglass", await self._report(state, caller)))

    async def cancel(self, response_id: str, caller: Calling) -> Response:
        """Stop a run, which then answers with what is there."""
        await self._runs.cancel(run_of(response_id), caller)
        state = await self._runs.ended(run_of(response_id), caller)
        return JSONResponse(response_of(state, "spyglass", await self._report(state, caller)))

    async def chat(self, asked: ChatRequest, request: Request, caller: Calling) -> Response:
        """Answer the last message of a chat with a report."""
        state = await self._runs.start(asked.run(), caller)
        page = str(request.url_for("file", run_id=state.id, name="report.html"))
        if asked.stream:
            return EventSourceResponse(self._chat_events(state, asked, caller, page, request.is_disconnected))
        state = await self._runs.ended(state.id, caller, request.is_disconnected)
        if (report := await self._report(state, caller)) is None:
            raise HTTPException(500, state.problem or f"The run is {state.outcome}")
        return JSONResponse(completion_of(state, asked.model, report, page))

    async def _response_events(
        self, state: RunState, model: str, caller: Caller, after: int = -1, left: Left | None = None
    ) -> Sent:
        first = response_of(state.model_copy(update={"outcome": "running"}), model, None)
        for event in begun(first):
            if event.data["sequence_number"] > after:
                yield _sent(event)
        state = await self._runs.ended(state.id, caller, left)
        for event in told(response_of(state, model, await self._report(state, caller))):
            if event.data["sequence_number"] > after:
                yield _sent(event)

    async def _chat_events(self, state: RunState, asked: ChatRequest, caller: Caller, page: str, left: Left) -> Sent:
        yield ServerSentEvent(data=json.dumps(chunk(state, asked.model, {"role": "assistant", "content": ""})))
        state = await self._runs.ended(state.id, caller, left)
        report = await self._report(state, caller)
        if report is None:
            why = state.problem or f"The run is {state.outcome}"
            yield ServerSentEvent(data=json.dumps({"error": {"message": why, "type": "server_error", "code": None}}))
            return
        usage = bool(asked.stream_options and asked.stream_options.include_usage)
        for piece in chunks_of(state, asked.model, report, page, usage=usage):
            yield ServerSentEvent(data=json.dumps(piece))
        yield DONE

    async def _report(self, state: RunState, caller: Caller) -> Report | None:
        """Return the report of a run; None while there is none, or where it failed without one."""
        try:
            return await self._runs.report(state.id, caller)
        except UsageError:
            return None


def _sent(event: ServerEvent) -> ServerSentEvent:
    return ServerSentEvent(event=event.name, data=event.text)
