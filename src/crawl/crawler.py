"""The crawler, which reads the best links of a site's frontier (a priority queue) first, several at once."""

import asyncio
import re
from collections import Counter, deque
from dataclasses import dataclass, field, fields
from typing import Any, Final

from ..fetch import Page, fetch
from ..kernel.cleanup import cancel_and_wait
from ..kernel.errors import BudgetError, FetchError, RedirectError, RobotsError, StoppedError
from ..kernel.notice import Notice, NoticeOrText, from_record, from_records, recorded
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.source import digest
from ..kernel.url import shown
from ..net import Guard
from ..net.target import joined
from .frontier import Frontier, QueuedLink
from .site import Site, family, has_text

AT_ONCE: Final = 8
"""Pages in progress at once; `fetch.host_concurrency` limits the requests to a host."""

SAMPLE: Final = 5_000  # first characters of a page by which the relevance of its links is judged
STALE: Final = 20
"""Pages of a family (see `site.family`) whose texts differ from others only in digits, after which it is given up."""

MOST_NAMED: Final = 5  # most unreadable pages that are named; further ones are counted

COUNTING: Final[dict[str, Any]] = {
    "crawl": {"depth", "pages", "time"},
    "browser": {"mode"},
    "network": {"user_agent"},
    "fetch": {"max_megabytes"},
}
"""The settings that affect which pages of a site are read."""

_DIGITS: Final = re.compile(r"\d+")


@dataclass(slots=True)
class Crawled:
    """The result of a crawl: the pages in the order of reading, and the reasons why others were not read.

    `failed` maps addresses to reasons. `denied` counts the pages that robots.txt forbids, `outside` the links to other
    sites, `left` the known pages that were not read because of a limit; `limit` names that limit. `alike` lists the
    last address of each family that was given up because its pages differ only in digits.
    """

    pages: list[Page] = field(default_factory=list)
    failed: dict[str, NoticeOrText] = field(default_factory=dict)
    denied: int = 0
    outside: int = 0
    left: int = 0
    limit: NoticeOrText = ""
    alike: list[str] = field(default_factory=list)

    def tell(self, run: Run, site: str) -> None:
        """Add notices to the run about the pages that were not read, and why."""
        if not self.pages:
            why = next(iter(self.failed.values()), self.limit or Notice("site_without_text"))
            run.fail("web", Notice("of_crawling", site=shown(site)), why)
            return
        for url, why in list(self.failed.items())[:MOST_NAMED]:
            run.notice(Notice("not_read", what=url, why=why), emitted=True)
        if (more := len(self.failed) - MOST_NAMED) > 0:
            run.notice(Notice("more_site_pages_unread", more=more, site=shown(site)), emitted=True)
        if self.denied:
            run.notice(Notice("robots_forbid", site=shown(site), pages=self.denied))
        for url in self.alike:
            run.notice(Notice("pages_alike", url=url))
        if self.limit:
            read = len(self.pages)
            run.notice(Notice("site_bounded", site=shown(site), pages=read, left=self.left, limit=self.limit))

    def to_record(self) -> dict[str, Any]:
        """Return the fields as JSON, with the requested addresses in place of the pages."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return {**recorded(values), "pages": [page.asked for page in self.pages]}


async def crawl(run: Run, url: str, question: str, settings: Settings) -> Crawled:
    """Read a site, starting at an address, and return its pages, whose texts are snapshots in the run's journal.

    Pages are read best first for the question, or without a question in the order of their links: at most `crawl.pages`
    pages, up to `crawl.depth` links away, for `crawl.time` seconds. robots.txt is honoured, and requests to the host
    are `crawl.pause` seconds apart. A redirect is a link like any other: redirects to other sites are not followed. A
    resumed run requests no page twice, and has the pages of the stopped run. Raises AddressError.
    """
    settings = polite(settings).updated(browser__renderer=run.settings.browser.renderer)
    start = Guard(settings).check_url(url)
    crawler = _Crawler(run, Site.of(start), question, settings)
    request = {"url": start, "question": question, **settings.model_dump(mode="json", include=COUNTING)}
    try:
        answer = await run.effect("crawl", request, lambda: crawler.answer(start))
    except StoppedError:
        return crawler.result
    pages = [await fetch(run, page_url, settings=settings, links=True) for page_url in answer["pages"]]
    notices = {"failed": from_records(answer["failed"]), "limit": from_record(answer["limit"])}
    return Crawled(**{**answer, **notices, "pages": pages})


def polite(settings: Settings) -> Settings:
    """Return the settings for reading the pages of a site politely."""
    pause = max(settings.fetch.host_pause, settings.crawl.pause)
    return settings.updated(fetch__robots=True, fetch__max_redirects=0, fetch__host_pause=pause)


class _Crawler:
    """The crawl of one site.

    At most AT_ONCE fetches are in progress, and their pages are processed in the order in which they were started,
    however long each takes. Thus the choice of pages depends only on the content of the site, and a resumed crawl
    chooses the same ones.
    """

    def __init__(self, run: Run, site: Site, question: str, settings: Settings) -> None:
        self._run = run
        self._site = site
        self._settings = settings
        self._most_redirects = run.settings.fetch.max_redirects
        self._frontier = Frontier(question)
        self._in_flight: deque[tuple[QueuedLink, asyncio.Task[Page]]] = deque()
        self._texts: set[str] = set()
        self._forms: set[str] = set()
        self._stale: Counter[str] = Counter()
        self._outside: set[str] = set()
        self.result = Crawled()

    async def answer(self, start: str) -> dict[str, Any]:
        """Read the site, and return the result as JSON."""
        self._frontier.offer(start, "", 0, 0.0)
        try:
            async with asyncio.timeout(self._settings.crawl.time) as clock:
                await self._read_all()
        except TimeoutError:
            if not clock.expired():
                raise
            self.result.limit = f"crawl.time: {self._settings.crawl.time:g} s"
        except BudgetError as error:
            self.result.limit = error.message
        finally:
            await cancel_and_wait(*(task for _, task in self._in_flight))
        result = self.result
        result.outside = len(self._outside)
        result.left += len(self._frontier) + self._frontier.left_out + len(self._in_flight)
        if result.left and not result.limit and len(result.pages) >= self._settings.crawl.pages:
            result.limit = f"crawl.pages: {self._settings.crawl.pages}"
        return result.to_record()

    async def _read_all(self) -> None:
        while True:
            self._start_fetches()
            if not self._in_flight:
                return
            candidate, task = self._in_flight[0]
            try:
                page = await asyncio.shield(task)
            except FetchError as error:
                self._in_flight.popleft()
                self._record_failure(candidate, error)
            else:
                self._in_flight.popleft()
                self._process(candidate, page)

    def _start_fetches(self) -> None:
        while (
            len(self._in_flight) < AT_ONCE
            and len(self.result.pages) + len(self._in_flight) < self._settings.crawl.pages
            and (candidate := self._frontier.pop()) is not None
        ):
            reading = fetch(self._run, candidate.url, settings=self._settings, links=True)
            self._in_flight.append((candidate, asyncio.create_task(reading)))

    def _process(self, candidate: QueuedLink, page: Page) -> None:
        """Add a page to the result unless its text is known, and offer its links to the frontier."""
        if not self._site.holds(page.url):
            self.result.failed[candidate.url] = Notice("off_site", url=page.url)
            return
        if page.text and page.snapshot in self._texts:
            return
        if page.text:  # else it has nothing but links
            self._texts.add(page.snapshot)
            self.result.pages.append(page)
        if self._is_stale(page):
            self._frontier.give_up(page.url)
            self.result.alike.append(page.url)
        else:
            self._offer_links(page, candidate.depth + 1)

    def _offer_links(self, page: Page, depth: int) -> None:
        relevance = self._frontier.relevance(f"{page.title} {page.text[:SAMPLE]}")
        for link in page.links:
            if not self._site.holds(link.url):
                self._outside.add(link.url)
            elif depth <= self._settings.crawl.depth and has_text(link.url):
                self._frontier.offer(link.url, link.text, depth, relevance)

    def _is_stale(self, page: Page) -> bool:
        """Count a page that differs from another only in digits; return whether its family has just reached STALE."""
        form = digest(_DIGITS.sub("0", page.text))
        kind = family(page.url)
        self._stale[kind] += form in self._forms
        self._forms.add(form)
        return self._stale[kind] == STALE

    def _record_failure(self, candidate: QueuedLink, error: FetchError) -> None:
        location = str(error.details.get("location", "")) if isinstance(error, RedirectError) else ""
        if location:
            self._follow_redirect(candidate, location)
        elif isinstance(error, RobotsError) and candidate.depth:
            self.result.denied += 1
        else:
            self.result.failed[candidate.url] = error.message

    def _follow_redirect(self, candidate: QueuedLink, location: str) -> None:
        """Offer the target of a redirect to the frontier, if it belongs to the site."""
        try:
            url = joined(candidate.url, location)
            inside = self._site.holds(url)
        except FetchError as error:
            self.result.failed[candidate.url] = error.message
            return
        if not inside:
            self._outside.add(url)
            if candidate.depth == 0:
                self.result.failed[candidate.url] = Notice("start_off_site", url=url)
        elif candidate.redirects >= self._most_redirects:
            self.result.failed[candidate.url] = Notice("too_many_redirects", times=self._most_redirects)
        else:
            self._frontier.redirected(candidate, url)
