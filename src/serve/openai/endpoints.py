"""The endpoints of OpenAI's formats; each answer is a background run, available like any other."""

import json
from collections.abc import AsyncGenerator
from typing import Any, Final

from fastapi import Request
from fastapi.responses import JSONResponse, Response
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.exceptions import HTTPException

from ...kernel.errors import UsageError
from ...report import Report
from ..background_runs import BackgroundRuns, HasLeft
from ..bodies import RunState
from ..caller import Caller, Calling
from ..sse import ServerEvent
from .bodies import MODELS, ChatRequest, ResponseRequest, run_of
from .chat import chunk, chunks_of, completion_of
from .responses import closing_events, opening_events, response_of

Sent = AsyncGenerator[ServerSentEvent, None]

DONE: Final = ServerSentEvent(data="[DONE]")


class OpenAIEndpoints:
    """The endpoints that OpenAI clients call; disconnecting stops a run that was not requested in the background."""

    def __init__(self, runs: BackgroundRuns) -> None:
        self._runs = runs

    async def models(self) -> dict[str, Any]:
        """List the model names of the service: its default, and one for each effort."""
        listed = [{"id": name, "object": "model", "created": 0, "owned_by": "spyglass"} for name in MODELS]
        return {"object": "list", "data": listed}

    async def create(self, body: ResponseRequest, request: Request, caller: Calling) -> Response:
        """Answer a question with a report whose citations are annotations."""
        state = await self._runs.start(body.run(), caller)
        if body.stream:
            has_left = None if body.background else request.is_disconnected
            return EventSourceResponse(self._response_events(state, body.model, caller, has_left=has_left))
        if not body.background:
            state = await self._runs.ended(state.id, caller, request.is_disconnected)
        return JSONResponse(response_of(state, body.model, await self._report(state, caller)))

    async def retrieve(
        self, response_id: str, caller: Calling, *, stream: bool = False, starting_after: int = -1
    ) -> Response:
        """Return the state of a response; a stream continues after the event number `starting_after`."""
        state = await self._runs.status(run_of(response_id), caller)
        if stream:
            return EventSourceResponse(self._response_events(state, "spyglass", caller, starting_after))
        return JSONResponse(response_of(state, "spyglass", await self._report(state, caller)))

    async def cancel(self, response_id: str, caller: Calling) -> Response:
        """Stop a run, and return its response with the results so far."""
        await self._runs.cancel(run_of(response_id), caller)
        state = await self._runs.ended(run_of(response_id), caller)
        return JSONResponse(response_of(state, "spyglass", await self._report(state, caller)))

    async def chat(self, body: ChatRequest, request: Request, caller: Calling) -> Response:
        """Answer the last message of a chat with a report."""
        state = await self._runs.start(body.run(), caller)
        page = str(request.url_for("file", run_id=state.id, name="report.html"))
        if body.stream:
            return EventSourceResponse(self._chat_events(state, body, caller, page, request.is_disconnected))
        state = await self._runs.ended(state.id, caller, request.is_disconnected)
        if (report := await self._report(state, caller)) is None:
            raise HTTPException(500, state.problem or f"The run is {state.outcome}")
        return JSONResponse(completion_of(state, body.model, report, page))

    async def _response_events(
        self, state: RunState, model: str, caller: Caller, after: int = -1, has_left: HasLeft | None = None
    ) -> Sent:
        first = response_of(state.model_copy(update={"outcome": "running"}), model, None)
        for event in opening_events(first):
            if event.data["sequence_number"] > after:
                yield _sent(event)
        state = await self._runs.ended(state.id, caller, has_left)
        for event in closing_events(response_of(state, model, await self._report(state, caller))):
            if event.data["sequence_number"] > after:
                yield _sent(event)

    async def _chat_events(
        self, state: RunState, body: ChatRequest, caller: Caller, page: str, has_left: HasLeft
    ) -> Sent:
        yield ServerSentEvent(data=json.dumps(chunk(state, body.model, {"role": "assistant", "content": ""})))
        state = await self._runs.ended(state.id, caller, has_left)
        report = await self._report(state, caller)
        if report is None:
            why = state.problem or f"The run is {state.outcome}"
            yield ServerSentEvent(data=json.dumps({"error": {"message": why, "type": "server_error", "code": None}}))
            return
        usage = bool(body.stream_options and body.stream_options.include_usage)
        for piece in chunks_of(state, body.model, report, page, usage=usage):
            yield ServerSentEvent(data=json.dumps(piece))
        yield DONE

    async def _report(self, state: RunState, caller: Caller) -> Report | None:
        """Return the report of a run; None while there is none, or if it failed without one."""
        try:
            return await self._runs.report(state.id, caller)
        except UsageError:
            return None


def _sent(event: ServerEvent) -> ServerSentEvent:
    return ServerSentEvent(event=event.name, data=event.text)
