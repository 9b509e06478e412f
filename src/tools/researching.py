"""Researches a topic: rules decompose it, all queries are asked, the best page of each domain is read."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ..fetch import Page
from ..kernel.errors import BudgetError, SearchError
from ..kernel.notice import Notice, Told, said
from ..kernel.run import Run
from ..kernel.settings import Length, Settings
from ..kernel.source import Source
from ..kernel.thread import in_thread
from ..report import Composer, SourceIndex
from ..report.confidence import confidence
from ..report.quotable import Quotable
from ..search import SearchPipeline, SearchResult
from ..search.candidates import TRUST_BONUS, RankedPage, Selection, merged
from ..search.credibility import label_of, quality_of
from ..search.expansion import sub_queries
from ..search.pipeline import Subtopic
from ..search.urls import domain_of
from ..web import Collected, Phases, Rated, read_pages, records
from .answers import Finding, MissingSource, Studied, WebResearch

Depth = Literal[1, 2, 3]

MOST_SOURCES = 10

LONGEST_TEXT = 30_000  # characters of a page that are looked at
PASSAGES = 6  # passages of a page that findings are taken from
ROUNDS = 3  # how often the domains that gave no page yet are tried with another page of theirs
LENGTHS: dict[int, Length] = {1: "short", 2: "normal", 3: "long"}  # by depth, how much is quoted of a source


def by_frequency(answers: Sequence[Sequence[SearchResult]], settings: Settings) -> list[RankedPage]:
    """Return each page once, best first: by how many queries found it, then by quality, then by score."""
    trusts = Selection.of(settings).trusts

    def place(one: RankedPage) -> tuple[int, int, float]:
        url = one.best.url
        return -len(one.ranks), -quality_of(url, settings), -one.best.score - TRUST_BONUS * trusts(url)

    return sorted(merged(answers, settings), key=place)


@dataclass(slots=True)
class Researching:
    """One research: what is asked, and what has failed so far."""

    run: Run
    settings: Settings
    topic: str
    depth: Depth
    max_sources: int
    unread: dict[str, Told] = field(default_factory=dict)

    async def result(self) -> WebResearch:
        """Return what the web says. Raises NoSearchError when no engine answers any query."""
        queries = sub_queries(self.topic, self.depth)
        phases = Phases(self.run)
        phases.search(self.topic)
        pipeline = SearchPipeline(self.run, settings=self.settings)
        searching = pipeline.searching(queries)
        try:
            await searching.ask()
        except (SearchError, BudgetError) as error:
            pipeline.tell(Subtopic.of(self.topic), searching.unanswered, searching.limit, error)
            raise
        pipeline.tell(Subtopic.of(self.topic), searching.unanswered, searching.limit)
        found = by_frequency(searching.results, self.settings)
        phases.searched([one.best for one in found])
        phases.read(min(self.max_sources, len(found)))
        pages = await self._read([one.best for one in found])
        phases.have_read(len(pages) + len(self.unread), len(pages))
        phases.rank()
        composer = await self._composer(pages, queries)
        ranked = [_rated(rank, source) for rank, source in enumerate(composer.index.sources, start=1)]
        phases.ranked(ranked, len(ranked))
        phases.write()
        studied = await self._studied(pages, composer, {one.best.url: len(one.ranks) for one in found})
        quoted = {one.snapshot for one in studied}
        language = composer.language
        valid = [source for source in composer.index.sources if source.snapshot in quoted]
        phases.written(
            failures=[one.to_record() for one in self.run.failures], notices=list(map(str, self.run.notices))
        )
        return WebResearch(
            topic=self.topic,
            depth=self.depth,
            queries=queries,
            confidence=None if composer.is_unsure else confidence(valid),
            sources=studied,
            unread=[MissingSource(what=url, why=said(why, language)) for url, why in self.unread.items()],
            unanswered=[
                MissingSource(what=query, why=said(why, language)) for query, why in searching.unanswered.items()
            ],
            notices=[said(notice, language) for notice in self.run.notices],
            language=language,
        )

    async def _read(self, results: Sequence[SearchResult]) -> list[Page]:
        """Return the best pages, one a domain; another page of a domain is tried where the first one failed."""
        by_domain: dict[str, list[SearchResult]] = defaultdict(list)
        for result in results:
            by_domain[domain_of(result.url)].append(result)
        pages: list[Page] = []
        for _ in range(ROUNDS):
            candidates = [own.pop(0) for own in by_domain.values() if own]
            wanted = self.max_sources - len(pages)
            if not candidates or not wanted:
                break
            reading = await read_pages(self.run, candidates, wanted=wanted, settings=self.settings)
            if reading.limit:
                self.run.fail("web", Notice("of_pages"), reading.limit)
            self.unread |= reading.failed
            pages += reading.pages
            for page in reading.pages:
                by_domain.pop(domain_of(page.asked))
        return pages

    async def _composer(self, pages: Sequence[Page], queries: Sequence[str]) -> Composer:
        """Return what is known of the beginnings of the pages, ranked for the topic."""
        settings = self.settings.updated(rerank__method="lexical", report__length=LENGTHS[self.depth])
        found = Collected([_beginning(page) for page in pages])
        sources = await records(self.run, self.topic, queries, found, settings, most=PASSAGES)
        index = await in_thread(SourceIndex.of, [source.model_dump() for source in sources], self.run.journal)
        composer = Composer(self.run, settings, index, self.topic)
        await composer.rank()
        return composer

    async def _studied(self, pages: Sequence[Page], composer: Composer, frequency: Mapping[str, int]) -> list[Studied]:
        """Return the pages that say something on the topic, with what they say; the others are reported."""
        extractor, entries = composer.extractor(), {one.source.snapshot: one for one in composer.index.entries}
        studied: list[Studied] = []
        for page in pages:
            entry = entries.get(page.snapshot)
            quotes = await in_thread(extractor.quotes, self.topic, [entry.id]) if entry else []
            if entry and quotes:
                studied.append(_studied(len(studied) + 1, entry.source, frequency[page.asked], quotes))
            else:
                self.unread[page.url] = Notice("says_nothing_more")
        return studied


def _beginning(page: Page) -> Page:
    """Return a page as far as it is looked at."""
    starts = tuple(start for start in page.pages if start < LONGEST_TEXT)
    return page.model_copy(update={"text": page.text[:LONGEST_TEXT], "pages": starts})


def _studied(number: int, source: Source, frequency: int, quotes: Sequence[Quotable]) -> Studied:
    quality = source.quality or 2
    return Studied(
        number=number,
        title=source.title,
        url=source.url,
        domain=source.domain,
        quality=quality,
        label=label_of(quality),
        frequency=frequency,
        findings=[_finding(quote) for quote in sorted(quotes, key=lambda quote: quote.statement.start)],
        published=source.published,
        retrieved_at=source.retrieved_at,
        snapshot=source.snapshot,
    )


def _rated(rank: int, source: Source) -> Rated:
    score = round(source.score, 4)
    return Rated(rank=rank, title=source.title, url=source.url, snippet=source.snippet, rerank_score=score)


def _finding(quote: Quotable) -> Finding:
    statement = quote.statement
    verbatim = quote.passage.verbatim(statement.start, statement.end)
    return Finding(text=statement.text, quote=verbatim, start=statement.start, end=statement.end)
