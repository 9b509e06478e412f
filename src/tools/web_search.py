"""A question answered from the web: search, read, rerank, write."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Annotated, Any

from ..kernel.argument import door
from ..kernel.errors import SpyglassError, UsageError
from ..kernel.events import Event
from ..kernel.pool import Pool
from ..kernel.question import checked_question
from ..kernel.run import EventSink, Run
from ..kernel.settings import Settings, TimeRange
from ..kernel.tool import GIVEN, tool
from ..runs import RunStart
from ..search.check import check_settings
from ..search.urls import domain_entry, in_domains
from .answering import Answering
from .answers import WebSearch
from .own_run import SEARCH, Starter, answered
from .tool_event import Teller, ToolEvent


@tool
async def web_search(
    query: Annotated[str, "What to answer."],
    time_range: Annotated[TimeRange, "How recent the results should be."] = "none",
    whitelisted_domains: Annotated[Sequence[str], "Only results of these domains and their subdomains."] = (),
    *,
    settings: Annotated[Settings | None, GIVEN] = None,
    run: Annotated[Run | None, GIVEN] = None,
    on_event: Annotated[EventSink | None, GIVEN] = None,
    pool: Annotated[Pool | None, GIVEN] = None,
    on_start: Annotated[Starter | None, GIVEN] = None,
    resume: Annotated[str | Path | None, GIVEN] = None,
) -> WebSearch:
    """Answer a question from the web: search broadly, read the best pages, rerank their full texts, and write.

    Without a model the answer quotes the pages. Only what was read is cited, and code writes every address. What does
    not work on the way is replaced or left out; that nothing was found is an answer. Raises UsageError for an argument
    or a setting that is not allowed, and NoSearchError when no engine answers.
    """
    given = _with(settings or (run.settings if run else Settings.load()), time_range, whitelisted_domains)
    if run is not None:
        query = checked_question(query)
        await check_settings(given)
        return await Answering(run, given, query).result()
    begun = RunStart.of(query, given, resume, {"kind": SEARCH})
    answer: WebSearch = await answered(begun, on_event=on_event, on_start=on_start, pool=pool)
    return answer


@door
async def stream_web_search(
    query: str,
    time_range: str = "none",
    whitelisted_domains: Sequence[str] = (),
    *,
    settings: Settings | None = None,
    pool: Pool | None = None,
) -> AsyncGenerator[ToolEvent, None]:
    """Yield what happens in a `web_search`, as it happens, and last `tool_end` with its whole result, or `error`.

    The contents of the `tool_partial_update` events, joined, are the answer as it was written, with `<source_1>` marks
    that the result replaces; where a model broke off and another attempt or the pages' own words took its place, both
    are in them. Closing the iterator stops the search. Raises UsageError before anything is searched.
    """
    events: asyncio.Queue[Event | None] = asyncio.Queue()
    asked: dict[str, Any] = {"query": query, "time_range": time_range, "whitelisted_domains": whitelisted_domains}
    search = asyncio.ensure_future(web_search.call(asked, settings=settings, on_event=events.put_nowait, pool=pool))
    search.add_done_callback(lambda _: events.put_nowait(None))
    teller = Teller(query)
    try:
        while (event := await events.get()) is not None:
            if (told := teller.update(event)) is not None:
                yield told
        yield _last(search, teller)
    finally:
        search.cancel()
        await asyncio.wait([search])


def _last(search: "asyncio.Future[WebSearch]", teller: Teller) -> ToolEvent:
    try:
        return ToolEvent("tool_end", search.result().to_record())
    except UsageError:
        raise
    except SpyglassError as error:
        return teller.error(error)


def _with(settings: Settings, time_range: TimeRange, only: Sequence[str]) -> Settings:
    """Return the settings for one search. Raises UsageError for white lists that have nothing in common."""
    changed: dict[str, Any] = {"search.time_range": time_range} if time_range != "none" else {}
    if only:
        changed["search.domains"] = _narrowed(only, settings.search.domains)
    return settings.updated(**changed)


def _narrowed(only: Sequence[str], allowed: Sequence[str]) -> list[str]:
    """Return what two white lists have in common. Raises UsageError when that is nothing."""
    if not allowed:
        return list(only)
    wanted, known = [domain_entry(one) for one in only], [domain_entry(one) for one in allowed]
    both = [*(one for one in wanted if in_domains(one, known)), *(one for one in known if in_domains(one, wanted))]
    if not both:
        raise UsageError(f"None of {', '.join(only)} is among the domains that are allowed here: {', '.join(allowed)}")
    return list(dict.fromkeys(both))
