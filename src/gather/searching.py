"""Asks several queries side by side, and offers what they find as soon as it can be ranked."""

import asyncio
from collections.abc import Callable, Sequence

from ..errors import BudgetError, NoSearchError, SearchError
from ..run import Run
from ..search.candidates import fused
from ..search.chain import search
from ..search.result import SearchQuery, SearchResult
from ..search.urls import normalize_url
from ..settings import Settings

SETTLE = 0.05
"""Seconds for which further answers are waited for once a query is answered: hits are ranked over all of them."""


class Searching:
    """The queries of one task. `answers` and `unanswered` (with the reason) fill up while `ask` runs.

    `limit` says which limit of the run kept queries from being asked, if one did; `refused` are those queries.
    """

    def __init__(self, run: Run, queries: Sequence[str], settings: Settings) -> None:
        self._run = run
        self._settings = settings
        self._queries = list(dict.fromkeys(queries))
        self.answers: dict[str, list[SearchResult]] = {}
        self.unanswered: dict[str, str] = {}
        self.refused: list[str] = []
        self.limit = ""

    @property
    def ranked(self) -> list[SearchResult]:
        """The hits so far, best first over all queries, each page once."""
        return fused([self.answers[query] for query in self._queries if query in self.answers], self._settings)

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

    async def ask(self, offer: Callable[[list[SearchResult]], None]) -> None:
        """Ask all queries; offer the hits when all are answered or SETTLE has passed since one was, then as they come.

        Raises NoSearchError when no query was answered. Leaves nothing under way.
        """
        asked = {asyncio.create_task(self._search(query)): query for query in self._queries}
        try:
            done, pending = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            while not self._take(asked, done) and pending:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            if pending:
                done, pending = await asyncio.wait(pending, timeout=SETTLE)
                self._take(asked, done)
            offer(self.ranked)
            while pending:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                self._take(asked, done)
                offer(self.ranked)
        finally:
            for task in asked:
                task.cancel()
            await asyncio.gather(*asked, return_exceptions=True)
        if not self.answers:
            reasons = " ".join(dict.fromkeys(self.unanswered.values()))
            raise NoSearchError(f"No query was answered. {reasons}")

    async def _search(self, query: str) -> list[SearchResult]:
        return await asked_for(self._run, query, self._settings)

    def _take(
        self, asked: "dict[asyncio.Task[list[SearchResult]], str]", done: "set[asyncio.Task[list[SearchResult]]]"
    ) -> bool:
        """Note the answers of the tasks that are done; say whether any query is answered by now."""
        for task in done:
            try:
                self.answers[asked[task]] = task.result()
            except BudgetError as error:
                self.refused.append(asked[task])
                self.limit = str(error)
            except SearchError as error:
                self.unanswered[asked[task]] = str(error)
        return bool(self.answers)


async def asked_for(run: Run, query: str, settings: Settings) -> list[SearchResult]:
    """Return what the engines find for a query in the terms of the settings. Raises SearchError."""
    return await search(run, SearchQuery.of(query, settings), settings=settings)
