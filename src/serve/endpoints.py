"""The endpoints without a background run: the page, health, searches, reports and checks, some as streams."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from fastapi import Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from ..kernel.cleanup import rollback_on_error
from ..kernel.errors import UsageError
from ..kernel.pool import Pool
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..tools import web_research
from .access import COOKIE
from .bodies import ReportRequest, ResearchRequest, SearchRequest, SessionRequest
from .caller import Caller, Calling
from .check import CheckAnswer, CheckRequest, checked
from .collections import Collections
from .limits import RunSlots, asked_of, limited, require_room, require_web
from .page import page_file
from .redaction import Redaction
from .streams import Events, EventStream, report_events, search_events
from .tokens import TokenError, Tokens

SESSION: Final = 30 * 86_400  # lifetime of the cookie with the token, in seconds


@dataclass(frozen=True, slots=True)
class Endpoints:
    """These endpoints, and the resources that their runs share."""

    settings: Settings
    pool: Pool
    redaction: Redaction
    slots: RunSlots
    tokens: Tokens
    collections: Collections

    async def page(self, name: str = "index.html") -> Response:
        """Return a file of the page."""
        if (response := page_file(name)) is None:
            raise HTTPException(404, "The page has no such file")
        return response

    async def session(self, body: SessionRequest, request: Request) -> Response:
        """Set the token from a browser as a cookie; a wrong token is refused."""
        try:
            await in_thread(self.tokens.admits, body.token)
        except TokenError as error:
            raise HTTPException(401, error.what) from error
        answer, secure = Response(status_code=204), request.url.scheme == "https"
        answer.set_cookie(COOKIE, body.token, max_age=SESSION, httponly=True, samesite="strict", secure=secure)
        return answer

    async def health(self) -> dict[str, Any]:
        """Return that the service is up, how many runs it has, and what it searches."""
        settings = self.settings
        places = {"files": bool(settings.db), "web": settings.web is not False, "searches_web": settings.searches_web}
        return {"status": "ok", "open": self.slots.in_use, "most": self.slots.most, **places}

    async def check(self, body: CheckRequest, caller: Calling) -> CheckAnswer:
        """Check each sentence of a text against the files and the pages that it cites."""
        if body.web:
            require_web(self.settings)
        folders = await self.collections.folders(caller, body.collections)
        if not (body.web or folders or self.settings.db):
            raise UsageError(
                "There are no sources to check the text against",
                remedy="Set web to true to read the pages that it cites.",
            )
        _require_no_budget(caller)
        settings = await limited(self.settings.model_copy(update={"db": folders or self.settings.db}))
        with self.slots.slot(caller.client):
            return await checked(settings, self.pool, self.redaction, body)

    async def search(self, body: SearchRequest, caller: Calling) -> Response:
        """Answer a question from the web."""
        settings = await self._web_settings(caller)
        events = search_events(
            settings, self.pool, self.redaction, body.query, body.time_range, body.whitelisted_domains
        )
        return await self._stream(caller, events)

    async def research(self, body: ResearchRequest, caller: Calling) -> dict[str, Any]:
        """Research a topic on the web without a model: key findings by source, with a confidence level."""
        settings = await self._web_settings(caller)
        with self.slots.slot(caller.client):
            await require_room(self.settings)
            findings = await web_research.call(body.model_dump(), settings=settings, pool=self.pool)
        return dict(self.redaction.value(findings.to_record()))

    async def report(self, body: ReportRequest, caller: Calling) -> Response:
        """Research a question and write a report."""
        _require_no_budget(caller)
        folders = await self.collections.folders(caller, body.collections)
        settings = await asked_of(self.settings, body, folders)
        return await self._stream(caller, report_events(settings, self.pool, self.redaction, body.q))

    async def _web_settings(self, caller: Caller) -> Settings:
        """Return the settings for a search of the web only. Raises UsageError and HTTPException."""
        require_web(self.settings)
        _require_no_budget(caller)
        return await limited(self.settings)

    async def _stream(self, caller: Caller, events: Events) -> Response:
        """Return a stream of the events. Raises UsageError before the first one, HTTPException at a limit."""
        self.slots.take(caller.client)
        give_back = partial(self.slots.give_back, caller.client)
        with rollback_on_error(give_back):
            await require_room(self.settings)
            return EventStream(await anext(events), events, self.settings.serve.sse_limit, give_back)


def _require_no_budget(caller: Caller) -> None:
    """Raise HTTPException for a caller with a budget, against which only background runs are counted."""
    if caller.grant is not None and caller.grant.is_bounded:
        raise HTTPException(403, "This token has a budget, which is only for runs in the background: POST /runs")
