"""A tool in a run of its own: kept, listed, gone on with and made again as the run of a report is."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ..kernel.outcome import Outcome
from ..kernel.pool import Pool
from ..kernel.run import EventSink, Run
from ..kernel.settings import Settings
from ..model.providers import model_for
from ..runs import RunStart, StoredRun
from ..runs.start import opened, require_recorded
from ..runs.stored import understood
from .answering import Answering
from .answers import WebResearch, WebSearch
from .researching import Researching

if TYPE_CHECKING:
    from .crawl_site import SiteCrawl

Answer: TypeAlias = "WebSearch | WebResearch | SiteCrawl"
Starter = Callable[[Run], None]

SEARCH: Final = "search"
RESEARCH: Final = "research"
CRAWL: Final = "crawl"  # the kinds of such runs


async def answered(
    begun: RunStart, *, on_event: EventSink | None = None, on_start: Starter | None = None, pool: Pool | None = None
) -> Any:
    """Return the answer of a run that begins, or goes on: of the kind that it makes.

    Raises UsageError, what the tool raises, and LeaseError while another process is at the run.
    """
    models = [model_for(begun.settings, "writer")]
    async with opened(begun, models, searches=True, on_event=on_event, on_start=on_start, pool=pool) as run:
        answer = await _made(run, begun)
        run.journal.put("answer", answer.to_record())
        return answer


async def replayed(stored: StoredRun, settings: Settings) -> tuple[Answer, Outcome]:
    """Return the answer of a finished run and its outcome, made again from its journal alone.

    Raises NotRecordedError.
    """
    begun = RunStart.of_copy(stored.path, settings, stored.kind)
    with understood(stored.path):
        async with Run(begun.question, begun.settings, journal=begun.journal(), offline=True) as run:
            answer = await _made(run, begun)
            require_recorded(run, stored.path)
            return answer, run.outcome


async def _made(run: Run, begun: RunStart) -> Answer:
    if begun.makes["kind"] == SEARCH:
        answer = await Answering(run, begun.settings, begun.question).result()
        run.conclude(found=bool(answer.sources_used))
        return answer
    if begun.makes["kind"] == CRAWL:
        from .crawl_site import site_crawled

        crawled = await site_crawled(run, begun.settings, begun.question)
        run.conclude(found=bool(crawled.pages))
        return crawled
    depth, most = begun.makes["depth"], begun.makes["max_sources"]
    found = await Researching(run, begun.settings, begun.question, depth, most).result()
    run.conclude(found=bool(found.sources), failed=bool(found.unanswered))
    return found
