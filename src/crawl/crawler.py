"""Reads the pages of a site: the best of its frontier first, several at a time."""

import asyncio
import re
from collections import Counter, deque
from dataclasses import dataclass, field, fields
from typing import Any, Final

from ..fetch import Page, fetch
from ..kernel.errors import BudgetError, FetchError, RedirectError, RobotsError, StoppedError
from ..kernel.notice import Notice, Told, from_record, from_records, recorded
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.source import digest
from ..kernel.url import shown
from ..net import Guard
from ..net.target import joined
from .frontier import Frontier, QueuedLink
from .site import Site, family, has_text

AT_ONCE: Final = 8
"""Pages that are under way at once; how many of them a host is asked for is up to `fetch.host_concurrency`."""

LOOKED_AT: Final = 5_000  # characters of a page that say what the pages are worth that it links to
STALE: Final = 20
"""Pages of a family whose text differs from another page's in digits only, after which no more of it are read."""

MOST_NAMED: Final = 5  # pages that could not be read which are named one by one

COUNTING: Final[dict[str, Any]] = {
    "crawl": {"depth", "pages", "time"},
    "browser": {"mode"},
    "network": {"user_agent"},
    "fetch": {"max_megabytes"},
}
"""The settings that decide what is read of a site."""

_DIGITS: Final = re.compile(r"\d+")


@dataclass(slots=True)
class Crawled:
    """What came of a site: its pages in the order in which they were read, and why others were not.

    `failed` has the reason by address. `denied` counts the pages that robots.txt forbids, `outside` the links that lead
    away from the site, `left` the known pages that a bound kept from being read; `limit` names that bound. `alike` has
    the last address of each family that was given up, since its pages differ in digits only.
    """

    pages: list[Page] = field(default_factory=list)
    failed: dict[str, Told] = field(default_factory=dict)
    denied: int = 0
    outside: int = 0
    left: int = 0
    limit: Told = ""
    alike: list[str] = field(default_factory=list)

    def tell(self, run: Run, site: str) -> None:
        """Say what of the site was not read, and why."""
        if not self.pages:
            why = next(iter(self.failed.values()), self.limit or Notice("site_without_text"))
            run.fail("web", Notice("of_crawling", site=shown(site)), why)
            return
        for url, why in list(self.failed.items())[:MOST_NAMED]:
            run.notice(Notice("not_read", what=url, why=why), told=True)
        if (more := len(self.failed) - MOST_NAMED) > 0:
            run.notice(Notice("more_site_pages_unread", more=more, site=shown(site)), told=True)
        if self.denied:
            run.notice(Notice("robots_forbid", site=shown(site), pages=self.denied))
        for url in self.alike:
            run.notice(Notice("pages_alike", url=url))
        if self.limit:
            read = len(self.pages)
            run.notice(Notice("site_bounded", site=shown(site), pages=read, left=self.left, limit=self.limit))

    def to_record(self) -> dict[str, Any]:
        """Return all but the pages as JSON, and of these the addresses that were asked for."""
        told = {one.name: getattr(self, one.name) for one in fields(self)}
        return {**recorded(told), "pages": [page.asked for page in self.pages]}


async def crawl(run: Run, url: str, question: str, settings: Settings) -> Crawled:
    """Read the site of an address from there on, and return its pages; each is a snapshot of the run's journal.

    Pages come best first by the question, without one in the order of their links. `crawl.pages` of them are read at
    most, up to `crawl.depth` links away, for `crawl.time` seconds; robots.txt is honoured, and requests to the host are
    `crawl.pause` seconds apart. A redirect is a link like any other: one that leads away from the site is not followed.
    A run that is taken up again asks for no page twice, and has a stopped one's pages. Raises AddressError.
    """
    settings = polite(settings).updated(browser__renderer=run.settings.browser.renderer)
    start = Guard(settings).check_url(url)
    crawling = _Crawling(run, Site.of(start), question, settings)
    request = {"url": start, "question": question, **settings.model_dump(mode="json", include=COUNTING)}
    try:
        answer = await run.effect("crawl", request, lambda: crawling.answer(start))
    except StoppedError:
        return crawling.result
    pages = [await fetch(run, one, settings=settings, links=True) for one in answer["pages"]]
    told = {"failed": from_records(answer["failed"]), "limit": from_record(answer["limit"])}
    return Crawled(**{**answer, **told, "pages": pages})


def polite(settings: Settings) -> Settings:
    """Return the settings by which the pages of a site are read."""
    pause = max(settings.fetch.host_pause, settings.crawl.pause)
    return settings.updated(fetch__robots=True, fetch__max_redirects=0, fetch__host_pause=pause)


class _Crawling:
    """One site while it is read.

    Pages are begun as long as there are places, and taken in the order in which they were begun, however long each
    takes. So what is read hangs on what the pages say alone, and a crawl that is taken up again goes the same way.
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
        self._away: set[str] = set()
        self.result = Crawled()

    async def answer(self, start: str) -> dict[str, Any]:
        """Read the site, and return what came of it as JSON."""
        self._frontier.offer(start, "", 0, 0.0)
        try:
            async with asyncio.timeout(self._settings.crawl.time) as clock:
                await self._read_all()
        except TimeoutError:
            if not clock.expired():
                raise
            self.result.limit = f"crawl.time: {self._settings.crawl.time:g} s"
        except BudgetError as error:
            self.result.limit = error.told
        finally:
            tasks = [task for _, task in self._in_flight]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        found = self.result
        found.outside = len(self._away)
        found.left += len(self._frontier) + self._frontier.left_out + len(self._in_flight)
        if found.left and not found.limit and len(found.pages) >= self._settings.crawl.pages:
            found.limit = f"crawl.pages: {self._settings.crawl.pages}"
        return found.to_record()

    async def _read_all(self) -> None:
        while True:
            self._begin()
            if not self._in_flight:
                return
            candidate, task = self._in_flight[0]
            try:
                page = await asyncio.shield(task)
            except FetchError as error:
                self._in_flight.popleft()
                self._fail(candidate, error)
            else:
                self._in_flight.popleft()
                self._take(candidate, page)

    def _begin(self) -> None:
        while (
            len(self._in_flight) < AT_ONCE
            and len(self.result.pages) + len(self._in_flight) < self._settings.crawl.pages
            and (candidate := self._frontier.pop()) is not None
        ):
            reading = fetch(self._run, candidate.url, settings=self._settings, links=True)
            self._in_flight.append((candidate, asyncio.create_task(reading)))

    def _take(self, candidate: QueuedLink, page: Page) -> None:
        """Keep a page unless its text is known, and offer what it links to."""
        if not self._site.holds(page.url):
            self.result.failed[candidate.url] = Notice("off_site", url=page.url)
            return
        if page.text and page.snapshot in self._texts:
            return
        if page.text:  # else it does nothing but lead on
            self._texts.add(page.snapshot)
            self.result.pages.append(page)
        if self._is_stale(page):
            self._frontier.give_up(page.url)
            self.result.alike.append(page.url)
        else:
            self._offer_links(page, candidate.depth + 1)

    def _offer_links(self, page: Page, depth: int) -> None:
        relevance = self._frontier.relevance(f"{page.title} {page.text[:LOOKED_AT]}")
        for link in page.links:
            if not self._site.holds(link.url):
                self._away.add(link.url)
            elif depth <= self._settings.crawl.depth and has_text(link.url):
                self._frontier.offer(link.url, link.text, depth, relevance)

    def _is_stale(self, page: Page) -> bool:
        """Count the pages of a family that differ from others in digits only; say whether it reached STALE just now."""
        form = digest(_DIGITS.sub("0", page.text))
        kind = family(page.url)
        self._stale[kind] += form in self._forms
        self._forms.add(form)
        return self._stale[kind] == STALE

    def _fail(self, candidate: QueuedLink, error: FetchError) -> None:
        location = str(error.details.get("location", "")) if isinstance(error, RedirectError) else ""
        if location:
            self._redirected(candidate, location)
        elif isinstance(error, RobotsError) and candidate.depth:
            self.result.denied += 1
        else:
            self.result.failed[candidate.url] = error.told

    def _redirected(self, candidate: QueuedLink, location: str) -> None:
        """Offer where a page redirects to, if it is of the site."""
        try:
            url = joined(candidate.url, location)
            inside = self._site.holds(url)
        except FetchError as error:
            self.result.failed[candidate.url] = error.told
            return
        if not inside:
            self._away.add(url)
            if candidate.depth == 0:
                self.result.failed[candidate.url] = Notice("start_off_site", url=url)
        elif candidate.redirects >= self._most_redirects:
            self.result.failed[candidate.url] = Notice("too_many_redirects", times=self._most_redirects)
        else:
            self._frontier.redirected(candidate, url)
