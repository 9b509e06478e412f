"""Makes records of the shared schema (`Source`) from pages and their best passages."""

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from ..fetch import Page
from ..kernel.one_line import shortened_line
from ..kernel.run import Run
from ..kernel.settings import Rerank, Settings
from ..kernel.source import Passage, Source, digest
from ..rag import RankedPassage, rerank
from ..rag.brief import SNIPPET as LONGEST
from ..rag.brief import best_sentence, keywords
from ..rag.joining import joined
from ..search import SearchResult
from ..search.credibility import credibility_of, quality_of
from ..search.urls import domain_of
from .collected import Collected

PASSAGES = 3  # most passages of one page in a record, in place of a summary
MOST_RANKED = 5_000  # passages ranked for a task: practically all, so that one long page does not displace others
SNIPPET = "snippet"  # the kind of a page that consists of the search engine's snippet
OF_PAGE = {"title", "url", "published", "snapshot", "retrieved_at", "extractor", "author", "site"}
"""The fields that a record copies from its page."""

JUDGED = 8  # passages of a task also ranked by embedding, which takes some 60 CPU-ms each


async def records(
    run: Run, task: str, queries: Sequence[str], collected: Collected, settings: Settings, *, most: int = PASSAGES
) -> list[Source]:
    """Return a record for each page with a passage about the task, best first, with its `most` best passages."""
    return records_of(
        run, task, collected, await passages(run, queries or [task], collected.pages, settings), settings, most
    )


async def passages(
    run: Run,
    queries: Sequence[str],
    pages: Sequence[Page],
    settings: Settings,
    *,
    method: Rerank | None = None,
    depth: int = JUDGED,
) -> list[RankedPassage]:
    """Return the passages of pages that match any of the queries, best first; `method` reranks the best `depth`.

    The default method is the reranker of the settings.
    """
    async with run.slot(("rerank", run.id), 1):  # serial, so later tasks reuse the pages' passages
        return await rerank(
            run,
            queries,
            [page.text for page in pages],
            top=MOST_RANKED,
            method=method or settings.reranker,
            settings=settings,
            pages=[page.pages for page in pages],
            titles=[page.title for page in pages],
            depth=depth,
        )


def records_of(
    run: Run, task: str, collected: Collected, ranked: Sequence[RankedPassage], settings: Settings, most: int = PASSAGES
) -> list[Source]:
    """Return a record for each page with a ranked passage, best first.

    A record's passages are verbatim spans of the page's text, which is stored in the journal.
    """
    sources = []
    for number, group in groupby(sorted(ranked, key=attrgetter("document")), key=attrgetter("document")):
        best = sorted((ranked_passage.passage for ranked_passage in group), key=lambda passage: -passage.score)[:most]
        sources.append(_record(run, task, collected.pages[number], collected, best, settings))
    return sorted(sources, key=lambda source: -source.score)


def of_snippet(run: Run, hit: SearchResult) -> Page:
    """Return a search engine's snippet as a page, in place of the unread one, and store it in the journal."""
    snapshot = digest(hit.snippet, size=64)
    run.journal.keep_snapshot(snapshot, hit.snippet)
    return Page(
        asked=hit.url,
        url=hit.url,
        title=hit.title,
        text=hit.snippet,
        snapshot=snapshot,
        kind=SNIPPET,
        published=hit.published,
        retrieved_at="",
    )


def _record(run: Run, task: str, page: Page, collected: Collected, best: list[Passage], settings: Settings) -> Source:
    hit = collected.hits.get(page.asked)
    page_fields = of_page(page, settings)
    run.ledger.score(page.url, page_fields["credibility_score"], page_fields["credibility_tier"])
    cited = [passage.read_from(page.ocr) for passage in joined(best, page.text)]
    record = {
        **page_fields,
        "title": page.title or (hit.title if hit else page.url),
        "summary": "\n\n".join(passage.text for passage in cited),
        "brief_summary": hit.snippet if hit and hit.snippet else best_sentence(best[0].text, task),
        "keywords": keywords(cited),
        "snippet": shortened_line(best[0].text, LONGEST),
        "score": best[0].score,
        "published": page.published or (hit.published if hit else ""),
        "location": ", ".join(dict.fromkeys(passage.place for passage in cited if passage.place)),
        "task": task,
        "passages": cited,
    }
    return Source(**record)


def of_page(page: Page, settings: Settings) -> dict[str, Any]:
    """Return the record fields that depend only on the page: address, credibility of the domain, stored text."""
    credibility = credibility_of(page.url, settings=settings)
    return {
        **page.model_dump(include=OF_PAGE),
        "kind": "web",
        "domain": domain_of(page.url),
        "credibility_score": credibility.score,
        "credibility_tier": credibility.tier,
        "quality": quality_of(page.url, settings),
    }
