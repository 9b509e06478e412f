"""What the service streams: the events of a search or of a report, and last the whole result or the error."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from ..errors import SpyglassError, UsageError
from ..events import Event, OutputChanged, PhaseChanged
from ..generate_report import research
from ..pool import Pool
from ..report import Report
from ..settings import Settings
from ..tools.tool_event import Teller
from ..tools.web_search import stream_web_search
from .sse import ServerEvent
from .veil import Veil


async def search_events(
    settings: Settings, pool: Pool, veil: Veil, query: str, time_range: str, whitelisted_domains: Sequence[str]
) -> AsyncGenerator[ServerEvent, None]:
    """Yield the events of a `web_search`. Raises UsageError before the first one."""
    events = stream_web_search(query, time_range, whitelisted_domains, settings=settings, pool=pool)
    async with aclosing(events):
        async for event in events:
            yield ServerEvent(event.name, event.data if event.name == "tool_end" else veil.value(event.data))


async def report_events(settings: Settings, pool: Pool, veil: Veil, question: str) -> AsyncGenerator[ServerEvent, None]:
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
            yield _told(event, teller, veil)
        yield _last(making, teller, veil)
    finally:
        making.cancel()
        await asyncio.wait([making])


def _told(event: Event, teller: Teller, veil: Veil) -> ServerEvent:
    if isinstance(event, PhaseChanged | OutputChanged) and (told := teller.update(event)):
        return ServerEvent(told.name, veil.value(told.data))
    record = veil.value(event.to_record())
    return ServerEvent(str(record.pop("event")), record)


def _last(making: "asyncio.Future[Report]", teller: Teller, veil: Veil) -> ServerEvent:
    try:
        report = veil.report(making.result())
    except UsageError:
        raise
    except SpyglassError as error:
        return ServerEvent("error", veil.value(teller.error(error).data))
    return ServerEvent("tool_end", {**report.model_dump(mode="json"), "markdown": report.markdown})
