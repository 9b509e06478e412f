"""The pages of a site, read one by one from a start address."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field

from ..crawl import Crawled, crawl
from ..fetch import Page, PageLink
from ..kernel.language import resolved
from ..kernel.notice import text_of
from ..kernel.run import EventSink, Run
from ..kernel.settings import Settings
from ..kernel.tool import GIVEN, tool
from ..render import labels_in
from ..render.escape import escaped, linked
from ..runs import RunStart
from ..search.check import check_settings
from .answers import MissingSource, missing_line, missing_sources
from .recorded_tool import CRAWL, Starter, tool_answer


class CrawledPage(BaseModel, frozen=True):
    """A page of a site: its address after redirects, its text as Markdown, and its links.

    `snapshot` is the SHA-256 of the text, `published` an ISO date and `retrieved_at` an ISO time, empty if unknown;
    `how` is how the page was read.
    """

    title: str
    url: str
    text: str
    links: tuple[PageLink, ...] = ()
    kind: str
    how: str
    published: str = ""
    retrieved_at: str = ""
    snapshot: str = ""

    @classmethod
    def of(cls, page: Page) -> "CrawledPage":
        """Return the reported fields of a page."""
        return cls(**page.model_dump(include=set(cls.model_fields)))


class SiteCrawl(BaseModel, frozen=True):
    """The pages of a site in the order in which they were read, and those not read; see `Crawled`."""

    site: str
    question: str
    pages: list[CrawledPage]
    unread: list[MissingSource]
    denied: int
    outside: int
    left: int
    limit: str
    notices: list[str]
    language: str = "en"

    def to_record(self, *, texts: bool = False) -> dict[str, Any]:
        """Return a JSON-able record; with `texts`, also the long texts and links of the pages."""
        excluded = None if texts else {"pages": {"__all__": {"text", "links"}}}
        return self.model_dump(mode="json", exclude=excluded)

    @property
    def markdown(self) -> str:
        """The list of the pages as Markdown; text from pages is escaped."""
        words = labels_in(self.language)
        blocks = [f"# {escaped(self.site)}", words.pages_read.format(n=len(self.pages))]
        if self.pages:
            blocks.append("\n".join(f"- {escaped(page.title)} {linked(page.url)}" for page in self.pages))
        if self.unread:
            blocks += [f"## {words.missing}", "\n".join(map(missing_line, self.unread))]
        blocks += [words.named(words.note, escaped(notice)) for notice in self.notices]
        return "\n\n".join(blocks) + "\n"


@tool
async def crawl_site(
    url: Annotated[str, "The first page; a URL that ends with a slash limits the crawl to its folder."],
    question: Annotated[str, "What to look for; the most promising pages are read first."] = "",
    depth: Annotated[int | None, Field(ge=0, le=50), "Maximum number of links from the first page."] = None,
    pages: Annotated[int | None, Field(ge=1, le=10_000), "Maximum number of pages to read."] = None,
    *,
    settings: Annotated[Settings | None, GIVEN] = None,
    run: Annotated[Run | None, GIVEN] = None,
    on_event: Annotated[EventSink | None, GIVEN] = None,
    on_start: Annotated[Starter | None, GIVEN] = None,
    resume: Annotated[str | Path | None, GIVEN] = None,
) -> SiteCrawl:
    """Read the pages of a site and return their texts and links, the most promising ones for the question first.

    robots.txt is honoured, requests are spaced out, and nothing outside the site is requested. A page that cannot
    be read is reported. Raises UsageError for an argument or a setting that is not allowed.
    """
    base = settings or (run.settings if run else Settings.load())
    bounds = {"crawl.depth": depth, "crawl.pages": pages, "sites": [url] if url else None}
    base = base.updated(**{name: value for name, value in bounds.items() if value is not None})
    if run is not None:
        await check_settings(base)
        return await site_crawled(run, base, question)
    start = RunStart.of("" if resume else question or url, base, resume, {"kind": CRAWL})
    crawled: SiteCrawl = await tool_answer(replace(start, on_event=on_event, on_start=on_start))
    return crawled


async def site_crawled(run: Run, settings: Settings, question: str) -> SiteCrawl:
    """Return the pages of the first site of the settings; a question equal to its address counts as none."""
    site = settings.sites[0]
    question = "" if question == site else question
    crawled = await crawl(run, site, question, settings)
    crawled.tell(run, site)
    return _answer(crawled, site, question, run)


def _answer(crawled: Crawled, site: str, question: str, run: Run) -> SiteCrawl:
    language = resolved(run.settings.language, question)
    return SiteCrawl(
        site=site,
        question=question,
        pages=[CrawledPage.of(page) for page in crawled.pages],
        unread=missing_sources(crawled.failed, language),
        denied=crawled.denied,
        outside=crawled.outside,
        left=crawled.left,
        limit=str(crawled.limit),
        notices=[text_of(notice, language) for notice in run.notices],
        language=language,
    )
