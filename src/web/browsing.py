"""What the calls of a search plan do, one after the other: search for words, read what was found, follow its links."""

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
from ..search.searching import asked_for, none_answered
from ..search.urls import normalize_url
from .collected import Collected
from .reading import read_pages

MOST_FOLLOWED: Final = 4  # links that one call follows at most
_ADDRESS: Final = re.compile(r"https?://[^\s<>\"'`]+")


class Browsing:
    """One task's way through the web. Each search and each reading is an effect of the run.

    It reads what its searches found, pages that the user gave (`given` has them read), addresses that stand in the
    user's question, and links of pages that it has read, as far as the settings admit them; never an address that a
    model made up. One call reads `wanted` pages at most beside those that the user gave.
    """

    def __init__(
        self, run: Run, settings: Settings, task: str, wanted: int, given: "asyncio.Future[list[Page]] | None" = None
    ) -> None:
        self._run = run
        self._settings = settings
        self._task = task
        self._wanted = wanted
        self._admits = Selection.of(settings).admits
        self._given = given
        named = (url.rstrip(".,;:!?)]") for url in _ADDRESS.findall(run.question))
        self._named = [url for url in named if self._admits(url)]
        self._answers: list[list[SearchResult]] = []
        self._known: dict[str, SearchResult] = {}
        self._links: dict[str, str] = {}
        self._unlinked: list[Page] = []
        self._tried: set[str] = set()
        self._know(SearchResult(url=url, title="") for url in self._named)
        self.queries: list[str] = []
        self.found = Collected()

    async def search(self, words: str) -> None:
        """Search for words; what is found waits to be read. A search that fails is noted in `found`."""
        self.queries.append(words)
        try:
            answer = await asked_for(self._run, words, self._settings)
        except BudgetError as error:
            self.found.limit = error.told
        except SearchError as error:
            self.found.unanswered[words] = error.told
        except StoppedError:
            self._run.notice(Notice("search_stopped", query=words))
        else:
            usable = fused([answer], self._settings)
            self._answers.append(answer)
            self._know(usable)
            self.found.hits = {**{hit.url: hit for hit in usable}, **self.found.hits}
            self.found.left_out += len({normalize_url(hit.url) for hit in answer}) - len(usable)

    async def read(self, words: str = "") -> None:
        """Read the best of what waits, or else what the pages link to that has most words of the task and of `words`.

        Where `words` is an address, that is read, if it was given or found, or a page links to it.
        """
        if _ADDRESS.fullmatch(words.strip()):
            await self._look_where_the_given_lead()
            await self._read([words.strip()], 1)
        elif not await self.read_waiting():
            await self._read(await self._leading(words), min(self._wanted, MOST_FOLLOWED))

    async def read_waiting(self) -> bool:
        """Read the best of what was given or found since pages were read last; say whether there was anything."""
        given, self._given = self._given, None
        came = [] if given is None else await asyncio.shield(given)
        self._unlinked += came
        self._keep(Collected(pages=came))
        urls = [*self._named, *(hit.url for hit in fused(self._answers, self._settings))]
        self._named, self._answers = [], []
        return await self._read(urls, self._wanted) or bool(came)

    @property
    def error(self) -> NoSearchError | BudgetError | None:
        """The error that says why no search was answered, where no page is there either."""
        if self.found.pages or not self.queries:
            return None
        if len(self.found.unanswered) == len(set(self.queries)):
            return none_answered(self.found.unanswered.values())
        return BudgetError(self.found.limit) if self.found.limit else None

    def _know(self, results: Iterable[SearchResult]) -> None:
        for result in results:
            self._known.setdefault(normalize_url(result.url), result)

    async def _read(self, urls: Sequence[str], wanted: int) -> bool:
        """Read the first of these pages that are known and can be read, each once; say whether there was any to try."""
        fresh = [page for url in urls if (page := normalize_url(url)) not in self._tried]
        for unknown in (page for page in fresh if page not in self._known):
            self._run.notice(Notice("page_unknown", url=shown(unknown)))
        candidates = [self._known[page] for page in fresh if page in self._known]
        if candidates:
            self._keep(await read_pages(self._run, candidates, wanted=wanted, settings=self._settings, links=True))
        return bool(candidates)

    def _keep(self, came: Collected) -> None:
        """Keep pages, and where they lead; one that has nothing but links is no source."""
        self._tried |= {normalize_url(url) for url in (*(page.asked for page in came.pages), *came.failed)}
        self._take_links(came.pages)
        self.found.add(replace(came, pages=[page for page in came.pages if page.text]))

    def _take_links(self, pages: Iterable[Page]) -> None:
        for link in (link for page in pages for link in page.links if self._admits(link.url)):
            self._links.setdefault(normalize_url(link.url), f"{link.text}\n{link.url}")
            self._know([SearchResult(url=link.url, title=link.text)])

    async def _look_where_the_given_lead(self) -> None:
        """Take the links of the pages that the user gave; the cache has them still."""
        pages, self._unlinked = self._unlinked, []
        reading = (fetch(self._run, page.asked, settings=self._settings, links=True) for page in pages)
        for page in await asyncio.gather(*reading, return_exceptions=True):
            if isinstance(page, FetchError | StoppedError):
                self._run.notice(Notice("page_links_unknown", why=page.told))
            elif isinstance(page, BaseException):
                raise page
            else:
                self._take_links([page])

    async def _leading(self, words: str) -> list[str]:
        """Return where the pages lead that bears on the task or on the words, what has most of their words first."""
        await self._look_where_the_given_lead()
        wanted = {*terms(self._task), *terms(words)}
        share = {page: len(wanted.intersection(terms(said))) for page, said in self._links.items()}
        bearing = [page for page in self._links if share[page] and page not in self._tried]
        return sorted(bearing, key=lambda page: -share[page])
