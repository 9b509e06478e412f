"""What the service streams: the events of a search or of a report, last the whole result or the error; and how."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress
from typing import Final

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.types import Receive, Scope, Send

from ..generate_report import research
from ..kernel.errors import DatabaseError, SpyglassError, UsageError
from ..kernel.events import Event, OutputChanged, PhaseChanged, RunEnded
from ..kernel.pool import Pool
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..report import Report
from ..runs import RunManager
from ..runs.event_log import LoggedEvent
from ..tools import stream_web_search
from ..tools.tool_event import Teller
from .redaction import Redaction
from .sse import ServerEvent, split

OVER: Final = 2.0  # seconds without an event after which it is looked whether the run has ended without one

Events = AsyncGenerator[list[ServerEvent], None]
"""Events in order, those together that are there at once: each sending costs more than an event does."""


class EventStream(EventSourceResponse):
    """The events as they go over the wire, large ones in slices; however it ends, nothing works on behind it."""

    def __init__(
        self, first: list[ServerEvent], events: Events, limit: int, on_close: Callable[[], None] = lambda: None
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


async def search_events(
    settings: Settings,
    pool: Pool,
    redaction: Redaction,
    query: str,
    time_range: str,
    whitelisted_domains: Sequence[str],
) -> Events:
    """Yield the events of a `web_search`. Raises UsageError before the first one."""
    events = stream_web_search(query, time_range, whitelisted_domains, settings=settings, pool=pool)
    async with aclosing(events):
        async for event in events:
            yield [ServerEvent(event.name, event.data if event.name == "tool_end" else redaction.value(event.data))]


async def report_events(settings: Settings, pool: Pool, redaction: Redaction, question: str) -> Events:
    """Yield the events of a report's run, and last `tool_end` with the report, or `error`.

    Phases and what they bring are told as in a search; any other event has its own name and fields. Closing the
    iterator cancels the run. Raises UsageError before the first event.
    """
    events: asyncio.Queue[Event | None] = asyncio.Queue()
    making = asyncio.ensure_future(research(question, settings=settings, on_event=events.put_nowait, pool=pool))
    making.add_done_callback(lambda _: events.put_nowait(None))
    teller = Teller(question)
    try:
        while (event := await events.get()) is not None:
            yield [_told(event, teller, redaction)]
        yield [_last(making, teller, redaction)]
    finally:
        making.cancel()
        await asyncio.wait([making])


async def run_events(manager: RunManager, redaction: Redaction, run_id: str, after: int, wait: float) -> Events:
    """Yield the events of a run in the background behind the one with the id `after`, to its end; a hundred at once.

    They have the names that those of `report_events` have, and grow in their ids. Raises UnknownRunError before the
    first one, and DatabaseError when the database is away for longer than `wait` seconds.
    """
    question = (await in_thread(manager.status, run_id)).question
    teller, clock = Teller(question), asyncio.get_running_loop().time
    look, away, over = clock() + OVER, clock() + wait, False
    async with manager.store.following(run_id) as something:
        while True:
            try:
                found = await in_thread(manager.events, run_id, after)
                away = clock() + wait
            except DatabaseError:
                if clock() > away:
                    raise
                await something()
                continue
            if found:
                yield [_logged(one, teller, redaction) for one in found]
                after = found[-1].id
                over = found[-1].name == RunEnded.__name__
                look = clock() + (0 if over else OVER)
                continue
            if clock() >= look:
                with suppress(DatabaseError):
                    is_over = await in_thread(manager.is_over, run_id)
                    if over and is_over and not await in_thread(manager.events, run_id, after):
                        return
                    over, look = over or is_over, clock() + (0 if over else OVER)  # its last event may be on its way
            await something()


def _logged(event: LoggedEvent, teller: Teller, redaction: Redaction) -> ServerEvent:
    """Return an event of the log as it is told."""
    for kind in (PhaseChanged, OutputChanged):
        if event.name == kind.__name__:
            return _told(kind(**event.data), teller, redaction, event.id)
    return ServerEvent(event.name, redaction.value(event.data), event.id)


def _told(event: Event, teller: Teller, redaction: Redaction, event_id: int | None = None) -> ServerEvent:
    if isinstance(event, PhaseChanged | OutputChanged) and (told := teller.update(event)):
        return ServerEvent(told.name, redaction.value(told.data), event_id)
    record = redaction.value(event.to_record())
    return ServerEvent(str(record.pop("event")), record, event_id)


def _last(making: "asyncio.Future[Report]", teller: Teller, redaction: Redaction) -> ServerEvent:
    try:
        report = redaction.report(making.result())
    except UsageError:
        raise
    except SpyglassError as error:
        return ServerEvent("error", redaction.value(teller.error(error).data))
    return ServerEvent("tool_end", {**report.model_dump(mode="json"), "markdown": report.markdown})


async def _wire(first: list[ServerEvent], events: Events, limit: int) -> AsyncGenerator[bytes, None]:
    yield _sent(first, limit)
    async for some in events:
        yield _sent(some, limit)


def _sent(events: list[ServerEvent], limit: int) -> bytes:
    parts = [part for event in events for part in split(event, limit)]
    return b"".join(
        ServerSentEvent(event=one.name, data=one.text, id=None if one.id is None else str(one.id)).encode()
        for one in parts
    )
