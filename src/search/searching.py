"""The concurrent search for the queries of one task."""

import asyncio
from collections.abc import Callable, Iterable, Sequence

from ..kernel.cleanup import cancel_and_wait
from ..kernel.errors import BudgetError, NoSearchError, SearchError
from ..kernel.notice import Notice, NoticeOrText, joined
from ..kernel.run import Run
from ..kernel.settings import Settings
from .candidates import fused
from .chain import search
from .result import SearchQuery, SearchResult
from .urls import normalize_url


class Searching:
    """The queries of one task; `ask` fills `answers` and `unanswered` (with the reason) while it runs.

    `settled` are the finished queries, each with the number of the requested page of results. `limit` is the limit of
    the run that prevented queries, if one did; `refused` are those queries. `offered` is set once hits are offered.
    """

    def __init__(self, run: Run, queries: Sequence[str], settings: Settings) -> None:
        self._run = run
        self._settings = settings
        self._queries = list(dict.fromkeys(queries))
        self.answers: dict[str, list[SearchResult]] = {}
        self.unanswered: dict[str, NoticeOrText] = {}
        self.settled: list[tuple[str, int]] = []
        self._on_second_page: set[str] = set()
        self.refused: list[str] = []
        self.limit: NoticeOrText = ""
        self.offered = False

    @property
    def results(self) -> list[list[SearchResult]]:
        """The hits so far of each answered query, in the order of the queries."""
        return [self.answers[query] for query in self._queries if query in self.answers]

    @property
    def ranked(self) -> list[SearchResult]:
        """The hits so far, best first over all queries, each page once."""
        return fused(self.results, self._settings)

    @property
    def given_up(self) -> list[str]:
        """The queries that were not waited for."""
        known = {*self.answers, *self.unanswered, *self.refused}
        return [query for query in self._queries if query not in known]

    @property
    def left_out(self) -> int:
        """The number of pages found so far that the settings do not admit."""
        pages = {normalize_url(hit.url) for hits in self.answers.values() for hit in hits}
        return len(pages) - len(self.ranked)

    async def ask(
        self, offer: Callable[[list[SearchResult]], None] = lambda _: None
    ) -> NoSearchError | BudgetError | None:
        """Ask all queries; return the error when none was answered: BudgetError when a limit of the run is the reason.

        `offer` gets ranked hits when all answers are in or, at the latest, `research.grace` seconds after the first,
        and then at each further answer: pages that only the fastest query finds are not read in place of better ones.
        """
        await self._ask(self._queries, 1, offer)
        if self.answers:
            return None
        return BudgetError(self.limit) if self.limit else no_answer_error(self.unanswered.values())

    async def ask_on(self, offer: Callable[[list[SearchResult]], None]) -> bool:
        """Request the second page of queries with hits, once each; return whether there were any."""
        queries = [query for query, hits in self.answers.items() if hits and query not in self._on_second_page]
        self._on_second_page |= set(queries)
        if queries:
            await self._ask(queries, 2, offer)
        return bool(queries)

    async def _ask(self, queries: Sequence[str], page: int, offer: Callable[[list[SearchResult]], None]) -> None:
        tasks = {asyncio.create_task(search_page(self._run, query, self._settings, page)): query for query in queries}
        try:
            done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            while not self._record(tasks, done, page) and pending:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            if pending:
                done, pending = await asyncio.wait(pending, timeout=self._settings.research.grace)
                self._record(tasks, done, page)
            self.offered = True
            offer(self.ranked)
            while pending:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                self._record(tasks, done, page)
                offer(self.ranked)
        finally:
            await cancel_and_wait(*tasks)

    def _record(
        self,
        tasks: "dict[asyncio.Task[list[SearchResult]], str]",
        done: "set[asyncio.Task[list[SearchResult]]]",
        page: int,
    ) -> bool:
        """Record the outcome of finished tasks; return whether a query was answered."""
        answered = False
        for task in done:
            query = tasks[task]
            try:
                self.answers[query] = [*self.answers.get(query, ()), *task.result()]
                answered = True
            except BudgetError as error:
                self.refused.append(query)
                self.limit = error.message
                continue
            except SearchError as error:
                if page == 1:
                    self.unanswered[query] = error.message
            self.settled.append((query, page))
        return answered


def no_answer_error(reasons: Iterable[NoticeOrText]) -> NoSearchError:
    """Return the error that no query was answered, with the reasons."""
    return NoSearchError(Notice("no_query_answered", why=joined(list(dict.fromkeys(reasons)))))


async def search_page(run: Run, query: str, settings: Settings, page: int = 1) -> list[SearchResult]:
    """Return a page of the engines' results for a query under the settings. Raises SearchError."""
    return await search(run, SearchQuery.of(query, settings, page=page), settings=settings)
