"""Research of a topic on the web in several steps, without a model."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from pydantic import Field

from ..kernel.pool import Pool
from ..kernel.question import checked_question
from ..kernel.run import EventSink, Run
from ..kernel.settings import Settings
from ..kernel.tool import GIVEN, tool
from ..runs import RunStart
from ..search.check import check_settings
from .answers import WebResearch
from .recorded_tool import RESEARCH, Starter, tool_answer
from .researching import MOST_SOURCES, Depth, Researching


@tool
async def web_research(
    topic: Annotated[str, "What to research."],
    depth: Annotated[Depth, "1 quick, 2 moderate, 3 thorough."] = 2,
    max_sources: Annotated[int, Field(ge=1, le=MOST_SOURCES), "How many pages to read."] = 5,
    *,
    settings: Annotated[Settings | None, GIVEN] = None,
    run: Annotated[Run | None, GIVEN] = None,
    on_event: Annotated[EventSink | None, GIVEN] = None,
    on_start: Annotated[Starter | None, GIVEN] = None,
    resume: Annotated[str | Path | None, GIVEN] = None,
    pool: Annotated[Pool | None, GIVEN] = None,
) -> WebResearch:
    """Research a topic on the web in several steps, without a model, and return key findings by source.

    The topic is decomposed by rules, all sub-queries are searched side by side, and the best page of each domain is
    read. A page that cannot be read is reported, and replaced by the next one. Raises UsageError for an argument or
    a setting that is not allowed, and NoSearchError when no engine answers any query.
    """
    base = settings or (run.settings if run else Settings.load())
    if run is not None:
        await check_settings(base)
        return await Researching(run, base, checked_question(topic), depth, max_sources).result()
    makes = {"kind": RESEARCH, "depth": depth, "max_sources": max_sources}
    start = RunStart.of(topic, base, resume, makes)
    findings: WebResearch = await tool_answer(replace(start, on_event=on_event, on_start=on_start, pool=pool))
    return findings
