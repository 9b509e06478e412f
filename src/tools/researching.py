"""Researches a topic: rules decompose it, all queries are asked, the best page of each domain is read."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ..fetch.page import Page
from ..gather import Found, read_pages, records
from ..report.catalogue import Catalogue
from ..report.composer import Composer
from ..report.confidence import confidence
from ..report.quotable import Quotable
from ..run import Run
from ..search.candidates import TRUST_BONUS, ranked
from ..search.domains import Selection
from ..search.expansion import distinct
from ..search.quality import label_of, quality_of
from ..search.queries import sides, topic_of
from ..search.result import SearchResult
from ..search.urls import domain_of, normalize_url
from ..settings import Length, Settings
from ..source import Source
from ..thread import in_thread
from .evidence import asked
from .research import Finding, Missing, Studied, WebResearch

Depth = Literal[1, 2, 3]

MOST_SOURCES = 10

LONGEST_TEXT = 30_000
"""Characters of a page that are looked at."""

PASSAGES = 6
"""Passages of a page that findings are taken from."""

ROUNDS = 3
"""How often the domains that gave no page yet are tried with another page of theirs."""

LENGTHS: dict[int, Length] = {1: "short", 2: "normal", 3: "long"}
"""By depth, how much is quoted of a source."""

_PARTS = re.compile(r"\s+(?:and|&|vs\.?|versus)\s+", re.IGNORECASE)


def sub_queries(topic: str, depth: int) -> list[str]:
    """Return the queries into which a topic is decomposed by rules, each once."""
    subject = topic_of(topic)
    queries = [topic, f"what is {subject}"]
    if depth >= 2:
        queries += [*_parts(topic), f"{subject} explained"]
    if depth >= 3:
        queries += [f"how does {subject} work", f"why {subject}", f"{subject} advantages disadvantages"]
    return distinct(queries)


def _parts(topic: str) -> list[str]:
    """Return the parts of a comparison or an enumeration; none when the topic is neither."""
    parts = sides(topic)
    if len(parts) < 2:
        parts = [part.strip(" ?,;") for part in _PARTS.split(topic_of(topic))]
    return parts if len(parts) > 1 and all(parts) else []


@dataclass(frozen=True, slots=True)
class Hit:
    """A result, and in the results of how many sub-queries it is."""

    result: SearchResult
    frequency: int


def hits(answers: Sequence[Sequence[SearchResult]], settings: Settings) -> list[Hit]:
    """Return each page once, best first: by how many queries found it, then by quality, then by score."""
    lists = [ranked(results, settings) for results in answers]
    frequency = Counter(normalize_url(result.url) for results in lists for result in results)
    best: dict[str, SearchResult] = {}
    for result in (result for results in lists for result in results):
        page = normalize_url(result.url)
        if page not in best or result.score > best[page].score:
            best[page] = result
    trusts = Selection.of(settings).trusts
    found = [Hit(result, frequency[page]) for page, result in best.items()]
    return sorted(
        found,
        key=lambda hit: (
            -hit.frequency,
            -quality_of(hit.result.url, settings),
            -hit.result.score - TRUST_BONUS * trusts(hit.result.url),
        ),
    )


@dataclass(slots=True)
class Researching:
    """One research: what is asked, and what has failed so far."""

    run: Run
    settings: Settings
    topic: str
    depth: Depth
    max_sources: int
    unread: dict[str, str] = field(default_factory=dict)

    async def result(self) -> WebResearch:
        """Return what the web says. Raises NoSearchError when no engine answers any query."""
        queries = sub_queries(self.topic, self.depth)
        searching = await asked(self.run, queries, self.settings)
        ordered = hits([searching.answers[query] for query in queries if query in searching.answers], self.settings)
        pages = await self._read([hit.result for hit in ordered])
        composer = await self._composer(pages, queries)
        studied = await self._studied(pages, composer, {hit.result.url: hit.frequency for hit in ordered})
        said = {one.snapshot for one in studied}
        valid = [source for source in composer.catalogue.sources if source.snapshot in said]
        return WebResearch(
            topic=self.topic,
            depth=self.depth,
            queries=queries,
            confidence=None if composer.is_unsure else confidence(valid),
            sources=studied,
            unread=[Missing(what=url, why=why) for url, why in self.unread.items()],
            unanswered=[Missing(what=query, why=why) for query, why in searching.unanswered.items()],
            notices=list(self.run.notices),
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
                self.run.fail("web", "further pages", reading.limit)
            self.unread |= reading.failed
            pages += reading.pages
            for page in reading.pages:
                by_domain.pop(domain_of(page.asked))
        return pages

    async def _composer(self, pages: Sequence[Page], queries: Sequence[str]) -> Composer:
        """Return what is known of the beginnings of the pages, ranked for the topic."""
        settings = self.settings.model_copy(update={"rerank": "lexical", "length": LENGTHS[self.depth]})
        found = Found([_beginning(page) for page in pages])
        sources = await records(self.run, self.topic, queries, found, settings, most=PASSAGES)
        catalogue = await in_thread(Catalogue.of, [source.model_dump() for source in sources], self.run.journal)
        composer = Composer(self.run, settings, catalogue, self.topic)
        await composer.rank()
        return composer

    async def _studied(self, pages: Sequence[Page], composer: Composer, frequency: Mapping[str, int]) -> list[Studied]:
        """Return the pages that say something on the topic, with what they say; the others are reported."""
        extractor, entries = composer.extractor(), {one.source.snapshot: one for one in composer.catalogue.entries}
        studied: list[Studied] = []
        for page in pages:
            entry = entries.get(page.snapshot)
            quotes = await in_thread(extractor.quotes, self.topic, [entry.id]) if entry else []
            if entry and quotes:
                studied.append(_studied(len(studied) + 1, entry.source, frequency[page.asked], quotes))
            else:
                self.unread[page.url] = "It was read, and says nothing on the topic that another page has not said"
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


def _finding(quote: Quotable) -> Finding:
    statement = quote.statement
    verbatim = quote.passage.verbatim(statement.start, statement.end)
    return Finding(text=statement.text, quote=verbatim, start=statement.start, end=statement.end)
