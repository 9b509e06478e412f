"""Researches a topic: rules decompose it, all queries are asked, the best page of each domain is read."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ..report.catalogue import Catalogue
from ..report.confidence import confidence
from ..report.extractive import Extractor
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
from ..source import Passage, Source
from ..thread import in_thread
from .evidence import Document, asked, best_passages, documents, source_of
from .research import Finding, Missing, Studied, WebResearch

Depth = Literal[1, 2, 3]

MOST_SOURCES = 10

LONGEST_TEXT = 30_000
"""Characters of a page that are looked at."""

WINDOWS = 60
"""Passages that a text of that length has at most, about."""

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
        read = await self._read([hit.result for hit in ordered])
        frequency = {hit.result.url: hit.frequency for hit in ordered}
        studied, sources = await self._studied(read, queries, frequency)
        return WebResearch(
            topic=self.topic,
            depth=self.depth,
            queries=queries,
            confidence=confidence(sources) or "LOW",
            sources=studied,
            unread=[Missing(what=url, why=why) for url, why in self.unread.items()],
            unanswered=[Missing(what=query, why=why) for query, why in searching.unanswered.items()],
            notices=list(self.run.notices),
        )

    async def _read(self, results: Sequence[SearchResult]) -> list[Document]:
        """Return the best pages, one a domain; another page of a domain is tried where the first one failed."""
        by_domain: dict[str, list[SearchResult]] = defaultdict(list)
        for result in results:
            by_domain[domain_of(result.url)].append(result)
        read: list[Document] = []
        for _ in range(ROUNDS):
            candidates = [own.pop(0) for own in by_domain.values() if own]
            wanted = self.max_sources - len(read)
            if not candidates or not wanted:
                break
            found, failed = await documents(self.run, candidates, wanted, self.settings)
            self.unread |= failed
            read += found
            for document in found:
                by_domain.pop(domain_of(document.result.url))
        return read

    async def _studied(
        self, read: Sequence[Document], queries: Sequence[str], frequency: Mapping[str, int]
    ) -> tuple[list[Studied], list[Source]]:
        """Return the pages that say something on the topic, with what they say; the others are reported."""
        sources = await self._sources(read, queries)
        catalogue = Catalogue.of([source.model_dump() for source in sources], self.run.journal)
        extractor = await in_thread(Extractor, catalogue, [self.topic], LENGTHS[self.depth])
        by_url = {entry.source.url: entry for entry in catalogue.entries}
        studied, valid = [], []
        for document, source in zip(read, sources, strict=True):
            entry = by_url.get(source.url)
            quotes = await in_thread(extractor.quotes, self.topic, [entry.id]) if entry else []
            if not quotes:
                self.unread[document.url] = "It was read, and says nothing on the topic that another page has not said"
                continue
            valid.append(source)
            studied.append(_studied(len(valid), source, frequency[document.result.url], quotes))
        return studied, valid

    async def _sources(self, read: Sequence[Document], queries: Sequence[str]) -> list[Source]:
        """Return the documents as records, with the best passages of each."""
        ranked = await best_passages(
            self.run,
            queries,
            read,
            self.settings,
            top=len(read) * WINDOWS,
            method="lexical",
            longest=LONGEST_TEXT,
        )
        own: dict[int, list[Passage]] = defaultdict(list)
        for one in ranked:
            if len(own[one.document]) < PASSAGES:
                own[one.document].append(one.passage)
        return [
            source_of(self.run, self.topic, document, own[number], self.settings)
            for number, document in enumerate(read)
        ]


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
