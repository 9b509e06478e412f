"""The steps of `web_research`: decompose the topic by rules, search all queries, read the best page per domain."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ..fetch import Page
from ..kernel.notice import Notice, NoticeOrText, text_of
from ..kernel.run import Run
from ..kernel.settings import Length, Settings
from ..kernel.source import Source
from ..kernel.thread import in_thread
from ..report import Composer, SourceIndex
from ..report.confidence import confidence
from ..report.quotable import Quotable
from ..report.report import shared
from ..search import SearchPipeline, SearchResult
from ..search.candidates import TRUST_BONUS, RankedPage, Selection, merged
from ..search.credibility import label_of, quality_of
from ..search.expansion import sub_queries
from ..search.pipeline import Subtopic
from ..search.urls import domain_of
from ..web import Collected, Phases, Rated, read_pages, records
from .answers import Finding, Studied, WebResearch, missing_sources

Depth = Literal[1, 2, 3]

MOST_SOURCES = 10

LONGEST_TEXT = 30_000  # characters of a page that are used
PASSAGES = 6  # passages of a page that are used for findings
ROUNDS = 3  # most pages of a domain that are tried until one can be read
LENGTHS: dict[int, Length] = {1: "short", 2: "normal", 3: "long"}  # length of the quotes from a source, by depth


def by_frequency(answers: Sequence[Sequence[SearchResult]], settings: Settings) -> list[RankedPage]:
    """Return each page once, best first: by the number of queries that found it, then by quality, then by score."""
    trusts = Selection.of(settings).trusts

    def sort_key(page: RankedPage) -> tuple[int, int, float]:
        url = page.best.url
        return -len(page.ranks), -quality_of(url, settings), -page.best.score - TRUST_BONUS * trusts(url)

    return sorted(merged(answers, settings), key=sort_key)


@dataclass(slots=True)
class Researching:
    """One research run: its topic and limits, and the pages that could not be used so far."""

    run: Run
    settings: Settings
    topic: str
    depth: Depth
    max_sources: int
    unread: dict[str, NoticeOrText] = field(default_factory=dict)

    async def result(self) -> WebResearch:
        """Return the findings. Raises NoSearchError if no engine answers any query."""
        queries = sub_queries(self.topic, self.depth)
        phases = Phases(self.run)
        phases.search(self.topic)
        pipeline = SearchPipeline(self.run, settings=self.settings)
        searching = pipeline.searching(queries)
        error = await searching.ask()
        pipeline.tell(Subtopic.of(self.topic), searching.unanswered, searching.limit, error)
        if error is not None:
            raise error
        candidates = by_frequency(searching.results, self.settings)
        phases.searched([page.best for page in candidates])
        phases.read(min(self.max_sources, len(candidates)))
        pages = await self._read([page.best for page in candidates])
        phases.have_read(len(pages) + len(self.unread), len(pages))
        phases.rank()
        composer = await self._composer(pages, queries)
        ranked = [_rated(rank, source) for rank, source in enumerate(composer.index.sources, start=1)]
        phases.ranked(ranked, len(ranked))
        phases.write()
        sources = await self._studied(pages, composer, {page.best.url: len(page.ranks) for page in candidates})
        cited = {source.snapshot for source in sources}
        language = composer.language
        valid = [source for source in composer.index.sources if source.snapshot in cited]
        phases.written()
        return WebResearch(
            topic=self.topic,
            depth=self.depth,
            queries=queries,
            confidence=None if composer.is_unsure else confidence(valid),
            sources=sources,
            unread=missing_sources(self.unread, language),
            unanswered=missing_sources(searching.unanswered, language),
            notices=[text_of(notice, language) for notice in self.run.notices],
            language=language,
        )

    async def _read(self, results: Sequence[SearchResult]) -> list[Page]:
        """Return the best page of each domain; if it cannot be read, the next page of the domain is tried."""
        by_domain: dict[str, list[SearchResult]] = defaultdict(list)
        for result in results:
            by_domain[domain_of(result.url)].append(result)
        pages: list[Page] = []
        for _ in range(ROUNDS):
            candidates = [queue.pop(0) for queue in by_domain.values() if queue]
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
        """Return a composer for the beginnings of the pages, with passages ranked for the topic."""
        settings = self.settings.updated(rerank__method="lexical", report__length=LENGTHS[self.depth])
        collected = Collected([_beginning(page) for page in pages])
        sources = await records(self.run, self.topic, queries, collected, settings, most=PASSAGES)
        index = await in_thread(SourceIndex.of, [source.model_dump() for source in sources], self.run.journal)
        composer = Composer(self.run, settings, index, self.topic)
        await composer.rank()
        return composer

    async def _studied(self, pages: Sequence[Page], composer: Composer, frequency: Mapping[str, int]) -> list[Studied]:
        """Return the pages with findings on the topic, and add the others to `unread`."""
        extractor, entries = composer.extractor(), {entry.source.snapshot: entry for entry in composer.index.entries}
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
    """Return a page cut to its first LONGEST_TEXT characters."""
    starts = tuple(start for start in page.pages if start < LONGEST_TEXT)
    return page.model_copy(update={"text": page.text[:LONGEST_TEXT], "pages": starts})


def _studied(number: int, source: Source, frequency: int, quotes: Sequence[Quotable]) -> Studied:
    quality = source.quality or 2
    return Studied(
        number=number,
        label=label_of(quality),
        frequency=frequency,
        findings=[_finding(quote) for quote in sorted(quotes, key=lambda quote: quote.statement.start)],
        **{**shared(Studied, source), "quality": quality},
    )


def _rated(rank: int, source: Source) -> Rated:
    score = round(source.score, 4)
    return Rated(rank=rank, title=source.title, url=source.url, snippet=source.snippet, rerank_score=score)


def _finding(quote: Quotable) -> Finding:
    statement = quote.statement
    verbatim = quote.passage.verbatim(statement.start, statement.end)
    return Finding(text=statement.text, quote=verbatim, start=statement.start, end=statement.end)
