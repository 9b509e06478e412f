"""`web_search`: answers a question from the web by searching, reading, reranking and writing."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from ..kernel.argument import validated
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
from .recorded_tool import SEARCH, Starter, tool_answer
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
    narrowed = _search_settings(settings or (run.settings if run else Settings.load()), time_range, whitelisted_domains)
    if run is not None:
        query = checked_question(query)
        await check_settings(narrowed)
        return await Answering(run, narrowed, query).result()
    start = RunStart.of(query, narrowed, resume, {"kind": SEARCH})
    answer: WebSearch = await tool_answer(replace(start, on_event=on_event, on_start=on_start, pool=pool))
    return answer


@validated
async def stream_web_search(
    query: str,
    time_range: str = "none",
    whitelisted_domains: Sequence[str] = (),
    *,
    settings: Settings | None = None,
    pool: Pool | None = None,
) -> AsyncGenerator[ToolEvent, None]:
    """Yield the events of a `web_search` as they occur, and last `tool_end` with the whole result, or `error`.

    The contents of the `tool_partial_update` events, joined, are the answer as it was written, with `<source_1>` marks
    that the result replaces; if a model's text broke off and a retry or quotes replaced it, they contain both. Closing
    the iterator stops the search. Raises UsageError before anything is searched.
    """
    events: asyncio.Queue[Event | None] = asyncio.Queue()
    arguments: dict[str, Any] = {"query": query, "time_range": time_range, "whitelisted_domains": whitelisted_domains}
    search = asyncio.ensure_future(web_search.call(arguments, settings=settings, on_event=events.put_nowait, pool=pool))
    search.add_done_callback(lambda _: events.put_nowait(None))
    teller = Teller(query)
    try:
        while (event := await events.get()) is not None:
            if (tool_event := teller.update(event)) is not None:
                yield tool_event
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


def _search_settings(settings: Settings, time_range: TimeRange, domains: Sequence[str]) -> Settings:
    """Return the settings for one search. Raises UsageError for white lists without a common domain."""
    changes: dict[str, Any] = {"search.time_range": time_range} if time_range != "none" else {}
    if domains:
        changes["search.domains"] = _common_domains(domains, settings.search.domains)
    return settings.updated(**changes)


def _common_domains(wanted: Sequence[str], allowed: Sequence[str]) -> list[str]:
    """Return the intersection of two white lists. Raises UsageError if it is empty."""
    if not allowed:
        return list(wanted)
    wanted_entries, allowed_entries = [domain_entry(name) for name in wanted], [domain_entry(name) for name in allowed]
    common = [entry for entry in wanted_entries if in_domains(entry, allowed_entries)]
    common += [entry for entry in allowed_entries if in_domains(entry, wanted_entries)]
    if not common:
        raise UsageError(f"None of {', '.join(wanted)} is among the allowed domains: {', '.join(allowed)}")
    return list(dict.fromkeys(common))
