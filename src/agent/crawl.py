"""A back end that reads pages."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..crawl import Crawled, crawl
from ..fetch import Rendition, fetch, rendered
from ..fetch.crawl4ai import Steps
from ..kernel.argument import validated
from ..kernel.errors import FetchError, RetrievalError, StoppedError
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..model import Model
from ..web import Collected, records
from .summary import summary


@validated
class Crawl:
    """Reads pages for a run, with a browser if a page needs one, and returns their passages relevant to a query.

    The browser is driven by crawl4ai if that is installed, otherwise by Playwright alone.
    """

    def __init__(self, run: Run, model: Model | None = None) -> None:
        self._run = run
        self._model = model

    @validated
    async def get_url_llm(self, url: str, query: str) -> dict[str, Any] | None:
        """Return the record of one page, None if none of its passages is relevant to the query. Raises FetchError.

        With a model and the setting `summarise`, the model writes the summary; otherwise it is the best passages.
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
        """Return a page as a browser shows it after `steps`: Markdown, links, data extracted by a schema, a picture.

        Needs the extra `crawl4ai`. Raises FetchError.
        """
        steps = replace(steps or Steps(), markdown=True)
        return await rendered(self._run, url, steps, self._run.settings)

    async def crawl(self, url: str, query: str = "") -> Crawled:
        """Return the pages of a site, most relevant first, within the limits of the settings. Raises AddressError."""
        return await crawl(self._run, url, query, self._run.settings)

    async def get_summary(self, urls: Sequence[str], query: str) -> list[dict[str, Any]]:
        """Return the records of several pages, read concurrently; pages that fail are reported on the run."""

        async def record_of(url: str) -> dict[str, Any] | None:
            try:
                return await self.get_url_llm(url, query)
            except (FetchError, RetrievalError, StoppedError) as error:
                self._run.fail("crawl", url, error.message)
                return None

        return [record for record in await asyncio.gather(*map(record_of, urls)) if record is not None]


def by_crawl4ai(settings: Settings) -> Settings:
    """Return settings in which crawl4ai, if installed, renders pages, unless the settings name another renderer."""
    return settings if settings.browser.renderer else settings.updated(browser__renderer="crawl4ai")
