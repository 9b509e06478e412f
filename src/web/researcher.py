"""The web research of a run, shared by its tasks so that no page is read twice or unused."""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from typing import Any, Self

from ..crawl import crawl
from ..fetch import Page, fetch
from ..kernel.cleanup import cancel_and_wait
from ..kernel.errors import BudgetError, FetchError, NoSearchError, SearchError, StoppedError
from ..kernel.notice import Notice, from_record, from_records, recorded
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.url import shown
from ..search import SearchPipeline, SearchResult
from ..search.candidates import fused
from ..search.pipeline import Subtopic
from ..search.searching import Searching, no_answer_error, search_page
from ..search.urls import normalize_url
from .browsing import Browsing
from .collected import Collected
from .collector import ENOUGH, Collector, ReadingList
from .phases import Phases, Rated

HEAD_START = 0.5  # share of the pages that are read for the question itself, during planning
LATE = 0.6  # seconds after which a task of which no query is answered reads what other tasks found
FEWEST = 2  # least number of pages that a task reads itself
COUNTING: dict[str, Any] = {
    "max_results": True,
    "search": {"engines", "min_score", "time_range", "region", "safesearch", "domains", "block", "trust"},
    "research": {"max_pages"},
}
"""The settings that, besides the queries, determine which pages are found and read."""


class WebResearcher:
    """The web research of one run.

    Which pages had arrived when a task ended is recorded as an effect, so that a replay decides as the run did. A page
    belongs to the question if its search found it, else to the first task of the plan whose queries found it; other
    tasks that found it share it. The first task also gets the pages that were read for the question itself.
    """

    def __init__(self, run: Run, settings: Settings) -> None:
        self._run = run
        self._settings = settings
        self.pipeline = SearchPipeline(run, settings=settings)
        self._collector = Collector(run, settings, ENOUGH * settings.research.max_pages)
        self._answers: dict[str, list[SearchResult]] = {}
        self._head: asyncio.Task[Collected] | None = None
        self._given_pages: asyncio.Task[list[Page]] | None = None
        self._head_claimed = False
        self._phases = Phases(run)
        self._collected = Collected()

    def browsing(self, task: str) -> Browsing:
        """Return a browsing session for a task that searches step by step, with the same page share as other tasks."""
        self._begin_phase()
        return Browsing(self._run, self._settings, task, self._page_share(), self.user_pages())

    def user_pages(self) -> "asyncio.Task[list[Page]]":
        """Return the asyncio task that reads the pages given by the user; the first call starts it."""
        if self._given_pages is None:
            self._given_pages = asyncio.create_task(self._read_given())
        return self._given_pages

    def begin(self, question: str) -> None:
        """Start reading the pages given by the user and searching for the question itself, during planning."""
        self.user_pages()
        self._begin_phase()
        if self._head is None and self._may_search:
            wanted = max(1, round(HEAD_START * self._settings.research.max_pages))
            self._head = asyncio.create_task(self._gather_recorded("the question", [question], wanted, -1))

    def note(self, collected: Collected) -> None:
        """Add what a task collected to the results that the phases will report."""
        self._collected.add(collected)

    def conclude(self, data: Sequence[Mapping[str, Any]]) -> None:
        """Report the phases of all concurrent tasks together, in order; `data` are the records of the run."""
        collected, phases = self._collected, self._phases
        phases.searched(sorted(collected.hits.values(), key=lambda hit: -hit.score))
        tried = len(collected.pages) + len(collected.failed)
        if not tried:
            return
        phases.read(tried)
        phases.have_read(tried, len(collected.pages))
        phases.rank()
        best: dict[str, Mapping[str, Any]] = {}
        for record in sorted(data, key=lambda record: -(record.get("score") or 0.0)):
            if record.get("kind") == "web":
                best.setdefault(record["url"], record)
        phases.ranked([_rated(rank, record) for rank, record in enumerate(best.values(), start=1)], len(best))

    def _begin_phase(self) -> None:
        if self._may_search:
            self._phases.search(self._run.question)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await cancel_and_wait(*(task for task in (self._head, self._given_pages) if task is not None))

    async def research(self, task: str, queries: Sequence[str]) -> Collected:
        """Search for the queries and read the best pages for `task`.

        Reports on the run which queries had no answer. Raises NoSearchError if no query had one and there is no page
        from elsewhere, BudgetError if a limit of the run is the reason.
        """
        self.begin(self._run.question)
        first = self._is_first(task)
        collected = Collected()
        if self._may_search:
            planned = self._planned_tasks
            order = planned.index(task) if task in planned else len(planned)
            collected = await self._gather_recorded(task, list(dict.fromkeys(queries)), self._page_share(), order)
        collected.add(Collected(pages=await asyncio.shield(self.user_pages())))
        if first and self._head is not None:
            collected.add(await asyncio.shield(self._head))
        error: NoSearchError | BudgetError | None = None
        if collected.limit and not collected.pages:
            error = BudgetError(collected.limit)
        elif self._may_search and all(query in collected.unanswered for query in queries):
            error = no_answer_error(collected.unanswered.values())
        self.pipeline.tell(Subtopic.of(task), collected.unanswered, error=error)
        if error and not collected.pages:
            raise error
        return collected

    @property
    def _may_search(self) -> bool:
        return not self._settings.reads_given_only

    def _is_first(self, task: str) -> bool:
        """Return whether a task is the plan's first web task, regardless of which task asks first."""
        planned = self._planned_tasks
        first = task == planned[0] if task in planned else not self._head_claimed
        self._head_claimed = self._head_claimed or first
        return first

    @property
    def _planned_tasks(self) -> list[str]:
        """Return the plan's web tasks in order."""
        agents = {card.name for card in self._run.agents.values() if card.searches == "web"}
        return [assignment.task for assignment in self._run.plan.tasks if assignment.agent in agents]

    def _page_share(self) -> int:
        """Return how many pages a task may read: what the head start leaves, divided among the plan's tasks."""
        tasks = len(self._planned_tasks) or 1
        most = self._settings.research.max_pages
        left = most - (round(HEAD_START * most) if self._head else 0)
        return max(FEWEST, -(-left // tasks))

    async def _read_given(self) -> list[Page]:
        """Return the pages given by the user, and those of the sites given, each text once."""
        collected = Collected(pages=await self._read_urls())
        for pages in await asyncio.gather(*map(self._read_site, self._settings.sites)):
            collected.add(Collected(pages=pages))
        return collected.pages

    async def _read_site(self, url: str) -> list[Page]:
        crawled = await crawl(self._run, url, self._run.question, self._settings)
        crawled.tell(self._run, url)
        return crawled.pages

    async def _read_urls(self) -> list[Page]:
        outcomes = await asyncio.gather(
            *(fetch(self._run, url, settings=self._settings) for url in self._settings.urls), return_exceptions=True
        )
        pages = []
        for url, outcome in zip(self._settings.urls, outcomes, strict=True):
            if isinstance(outcome, Page):
                pages.append(outcome)
            elif isinstance(outcome, FetchError | StoppedError):
                self._run.fail("web", Notice("of_reading", url=shown(url)), outcome.message)
            else:
                raise outcome
        return pages

    # Searching and reading

    async def _gather_recorded(self, task: str, queries: list[str], wanted: int, order: float) -> Collected:
        """Gather as a recorded effect; a stopped run returns what it has read."""
        counting = self._settings.model_dump(mode="json", include=COUNTING)
        request = {"task": task, "queries": queries, "wanted": wanted, **counting}
        try:
            answer = await self._run.effect("gather", request, lambda: self._gather(request, order))
        except StoppedError:
            return Collected(pages=list(self._collector.pages.values()))
        for query, page in answer["settled"]:  # from the journal, so a replay emits the same events
            with contextlib.suppress(BudgetError, SearchError):
                results = await search_page(self._run, query, self._settings, page)
                known = self._answers.setdefault(query, [])
                known += [hit for hit in results if hit not in known]
        pages = [await fetch(self._run, url, settings=self._settings) for url in answer["pages"]]
        failed = from_records(answer["failed"])
        self._collector.restore(pages, failed)
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

    async def _gather(self, request: dict[str, Any], order: float) -> Any:
        """Search and read concurrently, and return the choice of pages as JSON."""
        searching = self.pipeline.searching(request["queries"])
        reading_list = ReadingList(
            request["wanted"],
            order=order,
            effect=("gather", request),
            result_of=lambda collected: self._decision(searching, collected, request["wanted"]),
        )
        search = asyncio.create_task(self._supply(searching, reading_list))
        search.add_done_callback(reading_list.end_with)
        try:
            return await self._collector.read(reading_list)
        finally:
            await cancel_and_wait(search)

    def _decision(self, searching: Searching, collected: Collected, wanted: int) -> dict[str, Any]:
        """Return the pages of a task: those it read, and the best that its queries found and other tasks read."""
        collector, hits = self._collector, {normalize_url(hit.url): hit for hit in searching.ranked}
        read = [normalize_url(page.asked) for page in collected.pages]
        spare = max(0, 2 * wanted - len(read))
        shared = [url for url in hits if url in collector.taken_keys and url not in read][:spare]
        ranked = [url for url in hits if url in {*read, *shared}]
        hits = {normalize_url(hit.url): hit for hit in self._known_results()} | hits
        pages = {url: collector.pages[url].asked for url in dict.fromkeys([*ranked, *read])}
        return {
            "pages": list(pages.values()),
            "hits": {asked: hits[url].model_dump() for url, asked in pages.items() if url in hits},
            "settled": searching.settled,
            "failed": recorded(collected.failed),
            "unanswered": recorded(searching.unanswered),
            "given_up": searching.given_up,
            "left_out": searching.left_out,
            "limit": recorded(collected.limit or searching.limit),
        }

    def _known_results(self) -> list[SearchResult]:
        """Return the hits of all tasks so far, best first."""
        return fused([self._answers[query] for query in sorted(self._answers)], self._settings)

    async def _supply(self, searching: Searching, reading_list: ReadingList) -> None:
        """Add the hits of the queries to a list, and if they are late or too few, those of the run's other tasks."""

        def offer(hits: list[SearchResult]) -> None:
            self._answers.update(searching.answers)
            reading_list.rank(hit.url for hit in hits)

        def offer_known() -> bool:
            return reading_list.extend(hit.url for hit in self._known_results())

        asking = asyncio.create_task(searching.ask(offer))
        asking.add_done_callback(lambda _: reading_list.on_change())
        late = asyncio.get_running_loop().call_later(LATE, lambda: searching.answers or offer_known())
        try:
            while True:
                await reading_list.runs_out()
                if not searching.offered and not asking.done():
                    continue  # its own hits come first
                failing = self._collector.failing > 0
                if not offer_known() and not (failing and await searching.ask_on(offer)) and asking.done():
                    break
            await asking
        finally:
            late.cancel()
            await cancel_and_wait(asking)


def _rated(rank: int, record: Mapping[str, Any]) -> Rated:
    score = round(record.get("score") or 0.0, 4)
    return Rated(
        rank=rank, title=record["title"], url=record["url"], snippet=record["brief_summary"], rerank_score=score
    )


async def researcher_of(run: Run, settings: Settings) -> WebResearcher:
    """Return the run's web research, created by the first call with its settings, and closed with the run."""
    return await run.client("gathering", lambda: WebResearcher(run, settings))
