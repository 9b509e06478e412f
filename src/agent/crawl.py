"""Reading pages as a back end of its own."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..crawl import Crawled, crawl
from ..fetch import Rendition, fetch, rendered
from ..fetch.crawl4ai import Steps
from ..kernel.argument import door
from ..kernel.errors import FetchError, RetrievalError, StoppedError
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..model import Model
from ..web import Collected, records
from .summary import summary


@door
class Crawl:
    """Reads pages for a run, with a browser where a page needs one, and says what they have on a query.

    The browser is driven by crawl4ai where that is installed, else by Playwright alone.
    """

    def __init__(self, run: Run, model: Model | None = None) -> None:
        self._run = run
        self._model = model

    @door
    async def get_url_llm(self, url: str, query: str) -> dict[str, Any] | None:
        """Return the record of one page, None when nothing in it bears on the query. Raises FetchError.

        With a model, and the setting `summarise`, its summary is the model's, else the page's best passages.
        """
        settings = by_crawl4ai(self._run.settings)
        page = await fetch(self._run, url, settings=settings)
        for source in await records(self._run, query, [], Collected(pages=[page]), settings):
            text = await summary(
                self._run,
                self._model,
                settings,
                who="crawl",
                task=query,
                title=source.title,
                passages=source.passages,
            )
            return source.model_copy(update={"summary": text}).model_dump(mode="json")
        return None

    async def render(self, url: str, steps: Steps | None = None) -> Rendition:
        """Return what a browser shows of one page after `steps`: Markdown, links, what a schema extracts, a picture.

        Needs the extra `crawl4ai`. Raises FetchError.
        """
        steps = replace(steps or Steps(), markdown=True)
        return await rendered(self._run, url, steps, self._run.settings)

    async def crawl(self, url: str, query: str = "") -> Crawled:
        """Return the pages of a site, best first by the query, within the settings' bounds. Raises AddressError."""
        return await crawl(self._run, url, query, self._run.settings)

    async def get_summary(self, urls: Sequence[str], query: str) -> list[dict[str, Any]]:
        """Return the records of several pages, read side by side; the run notes those that could not be read."""

        async def one(url: str) -> dict[str, Any] | None:
            try:
                return await self.get_url_llm(url, query)
            except (FetchError, RetrievalError, StoppedError) as error:
                self._run.fail("crawl", url, error.told)
                return None

        return [record for record in await asyncio.gather(*map(one, urls)) if record is not None]


def by_crawl4ai(settings: Settings) -> Settings:
    """Return settings by which pages that need a browser are rendered by crawl4ai where it is, unless they say how."""
    return settings if settings.browser.renderer else settings.updated(browser__renderer="crawl4ai")
