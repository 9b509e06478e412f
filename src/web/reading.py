"""Reads the best pages among search results."""

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
    """Read candidates, best first, until `wanted` pages have arrived or none is left; see Collector.

    A page that fails is replaced by the next candidate; a slow page is given up once enough others have arrived. Which
    pages arrived is recorded as an effect, so a replay has the same; a stopped run returns what it has read.
    """
    settings = settings or run.settings
    urls = [candidate.url for candidate in candidates]

    async def read() -> dict[str, Any]:
        reading_list = ReadingList(wanted, urls)
        reading_list.close()
        collected: Collected = await Collector(run, settings, ENOUGH * wanted, links=links).read(reading_list)
        pages = [page.asked for page in collected.pages]
        return {"pages": pages, "failed": recorded(collected.failed), "limit": recorded(collected.limit)}

    admission = settings.model_dump(mode="json", include={"search": {"domains", "block"}})
    try:
        answer = await run.effect("read", {"urls": urls, "wanted": wanted, **admission}, read)
    except StoppedError:
        return Collected([page for url in urls if (page := await _page_if_read(run, url, settings, links))][:wanted])
    pages = [await fetch(run, url, settings=settings, links=links) for url in answer["pages"]]
    return Collected(pages, failed=from_records(answer["failed"]), limit=from_record(answer["limit"]))


async def _page_if_read(run: Run, url: str, settings: Settings, links: bool) -> Page | None:
    """Return a page that was read before the run was stopped, else None."""
    try:
        return await fetch(run, url, settings=settings, links=links)
    except (FetchError, StoppedError):
        return None
