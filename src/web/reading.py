"""Reads the best of the pages that were found."""

from collections.abc import Sequence
from typing import Any

from ..fetch import Page, fetch
from ..kernel.errors import FetchError, StoppedError
from ..kernel.notice import from_record, from_records, recorded
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..search import SearchResult
from .collected import Collected
from .collector import ENOUGH, Collector, ReadingList


async def read_pages(
    run: Run,
    candidates: Sequence[SearchResult],
    *,
    wanted: int,
    settings: Settings | None = None,
    links: bool = False,
) -> Collected:
    """Read candidates, best first, until `wanted` pages are in or none is left; see Collector.

    A page that fails is replaced by the next candidate; one that is slow is not waited for when enough others are in.
    Which pages were in is an effect, so that a replay has the same; a run that was stopped has what it has read.
    """
    settings = settings or run.settings
    urls = [candidate.url for candidate in candidates]

    async def read() -> dict[str, Any]:
        wish = ReadingList(wanted, urls)
        wish.close()
        found: Collected = await Collector(run, settings, ENOUGH * wanted, links=links).read(wish)
        pages = [page.asked for page in found.pages]
        return {"pages": pages, "failed": recorded(found.failed), "limit": recorded(found.limit)}

    named = settings.model_dump(mode="json", include={"search": {"domains", "block"}})
    try:
        answer = await run.effect("read", {"urls": urls, "wanted": wanted, **named}, read)
    except StoppedError:
        return Collected([page for url in urls if (page := await _there(run, url, settings, links))][:wanted])
    pages = [await fetch(run, url, settings=settings, links=links) for url in answer["pages"]]
    return Collected(pages, failed=from_records(answer["failed"]), limit=from_record(answer["limit"]))


async def _there(run: Run, url: str, settings: Settings, links: bool) -> Page | None:
    """Return a page if a run that was stopped has read it."""
    try:
        return await fetch(run, url, settings=settings, links=links)
    except (FetchError, StoppedError):
        return None
