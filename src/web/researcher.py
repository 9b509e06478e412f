"""One run's research on the web: what its tasks share, so that no page is read twice and none for nothing."""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from typing import Any, Self

from ..crawl import crawl
from ..fetch import Page, fetch
from ..kernel.errors import BudgetError, FetchError, NoSearchError, SearchError, StoppedError
from ..kernel.notice import Notice, from_record, from_records, recorded
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.url import shown
from ..search import SearchPipeline, SearchResult
from ..search.candidates import fused
from ..search.pipeline import Subtopic
from ..search.searching import Searching, asked_for, none_answered
from ..search.urls import normalize_url
from .browsing import Browsing
from .collected import Collected
from .collector import ENOUGH, Collector, ReadingList
from .phases import Phases, Rated

HEAD_START = 0.5  # share of the pages that are read for the question itself, while the plan is being made
LATE = 0.6  # seconds after which a task whose queries are not answered reads what others found
FEWEST = 2  # pages that a task reads for itself at least
COUNTING: dict[str, Any] = {
    "max_results": True,
    "search": {"engines", "min_score", "time_range", "region", "safesearch", "domains", "block", "trust"},
    "research": {"max_pages"},
}
"""The settings that decide which pages are searched for and read, beside the queries."""


class WebResearcher:
    """The web research of one run.

    Which pages were in when a task ended is an effect, so that a replay decides as the run did. A page belongs to the
    question, or else to the first task of the plan whose queries found it; others whose queries found it have it as
    well. The first task also has the pages that were read for the question itself.
    """

    def __init__(self, run: Run, settings: Settings) -> None:
        self._run = run
        self._settings = settings
        self.pipeline = SearchPipeline(run, settings=settings)
        self._collector = Collector(run, settings, ENOUGH * settings.research.max_pages)
        self._answers: dict[str, list[SearchResult]] = {}
        self._head: asyncio.Task[Collected] | None = None
        self._given: asyncio.Task[list[Page]] | None = None
        self._head_given_out = False
        self._phases = Phases(run)
        self._came = Collected()

    def browsing(self, task: str) -> Browsing:
        """Return a way through the web for a task that goes its own; it reads as many pages as the others may."""
        self._begin_phase()
        return Browsing(self._run, self._settings, task, self._share(), self.given())

    def given(self) -> "asyncio.Task[list[Page]]":
        """Return the reading of the pages that the user gave, begun by whoever asks for it first."""
        if self._given is None:
            self._given = asyncio.create_task(self._read_given())
        return self._given

    def begin(self, question: str) -> None:
        """Read the pages that the user gave and search for the question itself, while the plan is being made."""
        self.given()
        self._begin_phase()
        if self._head is None and self._searches:
            wanted = max(1, round(HEAD_START * self._settings.research.max_pages))
            self._head = asyncio.create_task(self._gathered("the question", [question], wanted, -1))

    def note(self, found: Collected) -> None:
        """Keep what a task has found for the phases to tell."""
        self._came.add(found)

    def conclude(self, data: Sequence[Mapping[str, Any]]) -> None:
        """Tell the phases of all tasks, which ran side by side, in their order; `data` are the records of the run."""
        came, phases = self._came, self._phases
        phases.searched(sorted(came.hits.values(), key=lambda hit: -hit.score))
        tried = len(came.pages) + len(came.failed)
        if not tried:
            return
        phases.read(tried)
        phases.have_read(tried, len(came.pages))
        phases.rank()
        best: dict[str, Mapping[str, Any]] = {}
        for record in sorted(data, key=lambda record: -(record.get("score") or 0.0)):
            if record.get("kind") == "web":
                best.setdefault(record["url"], record)
        phases.ranked([_rated(rank, record) for rank, record in enumerate(best.values(), start=1)], len(best))

    def _begin_phase(self) -> None:
        if self._searches:
            self._phases.search(self._run.question)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        tasks = [task for task in (self._head, self._given) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def research(self, task: str, queries: Sequence[str]) -> Collected:
        """Search for the queries and read the best pages for `task`.

        The run is told which queries had no answer. Raises NoSearchError when none had and no page is there from
        elsewhere, BudgetError when a limit of the run is why.
        """
        self.begin(self._run.question)
        first = self._is_first(task)
        found = Collected()
        if self._searches:
            planned = self._planned
            place = planned.index(task) if task in planned else len(planned)
            found = await self._gathered(task, list(dict.fromkeys(queries)), self._share(), place)
        found.add(Collected(pages=await asyncio.shield(self.given())))
        if first and self._head is not None:
            found.add(await asyncio.shield(self._head))
        error: NoSearchError | BudgetError | None = None
        if found.limit and not found.pages:
            error = BudgetError(found.limit)
        elif self._searches and all(query in found.unanswered for query in queries):
            error = none_answered(found.unanswered.values())
        self.pipeline.tell(Subtopic.of(task), found.unanswered, error=error)
        if error and not found.pages:
            raise error
        return found

    @property
    def _searches(self) -> bool:
        return not self._settings.reads_given_only

    def _is_first(self, task: str) -> bool:
        """Say whether a task is the plan's first one for the web, whichever of them comes here first."""
        planned = self._planned
        first = task == planned[0] if task in planned else not self._head_given_out
        self._head_given_out = self._head_given_out or first
        return first

    @property
    def _planned(self) -> list[str]:
        """The plan's tasks for the web, in its order."""
        agents = {card.name for card in self._run.agents.values() if card.searches == "web"}
        return [one.task for one in self._run.plan.tasks if one.agent in agents]

    def _share(self) -> int:
        """Return how many pages of its own a task may read: what a head start leaves, shared by the plan's tasks."""
        tasks = len(self._planned) or 1
        most = self._settings.research.max_pages
        left = most - (round(HEAD_START * most) if self._head else 0)
        return max(FEWEST, -(-left // tasks))

    async def _read_given(self) -> list[Page]:
        """Return the pages that the user gave, and those of his sites, each text once."""
        found = Collected(pages=await self._read_urls())
        for one in await asyncio.gather(*map(self._read_site, self._settings.sites)):
            found.add(Collected(pages=one))
        return found.pages

    async def _read_site(self, url: str) -> list[Page]:
        found = await crawl(self._run, url, self._run.question, self._settings)
        found.tell(self._run, url)
        return found.pages

    async def _read_urls(self) -> list[Page]:
        outcomes = await asyncio.gather(
            *(fetch(self._run, url, settings=self._settings) for url in self._settings.urls), return_exceptions=True
        )
        pages = []
        for url, outcome in zip(self._settings.urls, outcomes, strict=True):
            if isinstance(outcome, Page):
                pages.append(outcome)
            elif isinstance(outcome, FetchError | StoppedError):
                self._run.fail("web", Notice("of_reading", url=shown(url)), outcome.told)
            else:
                raise outcome
        return pages

    # Searching and reading

    async def _gathered(self, task: str, queries: list[str], wanted: int, place: float) -> Collected:
        """Gather as an effect, and tell what there is to tell; a run that was stopped has what it has read."""
        counting = self._settings.model_dump(mode="json", include=COUNTING)
        request = {"task": task, "queries": queries, "wanted": wanted, **counting}
        try:
            answer = await self._run.effect("gather", request, lambda: self._gather(request, place))
        except StoppedError:
            return Collected(pages=list(self._collector.pages.values()))
        for query, page in answer["settled"]:  # it is in the journal, and so tells a replay what it told the run
            with contextlib.suppress(BudgetError, SearchError):
                found = await asked_for(self._run, query, self._settings, page)
                known = self._answers.setdefault(query, [])
                known += [hit for hit in found if hit not in known]
        pages = [await fetch(self._run, url, settings=self._settings) for url in answer["pages"]]
        failed = from_records(answer["failed"])
        self._collector.know(pages, failed)
        hits = {url: SearchResult(**hit) for url, hit in answer["hits"].items()}
        return Collected(
            pages,
            hits,
            failed,
            from_records(answer["unanswered"]),
            answer["given_up"],
            answer["left_out"],
            from_record(answer["limit"]),
        )

    async def _gather(self, request: dict[str, Any], place: float) -> Any:
        """Search and read at the same time, and return what was decided, as JSON."""
        searching = self.pipeline.searching(request["queries"])
        wanted = ReadingList(
            request["wanted"],
            place=place,
            effect=("gather", request),
            decided=lambda read: self._decided(searching, read, request["wanted"]),
        )
        asking = asyncio.create_task(self._offer(searching, wanted))
        asking.add_done_callback(wanted.end_with)
        try:
            return await self._collector.read(wanted)
        finally:
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)

    def _decided(self, searching: Searching, read: Collected, wanted: int) -> dict[str, Any]:
        """Return the pages that a task has: those that it read, and the best that others read and its queries found."""
        collector, hits = self._collector, {normalize_url(hit.url): hit for hit in searching.ranked}
        own = [normalize_url(page.asked) for page in read.pages]
        shared = [url for url in hits if url in collector.taken and url not in own][: max(0, 2 * wanted - len(own))]
        ranked = [url for url in hits if url in {*own, *shared}]
        hits = {normalize_url(hit.url): hit for hit in self._known()} | hits
        pages = {url: collector.pages[url].asked for url in dict.fromkeys([*ranked, *own])}
        return {
            "pages": list(pages.values()),
            "hits": {asked: hits[url].model_dump() for url, asked in pages.items() if url in hits},
            "settled": searching.settled,
            "failed": recorded(read.failed),
            "unanswered": recorded(searching.unanswered),
            "given_up": searching.given_up,
            "left_out": searching.left_out,
            "limit": recorded(read.limit or searching.limit),
        }

    def _known(self) -> list[SearchResult]:
        """Return what all tasks have found so far, best first."""
        return fused([self._answers[query] for query in sorted(self._answers)], self._settings)

    async def _offer(self, searching: Searching, wanted: ReadingList) -> None:
        """Offer what the queries find; where they are late or find too little, what others of the run found."""

        def offer(hits: list[SearchResult]) -> None:
            self._answers.update(searching.answers)
            wanted.rank(hit.url for hit in hits)

        def offer_known() -> bool:
            return wanted.extend(hit.url for hit in self._known())

        asking = asyncio.create_task(searching.ask(offer))
        asking.add_done_callback(lambda _: wanted.wake())
        late = asyncio.get_running_loop().call_later(LATE, offer_known)
        try:
            with contextlib.suppress(BudgetError, SearchError):  # they are told with the queries
                while True:
                    await wanted.runs_out()
                    if not searching.answers and not asking.done():
                        continue
                    failing = self._collector.failing > 0
                    if not offer_known() and not (failing and await searching.ask_on(offer)) and asking.done():
                        break
                await asking
        finally:
            late.cancel()
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)


def _rated(rank: int, record: Mapping[str, Any]) -> Rated:
    score = round(record.get("score") or 0.0, 4)
    return Rated(
        rank=rank, title=record["title"], url=record["url"], snippet=record["brief_summary"], rerank_score=score
    )


async def researcher_of(run: Run, settings: Settings) -> WebResearcher:
    """Return the run's gathering, made at first need and closed with the run; the first caller's settings hold."""
    return await run.client("gathering", lambda: WebResearcher(run, settings))
