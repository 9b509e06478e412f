"""The steps of `web_search`, each reported as a phase of the run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ..evidence.reason import BESIDE
from ..fetch import Page
from ..kernel.errors import ModelError, StoppedError
from ..kernel.events import TextDelta
from ..kernel.language import language_name
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.source import Source
from ..kernel.thread import in_thread
from ..markup import Paragraph, Sentence
from ..model import Model, Prompt
from ..model.providers import model_for
from ..model.tokens import count_tokens, fit
from ..prompts import quoted, render
from ..rag.rerank import LEXICAL
from ..render import labels_in
from ..report import Composer, Draft, SourceEntry, SourceIndex
from ..report.draft_parser import read
from ..report.writer import WORDS, written
from ..search import SearchPipeline, SearchResult
from ..search.candidates import TRUST_BONUS, Selection
from ..web import SNIPPET, Collected, Phases, Rated, of_snippet, passages, read_pages, records_of
from .answers import WebSearch
from .citation import cited, name_of, raw, used, with_labels

MATERIAL = 20_000  # most characters of passages from which an answer is written
DEPTH = 50  # passages that are also scored by the reranker's model, not only by their words
EXTRACTIVE = "extractive"  # the name of the model in an answer that no model wrote


@dataclass(frozen=True, slots=True)
class RankedResult:
    """A search result, its page, and its source record if the page has a passage on the query."""

    hit: SearchResult
    page: Page
    source: Source | None

    @property
    def score(self) -> float:
        """The score of the page's best passage."""
        return self.source.score if self.source else 0.0

    def rated(self, rank: int) -> Rated:
        """Return the result as an entry of the answer's source list."""
        title, score = self.page.title or self.hit.title, round(self.score, 4)
        return Rated(rank=rank, title=title, url=self.page.url, snippet=self.hit.snippet, rerank_score=score)


@dataclass(frozen=True, slots=True)
class Written:
    """An answer as text with citations, the ranks it cites, and the name of the model that wrote it."""

    response: str
    sources_used: list[int]
    model: str


class Answering:
    """Answers one query in one run, within the limits of the settings."""

    def __init__(self, run: Run, settings: Settings, query: str) -> None:
        self._run = run
        self._settings = settings
        self._query = query
        self._reranker = LEXICAL
        self._read_failed = False
        self._phases = Phases(run)

    async def result(self) -> WebSearch:
        """Return the answer. Raises NoSearchError if no engine answers."""
        hits = await self._search()
        results = await self._rerank(await self._read(hits)) if hits else []
        answer = await self._write(results)
        rated = [result.rated(rank) for rank, result in enumerate(results, start=1)]
        return WebSearch(
            query=self._query,
            response=answer.response,
            sources=[
                entry.model_copy(update={"used_in_response": entry.rank in answer.sources_used}) for entry in rated
            ],
            sources_used=answer.sources_used,
            model=answer.model,
            reranker=self._reranker,
            total_results=len(hits),
            reranked_results=_matching(results),
            execution_id=self._run.id,
        )

    async def _search(self) -> list[SearchResult]:
        """Search for the query and its expansions in parallel."""
        self._phases.search(self._query)
        pipeline = SearchPipeline(self._run, settings=self._settings)
        hits = (await pipeline.search(self._query))["search_results"]
        if pipeline.failed:
            raise pipeline.failed[0].error
        self._phases.searched(hits)
        return hits

    async def _read(self, hits: Sequence[SearchResult]) -> Collected:
        """Return the pages of the best hits, and the snippets of the others; pages that failed are left out."""
        max_pages, collected = self._settings.search.max_pages, Collected()
        if max_pages:
            self._phases.read(min(max_pages, len(hits)))
            collected = await read_pages(self._run, hits, wanted=max_pages, settings=self._settings)
            collected.tell(self._run, "web_search")
            self._phases.have_read(len(collected.pages) + len(collected.failed), len(collected.pages))
        known = {*(page.asked for page in collected.pages), *collected.failed}
        collected.pages += [of_snippet(self._run, hit) for hit in hits if hit.url not in known]
        collected.hits = {hit.url: hit for hit in hits}
        self._read_failed = bool(collected.failed)
        return collected

    def _citable(self, page: Page) -> bool:
        return page.kind != SNIPPET or not self._settings.search.max_pages

    async def _rerank(self, collected: Collected) -> list[RankedResult]:
        """Return the pages by the score of their best passage, citable ones first."""
        self._phases.rank()
        method, query = self._settings.rerank.method or "dense", self._query
        ranked = await passages(self._run, [query], collected.pages, self._settings, method=method, depth=DEPTH)
        self._reranker = ranked[0].by if ranked else LEXICAL
        by_url = {record.url: record for record in records_of(self._run, query, collected, ranked, self._settings)}
        results = [RankedResult(collected.hits[page.asked], page, by_url.get(page.url)) for page in collected.pages]
        trusts = Selection.of(self._settings).trusts

        def order(result: RankedResult) -> tuple[bool, float]:
            is_uncitable = result.source is None or not self._citable(result.page)
            return is_uncitable, -result.score - TRUST_BONUS * trusts(result.page.url)

        results.sort(key=order)
        self._phases.ranked([result.rated(rank) for rank, result in enumerate(results, start=1)], _matching(results))
        return results

    async def _write(self, results: Sequence[RankedResult]) -> Written:
        """Return the answer from the best passages: the model's, or quotes if there is no model or it fails."""
        self._phases.write()
        ranks = {result.page.url: rank for rank, result in reversed(list(enumerate(results, start=1)))}
        sources = [source.model_dump() for source in self._sources(results)]
        index = await in_thread(SourceIndex.of, sources, self._run.journal)
        model = model_for(self._settings, "writer")
        composer = Composer(self._run, self._settings, index, self._query, model=model)
        await composer.rank()
        draft = await self._model_draft(model, composer, ranks) if model and composer.finds else None
        author = f"{model.provider}/{model.name}" if model and draft else EXTRACTIVE
        draft = draft or await self._extractive_draft(composer, ranks)
        if draft is None:
            text = self._no_answer_text(read=any(self._citable(result.page) for result in results))
            answer = Written(self._emit(text), [], EXTRACTIVE)
        else:
            answer = Written(cited(draft, composer, ranks), used(draft, composer, ranks), author)
        self._phases.written()
        return answer

    def _sources(self, results: Sequence[RankedResult]) -> list[Source]:
        """Return the best source records, of at most MATERIAL characters, from which the answer is written."""
        sources = [result.source for result in results if result.source and self._citable(result.page)]
        lengths = accumulate(len(source.summary) for source in sources)
        return [source for source, length in zip(sources, lengths, strict=True) if length <= MATERIAL] or sources[:1]

    async def _model_draft(self, model: Model, composer: Composer, ranks: Mapping[str, int]) -> Draft | None:
        """Return the model's answer; None, with a failure on the run, if it fails or cites nothing."""
        self._run.budget.begin_writing()
        try:
            text, cut = await written(model, self._run, self._prompt(model, composer, ranks))
        except (ModelError, StoppedError) as error:
            self._run.fail("web_search", Notice("of_answer"), error.message)
            return None
        ids = {ranks[entry.source.url]: entry.id for entry in composer.index.entries}
        labelled = with_labels(text, ids)
        draft = await in_thread(read, self._query, labelled, composer.index.passages, [self._query])
        checked = await self._check(draft, composer)
        if not checked.cites:
            self._run.fail("web_search", Notice("of_answer"), Notice("cited_nothing"))
            return None
        if cut:
            self._run.notice(Notice("answer_cut"))
        return checked

    async def _check(self, draft: Draft, composer: Composer) -> Draft:
        """Return the answer with its unsupported sentences marked or removed, according to the policy."""
        judged = await in_thread(composer.checker.judged, draft)
        checked = await composer.checked([judged])
        for removed in checked.removed:
            code = "removed_beside" if BESIDE in removed.reasons else "removed_unsupported"
            self._run.notice(Notice(code, text=removed.text))
        return checked.drafts[0]

    def _prompt(self, model: Model, composer: Composer, ranks: Mapping[str, int]) -> Prompt:
        language = composer.language
        values = {
            "question": self._query,
            "today": self._run.today.isoformat(),
            "language": "the language of the question" if language == "auto" else language_name(language),
            "words": str(WORDS[self._settings.report.length]),
        }
        empty = render("answer", self._settings.models.prompts, sources="", **values)
        room = model.room() - count_tokens(empty.system) - count_tokens(empty.user)
        blocks = [_block(ranks[entry.source.url], entry) for entry in composer.index.entries]
        shown = blocks[: max(1, fit(blocks, room))]
        return render("answer", self._settings.models.prompts, sources="".join(shown).rstrip(), **values)

    async def _extractive_draft(self, composer: Composer, ranks: Mapping[str, int]) -> Draft | None:
        """Return the sentences that answer the query, emitted as a model's text would be; None if there are none."""
        if not composer.finds:
            return None
        draft = await in_thread(lambda: composer.extractor().summary(self._query))
        if draft is not None and composer.is_unsure:
            unsure = Paragraph(sentences=[Sentence(parts=[f"{labels_in(composer.language).may_help}:"])])
            draft = draft.model_copy(update={"blocks": [unsure, *draft.blocks]})
        if draft is not None:
            self._emit(raw(draft, composer, ranks))
        return draft

    def _emit(self, text: str) -> str:
        self._run.emit(TextDelta("writer", text))
        return text

    def _no_answer_text(self, *, read: bool) -> str:
        """Return a sentence with the reason why there is no answer."""
        domains, time_range = self._settings.search.domains, self._settings.search.time_range
        on_domains = f" on {', '.join(domains)}" if domains else ""
        since = "" if time_range == "none" else f" within the last {time_range}"
        if read:
            return "None of the pages that were read answers this query."
        if self._read_failed:
            return "None of the pages found could be read."
        return f"Nothing was found{on_domains}{since} for this query."


def _matching(results: Sequence[RankedResult]) -> int:
    return sum(result.source is not None for result in results)


def _block(rank: int, entry: SourceEntry) -> str:
    """Return a source's passages in one labelled block."""
    text = "\n\n[…]\n\n".join(labelled.passage.text for labelled in entry.passages)
    return quoted(name_of(rank), text, entry.source.title) + "\n\n"
