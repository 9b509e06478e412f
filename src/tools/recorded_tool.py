"""Runs a tool in its own run, which is recorded, listed, resumed and replayed like the run of a report."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ..kernel.outcome import Outcome
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..model.providers import model_for
from ..runs import RunStart, StoredRun
from ..runs.start import opened, require_recorded
from ..runs.stored import rejecting_unfit_values
from .answering import Answering
from .answers import WebResearch, WebSearch
from .researching import Researching

if TYPE_CHECKING:
    from .crawl_site import SiteCrawl

Answer: TypeAlias = "WebSearch | WebResearch | SiteCrawl"
Starter = Callable[[Run], None]

SEARCH: Final = "search"
RESEARCH: Final = "research"
CRAWL: Final = "crawl"  # the kinds of tool runs


async def tool_answer(start: RunStart) -> Any:
    """Return the answer of a new or resumed run, of the type for its kind.

    Raises UsageError, the tool's errors, and LeaseError while another process is making the run.
    """
    models = [model_for(start.settings, "writer")]
    async with opened(start, models, searches=True) as run:
        answer = await _answer(run, start)
        run.journal.put("answer", answer.to_record())
        return answer


async def replayed_answer(stored: StoredRun, settings: Settings) -> tuple[Answer, Outcome]:
    """Return the answer of a finished run and its outcome, replayed from its journal alone.

    Raises NotRecordedError.
    """
    start = RunStart.of_copy(stored.path, settings, stored.kind)
    with rejecting_unfit_values(stored.path):
        async with Run(start.question, start.settings, journal=start.journal(), offline=True) as run:
            answer = await _answer(run, start)
            require_recorded(run, stored.path)
            return answer, run.outcome


async def _answer(run: Run, start: RunStart) -> Answer:
    if start.makes["kind"] == SEARCH:
        answer = await Answering(run, start.settings, start.question).result()
        run.conclude(has_result=bool(answer.sources_used))
        return answer
    if start.makes["kind"] == CRAWL:
        from .crawl_site import site_crawled

        crawl = await site_crawled(run, start.settings, start.question)
        run.conclude(has_result=bool(crawl.pages))
        return crawl
    depth, max_sources = start.makes["depth"], start.makes["max_sources"]
    findings = await Researching(run, start.settings, start.question, depth, max_sources).result()
    run.conclude(has_result=bool(findings.sources), failed=bool(findings.unanswered))
    return findings
