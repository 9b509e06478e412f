"""Reads the best of many pages: failures are replaced at once, slow ones are hedged, and the rest is not waited for."""

import asyncio
import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from ..errors import BudgetError, FetchError, StoppedError
from ..fetch.fetcher import fetch
from ..fetch.page import Page
from ..run import Run
from ..search.domains import Selection
from ..search.result import SearchResult
from ..settings import Settings
from .found import TOO_SLOW, Collected
from .shelf import PageShelf

PATIENCE = 0.7
"""Seconds after which a page no longer counts as one that will come: another one is begun beside it."""

GRACE = 0.6
"""Seconds without a page that comes or begins, after which one does not wait for the rest when enough is in."""

LONG_GRACE = 1.2
"""The same when something is in, but not enough, and nothing is left to begin."""

LAST_GRACE = 0.9
"""Seconds since enough is in, after which one does not wait for the rest though pages still come."""

ENOUGH = 0.6
"""Share of the wanted pages that is enough."""

MOST_TRIED = 6
"""Pages that are begun at most for each one that is wanted."""


class PageReader:
    """Reads candidates until `wanted` pages are in; more candidates may be offered while it reads.

    The order of the candidates decides which pages are begun first and how the pages are ordered, never which one
    answered first. At most `wanted` pages that are still hoped for are under way at once. A candidate that `claim`
    refuses is passed over: somebody else reads it. Pages go to the `shelf`, which others may fill too: with enough on
    it, slow ones are not waited for. `share` is told of each page that comes. `links` asks for their links, too.
    """

    def __init__(
        self,
        run: Run,
        wanted: int,
        settings: Settings | None = None,
        *,
        claim: Callable[[str], bool] = lambda _: True,
        share: Callable[[], None] = lambda: None,
        shelf: PageShelf | None = None,
        links: bool = False,
    ) -> None:
        self._run = run
        self._links = links
        self._settings = settings
        self._wanted = wanted
        self._claim = claim
        self._share = share
        self._shelf = shelf or PageShelf(ENOUGH * wanted)
        self._admits = Selection.of(settings or run.settings).admits
        self._waiting: deque[str] = deque()
        self._order: list[str] = []
        self._flights: dict[asyncio.Task[Page], str] = {}
        self._begun: dict[str, float] = {}
        self._pages: dict[str, Page] = {}
        self._failed: dict[str, str] = {}
        self._more = asyncio.Event()
        self._short = asyncio.Event()
        self._closed = False
        self._moved = self._came = 0.0
        self._limit = ""
        self.given_up: list[str] = []

    def offer(self, urls: Iterable[str]) -> bool:
        """Add candidates, best first, behind those that wait; known ones are not added again. Say whether any was."""
        fresh = [url for url in dict.fromkeys(urls) if url not in self._order]
        self._order += fresh
        self._waiting += fresh
        if fresh:
            self._more.set()
        return bool(fresh)

    def close(self) -> None:
        """Say that no more candidates will be offered."""
        self._closed = True
        self._more.set()

    async def runs_out(self) -> bool:
        """Wait until all candidates are begun and too few will come; say whether a page of the run has failed."""
        await self._short.wait()
        self._short.clear()
        return self._shelf.failed > 0

    async def read(self) -> Collected:
        """Read until enough is in, and return what came of it. Leaves nothing under way."""
        self._moved = self._came = self._now()
        try:
            self._begin()
            while not self._done():
                await self._step()
                self._begin()
        finally:
            flights = list(self._flights)
            for task in flights:
                task.cancel()
            await asyncio.gather(*flights, return_exceptions=True)
        self.given_up = list(self._flights.values())
        self._failed |= dict.fromkeys(self.given_up, TOO_SLOW)
        return self.reading

    def wake(self) -> None:
        """Have the reader look again whether enough is in: others may have brought it."""
        self._more.set()

    @property
    def reading(self) -> Collected:
        """What has come so far."""
        pages = [self._pages[url] for url in self._order if url in self._pages]
        failed = {url: self._failed[url] for url in self._order if url in self._failed}
        return Collected(pages, failed=failed, limit=self._limit)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    @property
    def _in_time(self) -> int:
        """How many pages under way are not overdue, as one that has failed once is."""
        return sum(self._now() - self._begun[url] < PATIENCE for url in self._flights.values())

    @property
    def _is_short(self) -> bool:
        """Whether more pages are wanted than are in or likely to come."""
        return len(self._pages) + round(self._in_time * self._shelf.odds) < self._wanted

    @property
    def _may_begin(self) -> bool:
        tried = len(self._pages) + len(self._failed) + len(self._flights)
        may = not self._limit and not self._run.stopped
        return may and bool(self._waiting) and tried < MOST_TRIED * self._wanted

    def _begin(self) -> None:
        while self._may_begin and self._is_short:
            url = self._waiting.popleft()
            if self._claim(url):
                if not self._failed and self._in_time == len(self._flights):
                    self._came = self._now()
                trouble = partial(self._in_trouble, url)
                fetching = fetch(self._run, url, settings=self._settings, retrying=trouble, links=self._links)
                self._flights[asyncio.create_task(fetching)] = url
                self._begun[url] = self._moved = self._now()
        if not self._waiting and self._is_short:
            self._short.set()

    def _done(self) -> bool:
        if len(self._pages) >= self._wanted or self._run.stopped:
            return True
        now, since = self._now(), self._shelf.enough_since
        if since is not None and (now - self._came >= GRACE or now - since >= LAST_GRACE):
            return True
        left = self._may_begin or not (self._closed or self._limit)
        if self._flights:
            return not left and bool(self._shelf.pages) and now - self._moved >= LONG_GRACE
        return not left

    async def _step(self) -> None:
        """Wait until a page ends, one becomes overdue, or candidates come."""
        self._more.clear()
        more = asyncio.create_task(self._more.wait())
        try:
            done, _ = await asyncio.wait(
                {more, *self._flights}, timeout=self._until_next(), return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            more.cancel()
        for task in done:
            if task is not more:
                self._land(task)  # type: ignore[arg-type]

    def _until_next(self) -> float | None:
        """Return the seconds until the next page is overdue or a grace is over; None when there is no such time."""
        overdue = [self._begun[url] + PATIENCE for url in self._flights.values()]
        since = self._shelf.enough_since or 0.0
        graces = (self._came + GRACE, self._moved + LONG_GRACE, since + LAST_GRACE)
        ahead = [time - self._now() for time in (*overdue, *graces)]
        return min((seconds for seconds in ahead if seconds > 0), default=None)

    def _land(self, task: asyncio.Task[Page]) -> None:
        url = self._flights.pop(task)
        self._moved = self._now()
        try:
            page = task.result()
        except BudgetError as error:
            self._limit = str(error)
        except (FetchError, StoppedError) as error:
            self._failed[url] = str(error)
            self._in_trouble(url)
        else:
            self._take(url, page)

    def _in_trouble(self, url: str) -> None:
        """Expect no page there any more, whether or not it is asked for again."""
        if self._begun[url] > -math.inf:
            self._begun[url] = -math.inf
            self._shelf.failed += 1
            self._more.set()

    def _take(self, url: str, page: Page) -> None:
        """Keep a page unless another address gave the same text, or it led to where the user wants nothing from."""
        if not self._admits(page.url):
            self._failed[url] = f"It redirects to {page.url}, which domains or block forbid"
            return
        same = next((known for known in self._pages.values() if known.snapshot == page.snapshot), None)
        if same is None:
            self._pages[url] = page
            self._came = self._now()
            self._shelf.put(page)
            self._share()
        else:
            self._failed[url] = f"It has the same text as {same.url}"


async def read_pages(
    run: Run,
    candidates: Sequence[SearchResult],
    *,
    wanted: int,
    settings: Settings | None = None,
    links: bool = False,
) -> Collected:
    """Read candidates, best first, until `wanted` pages are in or none is left; see Reader.

    A page that fails is replaced by the next candidate; one that is slow is not waited for when enough others are in.
    Which pages were in is an effect, so that a replay has the same; a run that was stopped has what it has read.
    """
    reader = PageReader(run, wanted, settings, links=links)
    urls = [candidate.url for candidate in candidates]
    reader.offer(urls)
    reader.close()

    async def read() -> dict[str, Any]:
        reading = await reader.read()
        return {"pages": [page.asked for page in reading.pages], "failed": reading.failed, "limit": reading.limit}

    named = (settings or run.settings).model_dump(mode="json", include={"domains", "block"})
    try:
        answer = await run.decide("read", {"urls": urls, "wanted": wanted, **named}, read)
    except StoppedError:
        return Collected([page for url in urls if (page := await _there(run, url, settings, links))][:wanted])
    pages = [await fetch(run, url, settings=settings, links=links) for url in answer["pages"]]
    return Collected(pages, failed=answer["failed"], limit=answer["limit"])


async def _there(run: Run, url: str, settings: Settings | None, links: bool) -> Page | None:
    """Return a page if a run that was stopped has read it."""
    try:
        return await fetch(run, url, settings=settings, links=links)
    except (FetchError, StoppedError):
        return None
