"""Reads the best pages of several lists concurrently: replaces failures, hedges slow pages, gives up the slowest."""

import asyncio
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import Context, copy_context
from dataclasses import InitVar, dataclass, field
from functools import partial
from typing import Any, Final

from ..fetch import Page, fetch
from ..kernel.cleanup import cancel_and_wait
from ..kernel.errors import BudgetError, FetchError, StoppedError
from ..kernel.notice import Notice, NoticeOrText
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..search.candidates import Selection
from ..search.urls import normalize_url
from .collected import TOO_SLOW, Collected

PATIENCE: Final = 0.7
"""Seconds after which a page is no longer expected, so another one is started in addition."""

LONGER: Final = 1.5
"""Times the setting `research.grace`, the seconds without progress after which slow pages are given up, if some page
has arrived and none is left to start."""

ENOUGH: Final = 0.6  # share of the wanted pages that is enough
MOST_TRIED: Final = 6  # most pages started per wanted page


@dataclass(eq=False)
class ReadingList:
    """Candidate addresses, best first, of which `wanted` pages are to be read; more may be added until it is closed.

    A candidate that two lists share goes to the list with the lower `order`. `result_of` converts the collected pages
    to the recorded answer of `effect`, a pair of kind and request; without an effect nothing is recorded.
    """

    wanted: int
    urls: InitVar[Iterable[str]] = ()
    order: float = 0.0
    effect: tuple[str, Any] | None = None
    result_of: Callable[[Collected], Any] = lambda collected: collected
    ranked: dict[str, str] = field(default_factory=dict)
    further: dict[str, str] = field(default_factory=dict)
    counted: set[str] = field(default_factory=set)
    closed: bool = False
    ran_short: asyncio.Event = field(default_factory=asyncio.Event)
    outcome: asyncio.Future[Any] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    context: Context = field(default_factory=copy_context)
    on_change: Callable[[], None] = lambda: None

    def __post_init__(self, urls: Iterable[str]) -> None:
        self.reset_counts()
        self.rank(urls)

    def reset_counts(self) -> None:
        """Reset the counts: texts that have arrived, and pages in progress, expected and tried."""
        self.texts = set[str]()
        self.expected = self.under_way = self.tried = 0

    @property
    def candidates(self) -> dict[str, str]:
        """All candidates as spelt in this list, by normalised address."""
        return {**self.ranked, **self.further} | self.ranked

    def rank(self, urls: Iterable[str]) -> None:
        """Set the candidates, best first."""
        self.ranked = _by_address(urls)
        self.on_change()

    def extend(self, urls: Iterable[str]) -> bool:
        """Add fallback candidates; a list that ranks them takes precedence. Return whether any is new."""
        known = len(self.candidates)
        self.further |= _by_address(urls)
        is_new = len(self.candidates) > known
        if is_new:
            self.on_change()
        return is_new

    def close(self) -> None:
        """Declare that no more candidates will be added."""
        self.closed = True
        self.on_change()

    def end_with(self, search: "asyncio.Task[None]") -> None:
        """Close the list; `read` then raises the error, if any, of the `search` that supplied its candidates."""
        self.close()
        error = None if search.cancelled() else search.exception()
        if error is not None and not self.outcome.done():
            self.outcome.set_exception(error)

    async def runs_out(self) -> None:
        """Wait until all candidates are started and too few pages are expected."""
        await self.ran_short.wait()
        self.ran_short.clear()


class Collector:
    """Reads pages for several lists until each has as many as it wants, or until one common deadline.

    A candidate's rank decides when it is started and whether it is taken; the time of its arrival does not: all lists
    end at the same moment, and each takes the best pages that have arrived by then. The pages taken and given up are
    recorded at that moment, atomically for all lists. The deadline is `research.grace` seconds after `enough` pages
    have arrived. `links` also extracts the links of pages.
    """

    def __init__(self, run: Run, settings: Settings, enough: float, *, links: bool = False) -> None:
        self._run = run
        self._settings = settings
        self._enough = enough
        self._links = links
        self._admits = Selection.of(settings).admits
        self._lists: list[ReadingList] = []
        self._in_flight: dict[asyncio.Task[Page], str] = {}
        self._started_at: dict[str, float] = {}
        self._failed: dict[str, NoticeOrText] = {}
        self._run_limit: NoticeOrText = ""
        self._last_progress = self._enough_since = 0.0
        self._changed = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None
        self.pages: dict[str, Page] = {}
        self.taken_keys: set[str] = set()
        self.failing = 0

    async def read(self, reading_list: ReadingList) -> Any:
        """Read pages for a list and return its result. After the last list's result, no page is in progress."""
        self._lists = sorted([*self._lists, reading_list], key=lambda each: each.order)
        self._last_progress = self._enough_since = self._now()
        reading_list.on_change = self._changed.set
        self._reading = reading = self._reading or asyncio.create_task(self._read())
        self._changed.set()
        try:
            await asyncio.wait({reading_list.outcome, reading}, return_when=asyncio.FIRST_COMPLETED)
            if not reading_list.outcome.done():
                reading.result()
            return await reading_list.outcome
        finally:
            reading_list.outcome.cancel()
            if reading_list in self._lists:
                self._lists.remove(reading_list)
                self._changed.set()
            if not self._lists:
                await asyncio.wait([reading])

    def restore(self, pages: Iterable[Page], failed: Mapping[str, NoticeOrText]) -> None:
        """Restore the taken pages and the failures of an earlier decision, possibly by another process."""
        for page in pages:
            self._store(normalize_url(page.asked), page)
            self.taken_keys.add(normalize_url(page.asked))
        for url, reason in failed.items():
            if reason != TOO_SLOW and normalize_url(url) not in self._failed:
                self._failed[normalize_url(url)] = reason
                self.failing += 1

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    async def _read(self) -> None:
        try:
            while self._lists:
                self._start_pages()
                if self._is_over():
                    self._decide()
                else:
                    await self._step()
        finally:
            in_flight, self._in_flight, self._started_at, self._reading = list(self._in_flight), {}, {}, None
            await cancel_and_wait(*in_flight)

    # Which pages are started

    def _claims(self) -> Iterator[tuple[ReadingList, dict[str, str]]]:
        """Yield each list with its candidates in order of precedence: ranked ones of all lists, then fallback ones."""
        yield from ((reading_list, reading_list.ranked) for reading_list in self._lists)
        yield from ((reading_list, reading_list.further) for reading_list in self._lists)

    def _start_pages(self) -> None:
        """Start pages until as many have arrived or are expected as are wanted."""
        claimed, started = set(self.taken_keys), self._started_keys()
        for reading_list in self._lists:
            reading_list.reset_counts()
        for reading_list, candidates in self._claims():
            for key, url in candidates.items():
                startable = key in started or self._may_start(reading_list)
                if startable and key not in claimed and self._is_short(reading_list):
                    claimed.add(key)
                    self._count(reading_list, key, url)
        for reading_list in self._lists:
            if self._is_short(reading_list) and self._may_start(reading_list) and not self._has_unstarted(reading_list):
                reading_list.ran_short.set()

    def _count(self, reading_list: ReadingList, key: str, url: str) -> None:
        """Count a candidate for a list, and start it unless it has been started."""
        reading_list.tried += 1
        reading_list.counted.add(key)
        if key in self.pages:
            reading_list.texts.add(self.pages[key].snapshot)
        elif key not in self._failed:
            if key not in self._started_at:
                on_trouble = partial(self._expect_nothing, key)
                reading = fetch(self._run, url, settings=self._settings, retrying=on_trouble, links=self._links)
                self._in_flight[asyncio.create_task(reading, context=reading_list.context)] = key
                self._started_at[key] = self._last_progress = self._now()
            reading_list.under_way += 1
            reading_list.expected += self._now() - self._started_at[key] < PATIENCE

    def _started_keys(self) -> set[str]:
        """Return the keys of all pages that were started, whatever their outcome."""
        return self.pages.keys() | self._failed.keys() | self._started_at.keys()

    def _is_short(self, reading_list: ReadingList) -> bool:
        """Return whether a list needs more pages than have arrived or probably will, given the failure rate so far."""
        odds = (len(self.pages) + 1) / (len(self.pages) + self.failing + 1)
        return len(reading_list.texts) + round(reading_list.expected * odds) < reading_list.wanted

    def _may_start(self, reading_list: ReadingList) -> bool:
        return not self._run_limit and not self._run.stopped and reading_list.tried < MOST_TRIED * reading_list.wanted

    def _has_unstarted(self, reading_list: ReadingList) -> bool:
        """Return whether a list has candidates that can still be started."""
        return self._may_start(reading_list) and not self._started_keys().issuperset(reading_list.candidates)

    # When reading ends

    def _is_over(self) -> bool:
        short_lists = self._short_lists()
        hopeless = not any(each.under_way or self._may_grow(each) for each in short_lists)
        return hopeless or self._deadline <= self._now()

    def _short_lists(self) -> list[ReadingList]:
        """Return the lists for which fewer of their counted pages have arrived than they want."""
        chosen = self._chosen()
        return [each for each in self._lists if len(chosen[each].keys() & each.counted) < each.wanted]

    def _may_grow(self, reading_list: ReadingList) -> bool:
        return self._has_unstarted(reading_list) or (self._may_start(reading_list) and not reading_list.closed)

    @property
    def _deadline(self) -> float:
        """The time on the event loop's clock at which waiting ends."""
        if len(self.pages) >= self._enough:
            return self._enough_since + self._settings.research.grace
        if self.pages and self._in_flight and not any(map(self._may_grow, self._short_lists())):
            return self._last_progress + LONGER * self._settings.research.grace
        return math.inf

    async def _step(self) -> None:
        """Wait until a page ends or becomes overdue, a list changes, or the deadline is reached."""
        now = self._now()
        times = (self._deadline, *(started + PATIENCE for started in self._started_at.values()))
        ahead = min((time - now for time in times if now < time < math.inf), default=None)
        self._changed.clear()
        changed = asyncio.create_task(self._changed.wait())
        try:
            await asyncio.wait({changed, *self._in_flight}, timeout=ahead, return_when=asyncio.FIRST_COMPLETED)
        finally:
            changed.cancel()
        for task in [task for task in self._in_flight if task.done()]:
            self._finish(task, self._in_flight.pop(task))

    def _finish(self, task: "asyncio.Task[Page]", key: str) -> None:
        self._last_progress = self._now()
        try:
            page = task.result()
        except BudgetError as error:
            self._run_limit = error.message
        except (FetchError, StoppedError) as error:
            self._expect_nothing(key)
            self._failed[key] = error.message
        else:
            self._accept(key, page)
        del self._started_at[key]

    def _expect_nothing(self, key: str) -> None:
        """Stop expecting a page from this address, even if it is requested again."""
        if self._started_at.get(key, -math.inf) > -math.inf:
            self._started_at[key] = -math.inf
            self.failing += 1
            self._changed.set()

    def _accept(self, key: str, page: Page) -> None:
        """Store a page unless it redirected to a site that the settings exclude."""
        if not self._admits(page.url):
            self._failed[key] = Notice("off_limits", url=page.url)
            return
        self._store(key, page)

    def _store(self, key: str, page: Page) -> None:
        before = len(self.pages)
        self.pages.setdefault(key, page)
        if before < self._enough <= len(self.pages):
            self._enough_since = self._now()

    # Which pages are taken

    def _chosen(self) -> dict[ReadingList, dict[str, Page]]:
        """Return the best arrived pages for each list: each page once overall, each text once per list."""
        chosen: dict[ReadingList, dict[str, Page]] = {reading_list: {} for reading_list in self._lists}
        taken = set(self.taken_keys)
        for reading_list, candidates in self._claims():
            pages = chosen[reading_list]
            for key in (key for key in candidates if key in self.pages and key not in taken):
                if len(pages) < reading_list.wanted and not _same(self.pages[key], pages.values()):
                    pages[key] = self.pages[key]
                    taken.add(key)
        return chosen

    def _decide(self) -> None:
        """Choose the pages of all lists, and record the choice."""
        chosen = self._chosen()
        self.taken_keys.update(*chosen.values())
        reported: set[str] = set()
        results = [(each, each.result_of(self._collected(each, chosen[each], reported))) for each in self._lists]
        self._run.decide((*each.effect, result) for each, result in results if each.effect is not None)
        self._lists = []
        for each, result in results:
            if not each.outcome.done():
                each.outcome.set_result(result)

    def _collected(self, reading_list: ReadingList, chosen: dict[str, Page], reported: set[str]) -> Collected:
        """Return the pages of a list, and why each better candidate failed; worse candidates are irrelevant."""
        failed: dict[str, NoticeOrText] = {}
        missing = set(chosen) if len(chosen) == reading_list.wanted else {""}
        for key, url in reading_list.candidates.items():
            missing.discard(key)
            if not missing:
                break
            if key not in reported | self.taken_keys and (reason := self._failure_reason(key, chosen)):
                failed[url] = reason
                reported.add(key)
        return Collected(list(chosen.values()), failed=failed, limit=self._run_limit)

    def _failure_reason(self, key: str, chosen: dict[str, Page]) -> NoticeOrText:
        if key in self._started_at:
            return TOO_SLOW
        page = self.pages.get(key)
        same = page and _same(page, chosen.values())
        return Notice("same_as", url=same.url) if same else self._failed.get(key, "")


def _same(page: Page, others: Iterable[Page]) -> Page | None:
    return next((other for other in others if other.snapshot == page.snapshot), None)


def _by_address(urls: Iterable[str]) -> dict[str, str]:
    addresses: dict[str, str] = {}
    for url in urls:
        addresses.setdefault(normalize_url(url), url)
    return addresses
