"""The search pipeline: finds new pages about a subtopic by expansion, search, selection and deduplication."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypedDict

from ..kernel.argument import validated
from ..kernel.errors import BudgetError, SearchError
from ..kernel.notice import Notice, NoticeOrText
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..model import Model
from .candidates import deduplicate_results, filter_new_urls, ranked
from .expansion import Subtopic, distinct, expand_queries
from .result import SearchResult
from .searching import Searching
from .urls import normalize_url

__all__ = [
    "FailedSubtopic",
    "PipelineResult",
    "SearchPipeline",
    "Subtopic",
    "deduplicate_results",
    "expand_queries",
    "filter_new_urls",
    "normalize_url",
]


@dataclass(frozen=True, slots=True)
class FailedSubtopic:
    """A subtopic of which no query was answered, with the error."""

    subtopic: Subtopic
    error: SearchError | BudgetError

    @property
    def why(self) -> str:
        """The reason, in words."""
        return str(self.error)


class PipelineResult(TypedDict):
    """The result of `SearchPipeline.search`: results, best first, and the normalised addresses of all pages seen."""

    search_results: list[SearchResult]
    seen_urls: set[str]


@validated
class SearchPipeline:
    """The search of one run, subtopic by subtopic; no query is asked twice, and no page is returned twice.

    Every search agent uses it, by `search` or step by step. Subtopics may be searched concurrently: a page belongs to
    the first call of `search` that finds it. `failed` lists the subtopics whose queries all failed.
    """

    def __init__(self, run: Run, *, settings: Settings | None = None, model: Model | None = None) -> None:
        self._run = run
        self._settings = settings or run.settings
        self._model = model
        self._seen: set[str] = set()
        self._last = asyncio.Event()
        self._last.set()
        self.failed: list[FailedSubtopic] = []

    async def search(self, subtopic: str | Mapping[str, Any] | Subtopic | object) -> PipelineResult:
        """Return the new pages about a subtopic: its title, or an object or a dict with `title`, `description`, `id`.

        A query that fails is recorded on the run; when all do, the subtopic is marked failed and has no results. Raises
        QuestionError for a subtopic without a title, and SettingsError for an entry of a list that is not a domain.
        """
        wanted = Subtopic.of(subtopic)
        previous, finished = self._last, asyncio.Event()
        self._last = finished
        try:
            searching = self.searching(await self.queries(wanted))
            error = await searching.ask()
            await previous.wait()
            self.tell(wanted, searching.unanswered, searching.limit, error)
            ranking = ranked(chain.from_iterable(searching.results), self._settings)
            new, self._seen = filter_new_urls(ranking, self._seen)
        finally:
            finished.set()
        results = [result.model_copy(update={"subtopic_id": wanted.id}) for result in new]
        return {"search_results": results, "seen_urls": set(self._seen)}

    async def queries(self, subtopic: Subtopic, planned: Iterable[str] = (), model: Model | None = None) -> list[str]:
        """Return the queries of a subtopic, `search.max_queries` at most: the planned ones, else an expansion."""
        queries = distinct(planned) or await expand_queries(
            subtopic, model or self._model, run=self._run, settings=self._settings
        )
        return queries[: self._settings.search.max_queries]

    def searching(self, queries: Sequence[str]) -> Searching:
        """Return a search for these queries; its `ask` starts it."""
        return Searching(self._run, queries, self._settings)

    def tell(
        self,
        subtopic: Subtopic,
        unanswered: Mapping[str, NoticeOrText],
        limit: NoticeOrText = "",
        error: SearchError | BudgetError | None = None,
    ) -> None:
        """Report to the run which queries had no answer, and which limit prevented others.

        An `error` means that no query was answered: the subtopic is marked failed.
        """
        if error is not None:
            self.failed.append(FailedSubtopic(subtopic, error))
            self._run.fail("search", subtopic.title, error.message)
            return
        if limit:
            self._run.fail("web", Notice("of_searches"), limit)
        for query, reason in unanswered.items():
            self._run.fail("search", query, reason)
