"""What a tool found on the web, as evidence: results with the text that there is of them, and their best passages."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import BudgetError, NoSearchError
from ..fetch.page import Page
from ..gather.reading import read_pages
from ..gather.searching import Searching
from ..rag.brief import best_sentence, joined, keywords
from ..rag.rerank import Ranked, rerank
from ..run import Run
from ..search.credibility import score_credibility
from ..search.quality import quality_of
from ..search.result import SearchResult
from ..search.urls import domain_of
from ..settings import Rerank, Settings
from ..source import Passage, Source, digest


@dataclass(frozen=True, slots=True)
class Document:
    """A result with its page, where that was read; else with no more text than the engine's snippet."""

    result: SearchResult
    page: Page | None = None

    @property
    def url(self) -> str:
        """The address of what the text is of: the page's own after redirects."""
        return self.page.url if self.page else self.result.url

    @property
    def title(self) -> str:
        """The page's title, else the engine's, else the address."""
        return (self.page.title if self.page else "") or self.result.title or self.url

    @property
    def text(self) -> str:
        """The text of the page, or the snippet."""
        return self.page.text if self.page else self.result.snippet


async def asked(run: Run, queries: Sequence[str], settings: Settings) -> Searching:
    """Return the queries with their answers. Raises NoSearchError when none is answered, BudgetError by a limit."""
    searching = Searching(run, queries, settings)
    try:
        await searching.ask(lambda _: None)
    except NoSearchError:
        if searching.limit:
            raise BudgetError(searching.limit) from None
        raise
    if searching.limit:
        run.fail("web", "further searches", searching.limit)
    return searching


async def documents(
    run: Run, results: Sequence[SearchResult], wanted: int, settings: Settings
) -> tuple[list[Document], dict[str, str]]:
    """Return `wanted` of the results with their pages, in order of rank, and why others could not be read, by address.

    A page that fails is replaced by that of the next result; so is one that leads to a domain which is not wanted.
    """
    reading = await read_pages(run, results, wanted=wanted, settings=settings)
    if reading.limit:
        run.fail("web", "further pages", reading.limit)
    by_url = {result.url: result for result in results}
    return [Document(by_url[page.asked], page) for page in reading.pages], reading.failed


async def best_passages(
    run: Run,
    queries: Sequence[str],
    found: Sequence[Document],
    settings: Settings,
    *,
    top: int,
    method: Rerank,
    longest: int | None = None,
) -> list[Ranked]:
    """Return the `top` passages of the documents for the queries, of the first `longest` characters of each."""
    return await rerank(
        run,
        queries,
        [document.text[:longest] for document in found],
        top=top,
        method=method,
        settings=settings,
        pages=[_starts(document, longest) for document in found],
        titles=[document.title for document in found],
    )


def _starts(document: Document, longest: int | None) -> list[int]:
    return [start for start in (document.page.pages if document.page else ()) if longest is None or start < longest]


def source_of(run: Run, question: str, document: Document, passages: Sequence[Passage], settings: Settings) -> Source:
    """Return a document as a record of the shared schema, with its passages; the journal keeps what they are spans of.

    The run's ledger is told what the domain counts for.
    """
    page, result = document.page, document.result
    credibility = score_credibility(document.url, settings=settings)
    run.ledger.score(document.url, credibility.score, credibility.tier)
    snapshot = page.snapshot if page else digest(result.snippet, size=64)
    if page is None:
        run.journal.keep_snapshot(snapshot, result.snippet)
    kept = joined(list(passages))
    return Source(
        title=document.title,
        summary="\n\n".join(passage.text for passage in kept),
        brief_summary=result.snippet or (best_sentence(kept[0].text, question) if kept else ""),
        keywords=keywords(kept),
        url=document.url,
        domain=domain_of(document.url),
        snippet=result.snippet,
        score=max((passage.score for passage in kept), default=0.0),
        credibility_score=credibility.score,
        credibility_tier=credibility.tier,
        quality=quality_of(document.url, settings),
        published=(page.published if page else "") or result.published,
        snapshot=snapshot,
        retrieved_at=page.retrieved_at if page else "",
        extractor=page.extractor if page else "",
        author=page.author if page else "",
        site=page.site if page else "",
        passages=kept,
    )
