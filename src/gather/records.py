"""Pages as records of the shared schema."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from ..fetch.page import Page
from ..rag.brief import best_sentence, joined, keywords, shortened
from ..rag.rerank import Ranked, rerank
from ..run import Run
from ..search.credibility import score_credibility
from ..search.quality import quality_of
from ..search.urls import domain_of
from ..settings import Settings
from ..source import Passage, Source
from .gathering import Found

PASSAGES = 3
"""Passages of one page that a task keeps at most: they stand for a summary of it."""

MOST_RANKED = 5_000
"""Passages that are ranked for a task: all of them, or one long page crowds out the others."""

JUDGED = 8
"""Passages of a task that are judged by more than their words: an embedder takes some 60 CPU-ms for each."""


async def records(run: Run, task: str, queries: Sequence[str], found: Found, settings: Settings) -> list[Source]:
    """Return a record for each page that has a passage about the task, best first.

    A record's passages are verbatim spans of the page's text, which the journal keeps.
    """
    pages = found.pages
    async with run.place(("rerank", run.id), 1):  # one after the other: a later one finds the pages cut into passages
        ranked = await rerank(
            run,
            queries or [task],
            [page.text for page in pages],
            top=MOST_RANKED,
            method=settings.reranker,
            settings=settings,
            pages=[page.pages for page in pages],
            titles=[page.title for page in pages],
            depth=JUDGED,
        )
    sources = []
    for number, group in groupby(sorted(ranked, key=_document), key=_document):
        best = sorted((one.passage for one in group), key=lambda passage: -passage.score)[:PASSAGES]
        sources.append(_record(run, task, pages[number], found, best, settings))
    return sorted(sources, key=lambda source: -source.score)


def _document(ranked: Ranked) -> int:
    return ranked.document


def _record(run: Run, task: str, page: Page, found: Found, best: list[Passage], settings: Settings) -> Source:
    hit = found.hits.get(page.asked)
    known = of_page(page, settings)
    run.ledger.score(page.url, known["credibility_score"], known["credibility_tier"])
    passages = joined(best)
    record = {
        **known,
        "summary": "\n\n".join(passage.text for passage in passages),
        "brief_summary": hit.snippet if hit and hit.snippet else best_sentence(best[0].text, task),
        "keywords": keywords(passages),
        "snippet": shortened(best[0].text),
        "score": best[0].score,
        "published": page.published or (hit.published if hit else ""),
        "location": ", ".join(dict.fromkeys(passage.place for passage in passages if passage.place)),
        "task": task,
        "passages": passages,
    }
    return Source(**record)


def of_page(page: Page, settings: Settings) -> dict[str, Any]:
    """Return what any record says of a page: where it is, what its domain counts for, and which text it had."""
    credibility = score_credibility(page.url, settings=settings)
    return {
        "title": page.title,
        "url": page.url,
        "kind": "web",
        "domain": domain_of(page.url),
        "credibility_score": credibility.score,
        "credibility_tier": credibility.tier,
        "quality": quality_of(page.url, settings),
        "published": page.published,
        "snapshot": page.snapshot,
        "retrieved_at": page.retrieved_at,
        "extractor": page.extractor,
        "author": page.author,
        "site": page.site,
    }
