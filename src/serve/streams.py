"""The event streams of the service: the events of a search or a report, ending with the whole result or the error."""

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

OVER: Final = 2.0  # seconds without an event before checking whether the run ended without a last event

Events = AsyncGenerator[list[ServerEvent], None]
"""Batches of events in order: sending a batch costs about as much as sending one event."""


class EventStream(EventSourceResponse):
    """A response that sends events, large ones in slices, and always closes the iterator at the end."""

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

    Phases and outputs are sent as in a search; any other event has its own name and fields. Closing the iterator
    cancels the run. Raises UsageError before the first event.
    """
    events: asyncio.Queue[Event | None] = asyncio.Queue()
    making = asyncio.ensure_future(research(question, settings=settings, on_event=events.put_nowait, pool=pool))
    making.add_done_callback(lambda _: events.put_nowait(None))
    teller = Teller(question)
    try:
        while (event := await events.get()) is not None:
            yield [_server_event(event, teller, redaction)]
        yield [_last(making, teller, redaction)]
    finally:
        making.cancel()
        await asyncio.wait([making])


async def run_events(manager: RunManager, redaction: Redaction, run_id: str, after: int, wait: float) -> Events:
    """Yield the events of a background run after the event with the id `after`, to its end, a hundred at a time.

    Their names are those of `report_events`; their ids ascend. Raises UnknownRunError before the first event, and
    DatabaseError if the database is unreachable for longer than `wait` seconds.
    """
    question = (await in_thread(manager.status, run_id)).question
    teller, clock = Teller(question), asyncio.get_running_loop().time
    check_at, give_up_at, has_ended = clock() + OVER, clock() + wait, False
    async with manager.store.following(run_id) as change:
        while True:
            try:
                logged = await in_thread(manager.events, run_id, after)
                give_up_at = clock() + wait
            except DatabaseError:
                if clock() > give_up_at:
                    raise
                await change()
                continue
            if logged:
                yield [_logged_event(event, teller, redaction) for event in logged]
                after = logged[-1].id
                has_ended = logged[-1].name == RunEnded.__name__
                check_at = clock() + (0 if has_ended else OVER)
                continue
            if clock() >= check_at:
                with suppress(DatabaseError):
                    is_over = await in_thread(manager.is_over, run_id)
                    if has_ended and is_over and not await in_thread(manager.events, run_id, after):
                        return
                    has_ended, check_at = (
                        has_ended or is_over,
                        clock() + (0 if has_ended else OVER),
                    )  # its last event may still arrive
            await change()


def _logged_event(event: LoggedEvent, teller: Teller, redaction: Redaction) -> ServerEvent:
    """Return the server event for an event of the log."""
    for kind in (PhaseChanged, OutputChanged):
        if event.name == kind.__name__:
            return _server_event(kind(**event.data), teller, redaction, event.id)
    return ServerEvent(event.name, redaction.value(event.data), event.id)


def _server_event(event: Event, teller: Teller, redaction: Redaction, event_id: int | None = None) -> ServerEvent:
    if isinstance(event, PhaseChanged | OutputChanged) and (update := teller.update(event)):
        return ServerEvent(update.name, redaction.value(update.data), event_id)
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
    yield _encoded(first, limit)
    async for batch in events:
        yield _encoded(batch, limit)


def _encoded(events: list[ServerEvent], limit: int) -> bytes:
    parts = [part for event in events for part in split(event, limit)]
    return b"".join(
        ServerSentEvent(event=part.name, data=part.text, id=None if part.id is None else str(part.id)).encode()
        for part in parts
    )
