"""The queries of one task, asked concurrently."""

import asyncio
from collections.abc import Callable, Iterable, Sequence

from ..kernel.errors import BudgetError, NoSearchError, SearchError
from ..kernel.notice import Notice, Told, joined
from ..kernel.run import Run
from ..kernel.settings import Settings
from .candidates import fused
from .chain import search
from .result import SearchQuery, SearchResult
from .urls import normalize_url

SETTLE = 0.05
"""Seconds for which further answers are waited for once a query is answered: hits are ranked over all of them."""


class Searching:
    """The queries of one task. `answers` and `unanswered` (with the reason) fill up while `ask` runs.

    `settled` are the queries that came to an end, each with the page of results that was asked for. `limit` says which
    limit of the run kept queries from being asked, if one did; `refused` are those queries.
    """

    def __init__(self, run: Run, queries: Sequence[str], settings: Settings) -> None:
        self._run = run
        self._settings = settings
        self._queries = list(dict.fromkeys(queries))
        self.answers: dict[str, list[SearchResult]] = {}
        self.unanswered: dict[str, Told] = {}
        self.settled: list[tuple[str, int]] = []
        self._asked_on: set[str] = set()
        self.refused: list[str] = []
        self.limit: Told = ""

    @property
    def results(self) -> list[list[SearchResult]]:
        """The hits so far of each query that was answered, in the order of the queries."""
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
        """How many of the pages found so far the settings do not admit."""
        found = {normalize_url(hit.url) for hits in self.answers.values() for hit in hits}
        return len(found) - len(self.ranked)

    async def ask(self, offer: Callable[[list[SearchResult]], None] = lambda _: None) -> None:
        """Ask all queries; `offer` the ranked hits SETTLE after the first answer or once all came, then at each answer.

        Raises NoSearchError when no query was answered, BudgetError when a limit of the run is why.
        """
        await self._ask(self._queries, 1, offer)
        if not self.answers and self.limit:
            raise BudgetError(self.limit)
        if not self.answers:
            raise none_answered(self.unanswered.values())

    async def ask_on(self, offer: Callable[[list[SearchResult]], None]) -> bool:
        """Ask for the second page of queries with hits, once each; return whether there were any."""
        asked = [query for query, hits in self.answers.items() if hits and query not in self._asked_on]
        self._asked_on |= set(asked)
        if asked:
            await self._ask(asked, 2, offer)
        return bool(asked)

    async def _ask(self, queries: Sequence[str], page: int, offer: Callable[[list[SearchResult]], None]) -> None:
        asked = {asyncio.create_task(asked_for(self._run, query, self._settings, page)): query for query in queries}
        try:
            done, pending = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            while not self._take(asked, done, page) and pending:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            if pending:
                done, pending = await asyncio.wait(pending, timeout=SETTLE)
                self._take(asked, done, page)
            offer(self.ranked)
            while pending:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                self._take(asked, done, page)
                offer(self.ranked)
        finally:
            for task in asked:
                task.cancel()
            await asyncio.gather(*asked, return_exceptions=True)

    def _take(
        self,
        asked: "dict[asyncio.Task[list[SearchResult]], str]",
        done: "set[asyncio.Task[list[SearchResult]]]",
        page: int,
    ) -> bool:
        """Record the outcome of finished tasks; return whether a query was answered."""
        answered = False
        for task in done:
            query = asked[task]
            try:
                self.answers[query] = [*self.answers.get(query, ()), *task.result()]
                answered = True
            except BudgetError as error:
                self.refused.append(query)
                self.limit = error.told
                continue
            except SearchError as error:
                if page == 1:
                    self.unanswered[query] = error.told
            self.settled.append((query, page))
        return answered


def none_answered(reasons: Iterable[Told]) -> NoSearchError:
    """Return the error that no query was answered, for these reasons."""
    return NoSearchError(Notice("no_query_answered", why=joined(list(dict.fromkeys(reasons)))))


async def asked_for(run: Run, query: str, settings: Settings, page: int = 1) -> list[SearchResult]:
    """Return a page of what the engines find for a query in the terms of the settings. Raises SearchError."""
    return await search(run, SearchQuery.of(query, settings, page=page), settings=settings)
