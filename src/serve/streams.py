"""What the service streams: the events of a search or of a report, and last the whole result or the error."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from ..generate_report import research
from ..kernel.errors import SpyglassError, UsageError
from ..kernel.events import Event, OutputChanged, PhaseChanged
from ..kernel.pool import Pool
from ..kernel.settings import Settings
from ..report import Report
from ..tools.tool_event import Teller
from ..tools.web_search import stream_web_search
from .redaction import Redaction
from .sse import ServerEvent


async def search_events(
    settings: Settings,
    pool: Pool,
    redaction: Redaction,
    query: str,
    time_range: str,
    whitelisted_domains: Sequence[str],
) -> AsyncGenerator[ServerEvent, None]:
    """Yield the events of a `web_search`. Raises UsageError before the first one."""
    events = stream_web_search(query, time_range, whitelisted_domains, settings=settings, pool=pool)
    async with aclosing(events):
        async for event in events:
            yield ServerEvent(event.name, event.data if event.name == "tool_end" else redaction.value(event.data))


async def report_events(
    settings: Settings, pool: Pool, redaction: Redaction, question: str
) -> AsyncGenerator[ServerEvent, None]:
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
            yield _told(event, teller, redaction)
        yield _last(making, teller, redaction)
    finally:
        making.cancel()
        await asyncio.wait([making])


def _told(event: Event, teller: Teller, redaction: Redaction) -> ServerEvent:
    if isinstance(event, PhaseChanged | OutputChanged) and (told := teller.update(event)):
        return ServerEvent(told.name, redaction.value(told.data))
    record = redaction.value(event.to_record())
    return ServerEvent(str(record.pop("event")), record)


def _last(making: "asyncio.Future[Report]", teller: Teller, redaction: Redaction) -> ServerEvent:
    try:
        report = redaction.report(making.result())
    except UsageError:
        raise
    except SpyglassError as error:
        return ServerEvent("error", redaction.value(teller.error(error).data))
    return ServerEvent("tool_end", {**report.model_dump(mode="json"), "markdown": report.markdown})
