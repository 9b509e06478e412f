"""From a subtopic to the pages worth reading about it: expand, search, select, and what the run has not seen yet."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypedDict

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..errors import BudgetError, QuestionError, SearchError
from ..model.model import Model
from ..run import Run
from ..settings import Settings
from ..source import digest
from .candidates import deduplicate_results, filter_new_urls, ranked
from .chain import search
from .expansion import by_rules, distinct, expand_queries
from .queries import normalised
from .result import SearchQuery, SearchResult
from .urls import normalize_url

__all__ = [
    "Found",
    "SearchPipeline",
    "Subtopic",
    "Unsearched",
    "deduplicate_results",
    "expand_queries",
    "filter_new_urls",
    "normalize_url",
]


class Subtopic(BaseModel):
    """A part of a research question; without an `id`, one is derived from title and description."""

    model_config = ConfigDict(frozen=True, from_attributes=True, coerce_numbers_to_str=True)

    title: str = Field(pattern=r"\w")
    description: str = ""
    id: str = Field(
        default_factory=lambda fields: digest(fields.get("title", ""), fields.get("description", ""), size=12)
    )


@dataclass(frozen=True, slots=True)
class Unsearched:
    """A subtopic that is marked failed: none of its queries was answered, and why."""

    subtopic: Subtopic
    why: str


class Found(TypedDict):
    """What `SearchPipeline.search` answers: results, best first; every page that the run has seen, normalised."""

    search_results: list[SearchResult]
    seen_urls: set[str]


class SearchPipeline:
    """Searches subtopic by subtopic for one run; no query is asked twice, and no page is found twice.

    Subtopics may be searched side by side: their queries are, and what they find is told apart in the order in which
    `search` was called, so it does not depend on who answers first. `failed` lists the subtopics of which every query
    failed.
    """

    def __init__(self, run: Run, *, settings: Settings | None = None, model: Model | None = None) -> None:
        self._run = run
        self._settings = settings or run.settings
        self._model = model
        self._asked: set[str] = set()
        self._seen: set[str] = set()
        self._asking = _Order()
        self._keeping = _Order()
        self.failed: list[Unsearched] = []

    async def search(self, subtopic: str | Mapping[str, Any] | Subtopic | object) -> Found:
        """Return the new pages about a subtopic: its title, or an object or a dict with `title`, `description`, `id`.

        At most `max_queries` queries, side by side. A query that fails is told to the run; when all do, the subtopic is
        marked failed and has no results. Raises QuestionError for a subtopic without a title, and SettingsError for a
        list of domains that names none.
        """
        wanted = _subtopic(subtopic)
        with self._asking.place() as asking, self._keeping.place() as keeping:
            expanded = await expand_queries(
                self._run, wanted.title, wanted.description, model=self._model, settings=self._settings
            )
            await asking.come()
            queries = self._unasked([*expanded, *by_rules(wanted.title, wanted.description)])
            asking.leave()
            outcomes = await asyncio.gather(*map(self._search, queries), return_exceptions=True)
            await keeping.come()
            return self._keep(wanted, queries, outcomes)

    def _unasked(self, queries: Iterable[str]) -> list[str]:
        """Return as many queries as the budget has, which nobody asked before, and note them as asked."""
        fresh = [query for query in distinct(queries) if normalised(query) not in self._asked]
        chosen = fresh[: self._settings.max_queries]
        self._asked.update(map(normalised, chosen))
        return chosen

    async def _search(self, query: str) -> list[SearchResult]:
        return await search(self._run, SearchQuery.of(query, self._settings), settings=self._settings)

    def _keep(
        self, subtopic: Subtopic, queries: Sequence[str], outcomes: Sequence[list[SearchResult] | BaseException]
    ) -> Found:
        """Tell what failed, and keep of the rest what is worth reading and new."""
        found: list[SearchResult] = []
        failed: dict[str, SearchError | BudgetError] = {}
        for query, outcome in zip(queries, outcomes, strict=True):
            if isinstance(outcome, SearchError | BudgetError):
                failed[query] = outcome
            elif isinstance(outcome, BaseException):
                raise outcome
            else:
                found.extend(outcome)
        self._tell(subtopic, failed, everything=len(failed) == len(queries) > 0)
        new = filter_new_urls(ranked(found, self._settings), self._seen)
        self._seen.update(normalize_url(result.url) for result in new)
        results = [result.model_copy(update={"subtopic_id": subtopic.id}) for result in new]
        return {"search_results": results, "seen_urls": set(self._seen)}

    def _tell(self, subtopic: Subtopic, failed: Mapping[str, SearchError | BudgetError], *, everything: bool) -> None:
        if everything:
            why = " ".join(dict.fromkeys(map(str, failed.values())))
            self.failed.append(Unsearched(subtopic, why))
            self._run.fail("search", subtopic.title, why)
            return
        for query, error in failed.items():
            self._run.fail("search", f'the query "{query}"', str(error))


class _Order:
    """Lets tasks that run side by side pass a point one by one, in the order in which they took their places."""

    def __init__(self) -> None:
        self._last: asyncio.Event | None = None

    @contextmanager
    def place(self) -> "Iterator[_Place]":
        """Take the next place; it is left at the end of the block at the latest."""
        place = _Place(self._last)
        self._last = place.left
        try:
            yield place
        finally:
            place.leave()


class _Place:
    def __init__(self, before: asyncio.Event | None) -> None:
        self._before = before
        self.left = asyncio.Event()

    async def come(self) -> None:
        """Wait until everybody before has left."""
        if self._before is not None:
            await self._before.wait()
            self._before = None

    def leave(self) -> None:
        self.left.set()


def _subtopic(given: str | Mapping[str, Any] | object) -> Subtopic:
    """Return what was given as a Subtopic. Raises QuestionError when it has no title."""
    try:
        return Subtopic.model_validate({"title": given} if isinstance(given, str) else given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        what = f"A subtopic is not valid: {'.'.join(map(str, first['loc'])) or 'the whole'}: {first['msg']}"
        raise QuestionError(
            what, remedy="Give a title with words in it, or an object with title and description."
        ) from error
