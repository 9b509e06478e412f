"""Step-by-step research for one task: search for words, read the results, follow their links."""

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from ..fetch import Page, fetch
from ..kernel.errors import BudgetError, FetchError, NoSearchError, SearchError, StoppedError
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.term import terms
from ..kernel.url import shown
from ..search import SearchResult
from ..search.candidates import Selection, fused
from ..search.searching import no_answer_error, search_page
from ..search.urls import normalize_url
from .collected import Collected
from .reading import read_pages

MOST_FOLLOWED: Final = 4  # links that one call follows
_ADDRESS: Final = re.compile(r"https?://[^\s<>\"'`]+")


class Browsing:
    """One task's browsing of the web. Each search and each reading is an effect of the run (recorded for replay).

    It reads search results, pages that the user gave (the result of the future `pages`), addresses in the user's
    question, and links of pages that it has read, if the settings allow them; never an address that a model made up.
    One call reads at most `wanted` pages, not counting those that the user gave.
    """

    def __init__(
        self, run: Run, settings: Settings, task: str, wanted: int, pages: "asyncio.Future[list[Page]] | None" = None
    ) -> None:
        self._run = run
        self._settings = settings
        self._task = task
        self._wanted = wanted
        self._admits = Selection.of(settings).admits
        self._given_pages = pages
        addresses = (url.rstrip(".,;:!?)]") for url in _ADDRESS.findall(run.question))
        self._in_question = [url for url in addresses if self._admits(url)]
        self._waiting: list[list[SearchResult]] = []
        self._known: dict[str, SearchResult] = {}
        self._links: dict[str, str] = {}
        self._links_pending: list[Page] = []
        self._tried: set[str] = set()
        self._register(SearchResult(url=url, title="") for url in self._in_question)
        self.queries: list[str] = []
        self.collected = Collected()

    async def search(self, words: str) -> None:
        """Search for words and queue the results for reading. A search that fails is noted in `collected`."""
        self.queries.append(words)
        try:
            results = await search_page(self._run, words, self._settings)
        except BudgetError as error:
            self.collected.limit = error.message
        except SearchError as error:
            self.collected.unanswered[words] = error.message
        except StoppedError:
            self._run.notice(Notice("search_stopped", query=words))
        else:
            usable = fused([results], self._settings)
            self._waiting.append(results)
            self._register(usable)
            self.collected.hits = {**{hit.url: hit for hit in usable}, **self.collected.hits}
            self.collected.left_out += len({normalize_url(hit.url) for hit in results}) - len(usable)

    async def read(self, words: str = "") -> None:
        """Read the best queued pages, or if there are none the links that share most words with the task and `words`.

        If `words` is an address, read it, provided that it comes from the user, a search or a page's links.
        """
        if _ADDRESS.fullmatch(words.strip()):
            await self._load_given_links()
            await self._read([words.strip()], 1)
        elif not await self.read_waiting():
            await self._read(await self._relevant_links(words), min(self._wanted, MOST_FOLLOWED))

    async def read_waiting(self) -> bool:
        """Read the best pages given or found since the last call; return whether there were any."""
        reading, self._given_pages = self._given_pages, None
        pages = [] if reading is None else await asyncio.shield(reading)
        self._links_pending += pages
        self._add(Collected(pages=pages))
        urls = [*self._in_question, *(hit.url for hit in fused(self._waiting, self._settings))]
        self._in_question, self._waiting = [], []
        return await self._read(urls, self._wanted) or bool(pages)

    @property
    def error(self) -> NoSearchError | BudgetError | None:
        """The reason why no search was answered; None if one was, or if there are pages."""
        if self.collected.pages or not self.queries:
            return None
        if len(self.collected.unanswered) == len(set(self.queries)):
            return no_answer_error(self.collected.unanswered.values())
        return BudgetError(self.collected.limit) if self.collected.limit else None

    def _register(self, results: Iterable[SearchResult]) -> None:
        for result in results:
            self._known.setdefault(normalize_url(result.url), result)

    async def _read(self, urls: Sequence[str], wanted: int) -> bool:
        """Read the first `wanted` known and readable pages, each once; return whether there was any to try."""
        untried = [key for url in urls if (key := normalize_url(url)) not in self._tried]
        for key in (key for key in untried if key not in self._known):
            self._run.notice(Notice("page_unknown", url=shown(key)))
        candidates = [self._known[key] for key in untried if key in self._known]
        if candidates:
            self._add(await read_pages(self._run, candidates, wanted=wanted, settings=self._settings, links=True))
        return bool(candidates)

    def _add(self, collected: Collected) -> None:
        """Add pages and their links; a page with only links is not a source."""
        self._tried |= {normalize_url(url) for url in (*(page.asked for page in collected.pages), *collected.failed)}
        self._register_links(collected.pages)
        self.collected.add(replace(collected, pages=[page for page in collected.pages if page.text]))

    def _register_links(self, pages: Iterable[Page]) -> None:
        for link in (link for page in pages for link in page.links if self._admits(link.url)):
            self._links.setdefault(normalize_url(link.url), f"{link.text}\n{link.url}")
            self._register([SearchResult(url=link.url, title=link.text)])

    async def _load_given_links(self) -> None:
        """Register the links of the pages that the user gave, which are still in the cache."""
        pages, self._links_pending = self._links_pending, []
        reading = (fetch(self._run, page.asked, settings=self._settings, links=True) for page in pages)
        for page in await asyncio.gather(*reading, return_exceptions=True):
            if isinstance(page, FetchError | StoppedError):
                self._run.notice(Notice("page_links_unknown", why=page.message))
            elif isinstance(page, BaseException):
                raise page
            else:
                self._register_links([page])

    async def _relevant_links(self, words: str) -> list[str]:
        """Return the untried links that share words with the task or `words`, most shared words first."""
        await self._load_given_links()
        wanted = {*terms(self._task), *terms(words)}
        share = {key: len(wanted.intersection(terms(label))) for key, label in self._links.items()}
        relevant = [key for key in self._links if share[key] and key not in self._tried]
        return sorted(relevant, key=lambda key: -share[key])
