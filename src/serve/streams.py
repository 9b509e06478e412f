"""What the service streams: the events of a search or of a report, and last the whole result or the error."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from ..errors import SpyglassError, UsageError
from ..events import Event, PhaseChanged
from ..generate_report import research
from ..pool import Pool
from ..report import Report
from ..settings import Settings
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

    A phase is a `tool_update`, as in a search; any other event has its own name and fields. Closing the iterator
    cancels the run. Raises UsageError before the first event.
    """
    events: asyncio.Queue[Event | None] = asyncio.Queue()
    making = asyncio.ensure_future(research(question, settings=settings, on_event=events.put_nowait, pool=pool))
    making.add_done_callback(lambda _: events.put_nowait(None))
    try:
        while (event := await events.get()) is not None:
            yield _told(event, veil)
        yield _last(making, veil)
    finally:
        making.cancel()
        await asyncio.wait([making])


def _told(event: Event, veil: Veil) -> ServerEvent:
    record = veil.value(event.to_record())
    name = str(record.pop("event"))
    return ServerEvent("tool_update" if isinstance(event, PhaseChanged) else name, record)


def _last(making: "asyncio.Future[Report]", veil: Veil) -> ServerEvent:
    try:
        report = veil.report(making.result())
    except UsageError:
        raise
    except SpyglassError as error:
        return ServerEvent("error", {"error": veil.text(str(error)), "type": type(error).__name__})
    return ServerEvent("tool_end", {**report.model_dump(mode="json"), "markdown": report.markdown})
