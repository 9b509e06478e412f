"""The steps of `web_search`, each told as a phase of the run."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..errors import ModelError, StoppedError
from ..events import PhaseChanged, TextDelta
from ..language import language_name, resolved
from ..model.model import Model, Prompt
from ..model.providers import model_for
from ..model.tokens import count_tokens, fit
from ..prompts import quoted, render
from ..rag.rerank import LEXICAL
from ..report.catalogue import Catalogue, Entry
from ..report.checker import Checker
from ..report.checking import Checking
from ..report.draft import Draft
from ..report.extractive import Extractor
from ..report.manuscript import read
from ..report.writer import WORDS, written
from ..run import Run
from ..search.candidates import TRUST_BONUS
from ..search.domains import Selection
from ..search.queries import queries
from ..search.result import SearchResult
from ..settings import Settings
from ..source import Passage, Source
from ..thread import in_thread
from .answer import Rated, WebSearch
from .citation import cited, number_of, raw, used, with_labels
from .evidence import Document, asked, best_passages, documents, source_of

PASSAGES = 3
"""Passages of a source that the answer is written from at most."""

MATERIAL = 20_000
"""Characters of passages that the answer is written from at most."""

DEPTH = 100
"""Passages that are ranked."""

EXTRACTIVE = "extractive"
"""What is named as the model where none wrote the answer."""


@dataclass(slots=True)
class Result:
    """A result after reranking: its passages, best first, and the score by which it is ordered, trust included."""

    document: Document
    passages: list[Passage] = field(default_factory=list)
    bonus: float = 0.0
    citable: bool = True

    @property
    def score(self) -> float:
        """The score of its best passage."""
        return self.passages[0].score if self.passages else 0.0

    @property
    def order(self) -> tuple[bool, float]:
        """What sorts it: what can be cited first, then by score."""
        return not (self.citable and self.passages), -self.score - self.bonus


@dataclass(frozen=True, slots=True)
class Written:
    """An answer as text with citations, and who wrote it."""

    response: str
    sources_used: list[int]
    model: str


class Answering:
    """Answers one query in one run; the settings say what is allowed."""

    def __init__(self, run: Run, settings: Settings, query: str) -> None:
        self._run = run
        self._settings = settings
        self._query = query
        self._reranker = LEXICAL
        self._read_failed: dict[str, str] = {}

    async def result(self) -> WebSearch:
        """Return the answer. Raises NoSearchError when no engine answers."""
        found = await self._searched()
        results = await self._reranked(await self._read(found)) if found else []
        rated = [_rated(rank, result) for rank, result in enumerate(results, start=1)]
        answer = await self._written(results)
        return WebSearch(
            query=self._query,
            response=answer.response,
            sources=[one.model_copy(update={"used_in_response": one.rank in answer.sources_used}) for one in rated],
            sources_used=answer.sources_used,
            model=answer.model,
            reranker=self._reranker,
            total_results=len(found),
            reranked_results=_matching(results),
            execution_id=self._run.id,
        )

    async def _searched(self) -> list[SearchResult]:
        """Search for the query and for rephrasings of it side by side."""
        self._run.emit(PhaseChanged("WEB_SEARCH", "started", {"query": self._query}))
        searching = await asked(self._run, queries(self._query)[: self._settings.max_queries], self._settings)
        for query, why in searching.unanswered.items():
            self._run.fail("search", query, why)
        found = searching.ranked
        shown = [_shown(rank, result) for rank, result in enumerate(found, start=1)]
        self._completed("WEB_SEARCH", results_count=len(found), sources=shown)
        return found

    async def _read(self, found: Sequence[SearchResult]) -> list[Document]:
        """Return the results, the best of them with their pages; those that could not be read are left out."""
        wanted = self._settings.search_pages
        if not wanted:
            return [Document(result) for result in found]
        self._run.emit(PhaseChanged("SCRAPING_URLS", "started"))
        with_pages, failed = await documents(self._run, found, wanted, self._settings)
        for url, why in failed.items():
            self._run.notice(f"Not read: {url}: {why}")
        if failed and not with_pages:
            self._run.fail("web_search", "reading pages", "None of the pages that were found could be read.")
        self._read_failed = failed
        self._completed("SCRAPING_URLS", url_count=len(with_pages) + len(failed), scraped_count=len(with_pages))
        read = {document.result.url for document in with_pages}
        others = [Document(result) for result in found if result.url not in read and result.url not in failed]
        return [*with_pages, *others]

    async def _reranked(self, found: Sequence[Document]) -> list[Result]:
        """Return the documents in the order of their best passages, those that can be cited first."""
        self._run.emit(PhaseChanged("RERANKING", "started"))
        method = self._settings.rerank or "dense"
        ranked = await best_passages(self._run, [self._query], found, self._settings, top=DEPTH, method=method)
        self._reranker = ranked[0].by if ranked else LEXICAL
        own: dict[int, list[Passage]] = defaultdict(list)
        for one in ranked:
            own[one.document].append(one.passage)
        trusts, reads = Selection.of(self._settings).trusts, bool(self._settings.search_pages)
        results = [
            Result(document, own[number], TRUST_BONUS * trusts(document.url), not reads or document.page is not None)
            for number, document in enumerate(found)
        ]
        results.sort(key=lambda result: result.order)
        self._completed("RERANKING", reranked_count=_matching(results))
        self._completed("RERANKING", reranked_results=_matching(results))
        rated = [_rated(rank, result).model_dump() for rank, result in enumerate(results, start=1)]
        self._completed("RERANKING", sources=rated)
        return results

    async def _written(self, results: Sequence[Result]) -> Written:
        """Return the answer from the best passages: the model's, or quotes where there is none or it fails.

        Last it is told what did not work on the way.
        """
        self._run.emit(PhaseChanged("GENERATION", "started"))
        ranks = {result.document.url: rank for rank, result in reversed(list(enumerate(results, start=1)))}
        sources = [source.model_dump() for source in self._sources(results)]
        catalogue = await in_thread(Catalogue.of, sources, self._run.journal)
        model = model_for(self._settings, "writer")
        draft = await self._by_model(model, catalogue) if model and catalogue.entries else None
        author = f"{model.provider}/{model.name}" if model and draft else EXTRACTIVE
        draft = draft or await self._extracted(catalogue)
        if draft is None:
            answer = Written(self._told(self._nothing(results)), [], EXTRACTIVE)
        else:
            answer = Written(cited(draft, ranks), used(draft, ranks), author)
        failures = [asdict(failure) for failure in self._run.failures]
        self._completed("GENERATION", failures=failures, notices=list(self._run.notices))
        return answer

    def _sources(self, results: Sequence[Result]) -> list[Source]:
        """Return the first results as records with the passages that the answer is written from."""
        left = MATERIAL
        sources: list[Source] = []
        for result in results:
            chosen = result.passages[:PASSAGES]
            left -= sum(len(passage.text) for passage in chosen)
            if not result.citable or not chosen or (left < 0 and sources):
                break
            sources.append(source_of(self._run, self._query, result.document, chosen, self._settings))
        return sources

    async def _by_model(self, model: Model, catalogue: Catalogue) -> Draft | None:
        """Return the model's answer; None when it fails or cites nothing, which the run then says."""
        self._run.budget.begin_writing()
        try:
            text, cut = await written(model, self._run, self._prompt(model, catalogue))
        except (ModelError, StoppedError) as error:
            self._run.fail("web_search", "writing the answer by the model; it quotes the pages", str(error))
            return None
        draft = await in_thread(read, self._query, with_labels(text), catalogue.passages)
        checked = await self._checked(draft, catalogue, model)
        if not checked.cites:
            self._run.fail("web_search", "writing the answer by the model; it quotes the pages", "It cited no source.")
            return None
        if cut:
            self._run.notice("The model's answer hit the output limit: its last sentences are missing.")
        return checked

    async def _checked(self, draft: Draft, catalogue: Catalogue, model: Model) -> Draft:
        """Return the answer with what its sources support; what they do not is marked or gone, as the policy says."""
        checker = Checker(catalogue)
        judged = await in_thread(checker.judged, draft)
        language = resolved(self._settings.language, self._query)
        checked = await Checking(self._run, self._settings, checker, model, language).checked([judged])
        for gone in checked.removed:
            self._run.notice(f"Removed, since no source supports it: {gone.text}")
        return checked.drafts[0]

    def _prompt(self, model: Model, catalogue: Catalogue) -> Prompt:
        language = resolved(self._settings.language, self._query)
        values = {
            "question": self._query,
            "today": self._run.today.isoformat(),
            "language": "the language of the question" if language == "auto" else language_name(language),
            "words": str(WORDS[self._settings.length]),
        }
        bare = render("answer", self._settings.prompts, sources="", **values)
        room = model.room() - count_tokens(bare.system) - count_tokens(bare.user)
        blocks = [_block(entry) for entry in catalogue.entries]
        shown = blocks[: max(1, fit(blocks, room))]
        return render("answer", self._settings.prompts, sources="".join(shown).rstrip(), **values)

    async def _extracted(self, catalogue: Catalogue) -> Draft | None:
        """Return the sentences that answer the query, told as the model's would be; None when there are none."""

        def extracted() -> Draft | None:
            extractor = Extractor(catalogue, [self._query], self._settings.length)
            return extractor.section(self._query, [entry.id for entry in catalogue.entries])

        draft = await in_thread(extracted)
        if draft is not None:
            self._told(raw(draft, catalogue))
        return draft

    def _told(self, text: str) -> str:
        self._run.emit(TextDelta("writer", text))
        return text

    def _nothing(self, results: Sequence[Result]) -> str:
        """Say in words that there is no answer, and why."""
        only, span = self._settings.domains, self._settings.time_range
        where = f" on {', '.join(only)}" if only else ""
        since = "" if span == "none" else f" within the last {span}"
        if any(result.citable for result in results):
            return "None of the pages that were read answers this query."
        if self._read_failed:
            return "None of the pages that were found could be read."
        return f"Nothing was found{where}{since} for this query."

    def _completed(self, phase: Any, **data: Any) -> None:
        self._run.emit(PhaseChanged(phase, "completed", data))


def _matching(results: Sequence[Result]) -> int:
    return sum(bool(result.passages) for result in results)


def _shown(rank: int, result: SearchResult) -> dict[str, Any]:
    """Return a result as the search's event shows it."""
    return {"rank": rank, **result.model_dump(include={"title", "url", "snippet", "engine", "score"})}


def _rated(rank: int, result: Result) -> Rated:
    document = result.document
    return Rated(
        rank=rank,
        title=document.title,
        url=document.url,
        snippet=document.result.snippet,
        rerank_score=round(result.score, 4),
    )


def _block(entry: Entry) -> str:
    """Return a source's passages in one labelled block."""
    text = "\n\n[…]\n\n".join(labelled.passage.text for labelled in entry.passages)
    return quoted(number_of(entry), text, entry.source.title) + "\n\n"
