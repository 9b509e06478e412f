"""Reads the best pages of several lists at once: failures are replaced, slow ones hedged, the last not waited for."""

import asyncio
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import copy_context
from functools import partial
from typing import Any, Final

from ..fetch import Page, fetch
from ..kernel.errors import BudgetError, FetchError, StoppedError
from ..kernel.notice import Notice, Told
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..search.candidates import Selection
from ..search.urls import normalize_url
from .collected import TOO_SLOW, Collected

PATIENCE: Final = 0.7
"""Seconds after which a page no longer counts as one that will come: another one is begun beside it."""

GRACE: Final = 0.8  # seconds for which the rest is waited for when enough is in
LONG_GRACE: Final = 1.2
"""Seconds in which nothing comes, after which the rest is given up when something is in and nothing left to begin."""

ENOUGH: Final = 0.6  # share of the wanted pages that is enough
MOST_TRIED: Final = 6  # pages that are begun at most for each one that is wanted


class ReadingList:
    """Candidates of which `wanted` pages are to be read, best first; they may be added to until it is closed.

    Of two lists that have a candidate in common, the one of the lower `place` has it. `decided` makes of what came of a
    list the answer to the effect that is its `effect`, a kind and a request; without one nothing is recorded.
    """

    def __init__(
        self,
        wanted: int,
        urls: Iterable[str] = (),
        *,
        place: float = 0.0,
        effect: tuple[str, Any] | None = None,
        decided: Callable[[Collected], Any] = lambda collected: collected,
    ) -> None:
        self.wanted = wanted
        self.place = place
        self.effect = effect
        self.decided = decided
        self.ranked: dict[str, str] = {}
        self.further: dict[str, str] = {}
        self.counted = set[str]()
        self.closed = False
        self.short = asyncio.Event()
        self.ended: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.context = copy_context()
        self.wake: Callable[[], None] = lambda: None
        self.count_anew()
        self.rank(urls)

    def count_anew(self) -> None:
        """Begin to count anew which texts are in, what is under way and expected, and what was tried."""
        self.texts = set[str]()
        self.hoped = self.under_way = self.tried = 0

    @property
    def candidates(self) -> dict[str, str]:
        """All candidates by their normalised addresses, as they are spelt here."""
        return {**self.ranked, **self.further} | self.ranked

    def rank(self, urls: Iterable[str]) -> None:
        """Set the candidates, best first."""
        self.ranked = _by_address(urls)
        self.wake()

    def extend(self, urls: Iterable[str]) -> bool:
        """Set the candidates for want of others, which any other list has before this one; say whether any is new."""
        known = len(self.candidates)
        self.further |= _by_address(urls)
        self.wake()
        return len(self.candidates) > known

    def close(self) -> None:
        """Say that no more candidates will be there."""
        self.closed = True
        self.wake()

    def end_with(self, asking: "asyncio.Task[None]") -> None:
        """Close the list, and raise to whoever waits for it what broke who was asking for its candidates."""
        self.close()
        error = None if asking.cancelled() else asking.exception()
        if error is not None and not self.ended.done():
            self.ended.set_exception(error)

    async def runs_out(self) -> None:
        """Wait until all candidates are begun and too few will come."""
        await self.short.wait()
        self.short.clear()


class Collector:
    """Reads for several lists at once until each has as many pages as it wants, and gives up the rest at one deadline.

    The rank of a candidate decides when it is begun and whether it is taken, never when it came: all lists end at the
    same moment, and each takes the best of what is there by then. So a better page is waited for as long as anything
    is waited for, and no longer. What was taken and what was given up is recorded at that moment, for all lists or for
    none. GRACE after `enough` pages are in, nothing more is waited for. `links` asks for the links of pages, too.
    """

    def __init__(self, run: Run, settings: Settings, enough: float, *, links: bool = False) -> None:
        self._run = run
        self._settings = settings
        self._enough = enough
        self._links = links
        self._admits = Selection.of(settings).admits
        self._lists: list[ReadingList] = []
        self._in_flight: dict[asyncio.Task[Page], str] = {}
        self._begun: dict[str, float] = {}
        self._failed: dict[str, Told] = {}
        self._limit: Told = ""
        self._moved = self._since = 0.0
        self._changed = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None
        self.pages: dict[str, Page] = {}
        self.taken: set[str] = set()
        self.failing = 0

    async def read(self, wanted: ReadingList) -> Any:
        """Return what was decided on a list. When the last one has ended nothing is under way."""
        self._lists = sorted([*self._lists, wanted], key=lambda one: one.place)
        self._moved = self._since = self._now()
        wanted.wake = self._changed.set
        self._reading = reading = self._reading or asyncio.create_task(self._read())
        self._changed.set()
        try:
            await asyncio.wait({wanted.ended, reading}, return_when=asyncio.FIRST_COMPLETED)
            if not wanted.ended.done():
                reading.result()
            return await wanted.ended
        finally:
            wanted.ended.cancel()
            if wanted in self._lists:
                self._lists.remove(wanted)
                self._changed.set()
            if not self._lists:
                await asyncio.wait([reading])

    def know(self, pages: Iterable[Page], failed: Mapping[str, Told]) -> None:
        """Take note of what was decided, perhaps before this process began."""
        for page in pages:
            self._put(normalize_url(page.asked), page)
            self.taken.add(normalize_url(page.asked))
        for url, why in failed.items():
            if why != TOO_SLOW and normalize_url(url) not in self._failed:
                self._failed[normalize_url(url)] = why
                self.failing += 1

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    async def _read(self) -> None:
        try:
            while self._lists:
                self._begin()
                if self._is_done():
                    self._end()
                else:
                    await self._step()
        finally:
            in_flight, self._in_flight, self._begun, self._reading = list(self._in_flight), {}, {}, None
            for task in in_flight:
                task.cancel()
            await asyncio.gather(*in_flight, return_exceptions=True)

    # What is begun

    def _turns(self) -> Iterator[tuple[ReadingList, dict[str, str]]]:
        """Yield the candidates in the order in which lists have them: what is theirs first."""
        yield from ((one, one.ranked) for one in self._lists)
        yield from ((one, one.further) for one in self._lists)

    def _begin(self) -> None:
        """Begin pages until as many are in or expected as are wanted."""
        claimed, known = set(self.taken), self._known()
        for one in self._lists:
            one.count_anew()
        for one, candidates in self._turns():
            for key, url in candidates.items():
                if key not in claimed and self._is_short(one) and (key in known or self._may_begin(one)):
                    claimed.add(key)
                    self._count(one, key, url)
        for one in self._lists:
            if self._is_short(one) and self._may_begin(one) and not self._is_left(one):
                one.short.set()

    def _count(self, one: ReadingList, key: str, url: str) -> None:
        """Count a candidate for a list, and begin it if nobody has."""
        one.tried += 1
        one.counted.add(key)
        if key in self.pages:
            one.texts.add(self.pages[key].snapshot)
        elif key not in self._failed:
            if key not in self._begun:
                trouble = partial(self._in_trouble, key)
                reading = fetch(self._run, url, settings=self._settings, retrying=trouble, links=self._links)
                self._in_flight[asyncio.create_task(reading, context=one.context)] = key
                self._begun[key] = self._moved = self._now()
            one.under_way += 1
            one.hoped += self._now() - self._begun[key] < PATIENCE

    def _known(self) -> set[str]:
        """Return what was begun, whatever came of it."""
        return self.pages.keys() | self._failed.keys() | self._begun.keys()

    def _is_short(self, one: ReadingList) -> bool:
        """Say whether a list wants more pages than are in or likely to come, going by how many have failed so far."""
        odds = (len(self.pages) + 1) / (len(self.pages) + self.failing + 1)
        return len(one.texts) + round(one.hoped * odds) < one.wanted

    def _may_begin(self, one: ReadingList) -> bool:
        return not self._limit and not self._run.stopped and one.tried < MOST_TRIED * one.wanted

    def _is_left(self, one: ReadingList) -> bool:
        """Say whether a list has candidates that could still be begun."""
        return self._may_begin(one) and not self._known().issuperset(one.candidates)

    # Until when

    def _is_done(self) -> bool:
        lacking = self._lacking()
        hopeless = not any(one.under_way or self._may_grow(one) for one in lacking)
        return hopeless or self._deadline <= self._now()

    def _lacking(self) -> list[ReadingList]:
        """Return the lists that have not as many as they want of the pages that they have counted on."""
        own = self._best()
        return [one for one in self._lists if len(own[one].keys() & one.counted) < one.wanted]

    def _may_grow(self, one: ReadingList) -> bool:
        return self._is_left(one) or (self._may_begin(one) and not one.closed)

    @property
    def _deadline(self) -> float:
        """When nothing more is waited for, by the event loop's clock."""
        if len(self.pages) >= self._enough:
            return self._since + GRACE
        if self.pages and self._in_flight and not any(map(self._may_grow, self._lacking())):
            return self._moved + LONG_GRACE
        return math.inf

    async def _step(self) -> None:
        """Wait until a page ends, one becomes overdue, a list changes, or the deadline is there."""
        now = self._now()
        times = (self._deadline, *(begun + PATIENCE for begun in self._begun.values()))
        ahead = min((time - now for time in times if now < time < math.inf), default=None)
        self._changed.clear()
        changed = asyncio.create_task(self._changed.wait())
        try:
            await asyncio.wait({changed, *self._in_flight}, timeout=ahead, return_when=asyncio.FIRST_COMPLETED)
        finally:
            changed.cancel()
        for task in [task for task in self._in_flight if task.done()]:
            self._land(task, self._in_flight.pop(task))

    def _land(self, task: "asyncio.Task[Page]", key: str) -> None:
        self._moved = self._now()
        try:
            page = task.result()
        except BudgetError as error:
            self._limit = error.told
        except (FetchError, StoppedError) as error:
            self._in_trouble(key)
            self._failed[key] = error.told
        else:
            self._take(key, page)
        del self._begun[key]

    def _in_trouble(self, key: str) -> None:
        """Expect no page there any more, whether or not it is asked for again."""
        if self._begun.get(key, -math.inf) > -math.inf:
            self._begun[key] = -math.inf
            self.failing += 1
            self._changed.set()

    def _take(self, key: str, page: Page) -> None:
        """Keep a page unless it led to where the user wants nothing from."""
        if not self._admits(page.url):
            self._failed[key] = Notice("off_limits", url=page.url)
            return
        self._put(key, page)

    def _put(self, key: str, page: Page) -> None:
        before = len(self.pages)
        self.pages.setdefault(key, page)
        if before < self._enough <= len(self.pages):
            self._since = self._now()

    # What is decided

    def _best(self) -> dict[ReadingList, dict[str, Page]]:
        """Return for each list the best of its candidates that are in, each page and, in a list, each text once."""
        own: dict[ReadingList, dict[str, Page]] = {one: {} for one in self._lists}
        taken = set(self.taken)
        for one, candidates in self._turns():
            for key in (key for key in candidates if key in self.pages and key not in taken):
                if len(own[one]) < one.wanted and not _same(self.pages[key], own[one].values()):
                    own[one][key] = self.pages[key]
                    taken.add(key)
        return own

    def _end(self) -> None:
        """Decide on all lists, and record it."""
        own = self._best()
        self.taken.update(*own.values())
        told: set[str] = set()
        ends = [(one, one.decided(self._collected(one, own[one], told))) for one in self._lists]
        self._run.decide((*one.effect, value) for one, value in ends if one.effect is not None)
        self._lists = []
        for one, value in ends:
            if not one.ended.done():
                one.ended.set_result(value)

    def _collected(self, one: ReadingList, own: dict[str, Page], told: set[str]) -> Collected:
        """Return what a list has, and why it has none of the better ones: what came later could not change that."""
        failed: dict[str, Told] = {}
        missing = set(own) if len(own) == one.wanted else {""}
        for key, url in one.candidates.items():
            missing.discard(key)
            if not missing:
                break
            if key not in told | self.taken and (why := self._why_not(key, own)):
                failed[url] = why
                told.add(key)
        return Collected(list(own.values()), failed=failed, limit=self._limit)

    def _why_not(self, key: str, own: dict[str, Page]) -> Told:
        if key in self._begun:
            return TOO_SLOW
        page = self.pages.get(key)
        same = page and _same(page, own.values())
        return Notice("same_as", url=same.url) if same else self._failed.get(key, "")


def _same(page: Page, others: Iterable[Page]) -> Page | None:
    return next((other for other in others if other.snapshot == page.snapshot), None)


def _by_address(urls: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for url in urls:
        found.setdefault(normalize_url(url), url)
    return found
