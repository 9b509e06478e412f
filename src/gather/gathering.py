"""One run's research on the web: what its tasks share, so that no page is read twice and none for nothing."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from ..errors import FetchError, SearchError, StoppedError
from ..fetch.fetcher import fetch
from ..fetch.page import Page
from ..run import Run
from ..search.result import SearchResult
from ..search.urls import normalize_url
from ..settings import Settings
from .reading import ENOUGH, Reader, Reading
from .searching import Searching

HEAD_START = 0.5
"""Share of the pages that are read for the question itself, while the plan is being made."""

LATE = 0.8
"""Seconds after which a task whose queries are not answered reads what others found."""

FOR_OTHERS = 0.3
"""Seconds for which a task waits for pages that other tasks are reading and that its queries found too."""

FEWEST = 2
"""Pages that a task reads for itself at least."""


@dataclass(slots=True)
class Found:
    """What a task has: pages in order of rank, the hits that led to them by address, and what went wrong.

    `left_out` counts the hits that the settings (domains, block, min_score) do not admit.
    """

    pages: list[Page] = field(default_factory=list)
    hits: dict[str, SearchResult] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    unanswered: dict[str, str] = field(default_factory=dict)
    left_out: int = 0


class Gathering:
    """The web research of one run.

    Which pages were in when a task ended is an effect, so that a replay decides as the run did. A page belongs to the
    task that begins it; tasks whose queries found it too have it as well.
    """

    def __init__(self, run: Run, settings: Settings) -> None:
        self._run = run
        self._settings = settings
        self._owners: dict[str, asyncio.Event] = {}
        self._ended = asyncio.Event()
        self._ended.set()
        self._pages: dict[str, Page] = {}
        self._hits: dict[str, SearchResult] = {}
        self._head: asyncio.Task[Found] | None = None
        self._given: asyncio.Task[list[Page]] | None = None
        self._given_out = False

    def begin(self, question: str) -> None:
        """Read the pages that the user gave and search for the question itself, while the plan is being made."""
        if self._given is None:
            self._given = asyncio.create_task(self._read_given())
        if self._head is None and self._searches:
            wanted = max(1, round(HEAD_START * self._settings.max_pages))
            self._head = asyncio.create_task(self._recorded("the question", [question], wanted))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        tasks = [task for task in (self._head, self._given) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def research(self, task: str, queries: Sequence[str]) -> Found:
        """Search for the queries and read the best pages for `task`. Raises NoSearchError when nothing was answered."""
        self.begin(self._run.question)
        if not self._searches:
            return Found(pages=await self._given_pages())
        found = await self._recorded(task, list(dict.fromkeys(queries)), self._share())
        first, self._given_out = not self._given_out, True
        head = await self._head_found() if first else Found()
        for page in [*await self._given_pages(), *head.pages]:
            if all(known.snapshot != page.snapshot for known in found.pages):
                found.pages.append(page)
        found.failed.update(head.failed)
        return found

    @property
    def _searches(self) -> bool:
        return self._settings.web is not False

    def _share(self) -> int:
        """Return how many pages of its own a task may read: what the head start leaves, shared by the plan's tasks."""
        web = {card.name for card in self._run.agents.values() if card.searches == "web"}
        tasks = sum(task.agent in web for task in self._run.plan.tasks) or 1
        left = self._settings.max_pages - round(HEAD_START * self._settings.max_pages)
        return max(FEWEST, -(-left // tasks))

    # What is read before there is a plan

    async def _read_given(self) -> list[Page]:
        outcomes = await asyncio.gather(
            *(fetch(self._run, url, settings=self._settings) for url in self._settings.urls), return_exceptions=True
        )
        pages = []
        for url, outcome in zip(self._settings.urls, outcomes, strict=True):
            if isinstance(outcome, Page):
                pages.append(outcome)
            elif isinstance(outcome, FetchError | StoppedError):
                self._run.fail("web", f"reading {url}", str(outcome))
            else:
                raise outcome
        return pages

    async def _given_pages(self) -> list[Page]:
        return [] if self._given is None else await self._given

    async def _head_found(self) -> Found:
        try:
            return Found() if self._head is None else await self._head
        except SearchError:  # the tasks search as well, and tell what failed
            return Found()

    # Searching and reading

    async def _recorded(self, task: str, queries: list[str], wanted: int) -> Found:
        """Gather as an effect; a run that was stopped has what it has read."""
        request = {"task": task, "queries": queries, "wanted": wanted}
        try:
            answer = await self._run.effect("gather", request, lambda: self._gather(queries, wanted))
        except StoppedError:
            return Found(pages=list(self._pages.values()))
        pages = [await fetch(self._run, url, settings=self._settings) for url in answer["pages"]]
        for url, page in zip(answer["pages"], pages, strict=True):
            self._owners.setdefault(normalize_url(url), self._ended)
            self._pages[url] = page
        hits = {url: SearchResult(**hit) for url, hit in answer["hits"].items()}
        return Found(pages, hits, answer["failed"], answer["unanswered"], answer["left_out"])

    async def _gather(self, queries: list[str], wanted: int) -> dict[str, Any]:
        """Search and read at the same time, and return what was decided, as JSON."""
        ended = asyncio.Event()
        reader = Reader(
            self._run,
            wanted,
            self._settings,
            claim=lambda url: self._claims(url, ended),
            share=lambda page: self._pages.update({page.asked: page}),
            enough=lambda: len(self._pages) >= ENOUGH * self._settings.max_pages,
        )
        searching = Searching(self._run, queries, self._settings)
        asking = asyncio.create_task(self._ask(searching, reader))
        try:
            reading = await reader.read()
        finally:
            ended.set()
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
        if not reading.pages and not searching.answers and not asking.cancelled():
            asking.result()  # raises why nothing was answered
        return await self._decided(searching, reading, wanted)

    async def _decided(self, searching: Searching, reading: Reading, wanted: int) -> dict[str, Any]:
        """Return the pages that a task has: those that its queries found and that are in, and those that it read."""
        ranked = {hit.url: hit for hit in searching.ranked}
        await self._others([url for url in ranked if url not in self._pages][: 2 * wanted])
        own = [page.asked for page in reading.pages]
        pages = dict.fromkeys([*(url for url in ranked if url in self._pages), *own])
        return {
            "pages": list(pages),
            "hits": {url: self._hits[url].model_dump() for url in pages if url in self._hits},
            "left_out": searching.left_out,
            "failed": reading.failed,
            "unanswered": searching.unanswered,
        }

    async def _others(self, urls: Sequence[str]) -> None:
        """Wait a moment for pages that other tasks are reading."""
        owners = {owner for url in urls if (owner := self._owners.get(normalize_url(url))) and not owner.is_set()}
        if owners:
            waits = [asyncio.create_task(owner.wait()) for owner in owners]
            await asyncio.wait(waits, timeout=FOR_OTHERS)
            for wait in waits:
                wait.cancel()

    async def _ask(self, searching: Searching, reader: Reader) -> None:
        """Offer what the queries find; where they are late or find too little, what others of the run found."""

        def offer(hits: list[SearchResult]) -> None:
            for hit in hits:
                self._hits.setdefault(hit.url, hit)
            reader.offer(hit.url for hit in hits)

        late = asyncio.get_running_loop().call_later(LATE, lambda: reader.offer(self._hits))
        try:
            await searching.ask(offer)
        finally:
            late.cancel()
            reader.offer(self._hits)
            reader.close()

    def _claims(self, url: str, owner: asyncio.Event) -> bool:
        """Take a page, unless it is taken; `owner` is set when its reader has ended."""
        return self._owners.setdefault(normalize_url(url), owner) is owner


async def gathering_of(run: Run, settings: Settings) -> Gathering:
    """Return the run's gathering, made at first need and closed with the run; the first caller's settings hold."""
    return await run.client("gathering", lambda: Gathering(run, settings))
