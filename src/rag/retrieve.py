"""Retrieval from local files: lexical and dense search, fused and reranked."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ..documents import extractor
from ..kernel.errors import BudgetError, IndexBusyError, RetrievalError
from ..kernel.language import is_english
from ..kernel.notice import Notice, NoticeOrText, from_record, recorded
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.term import LONGEST_TERM, terms
from ..kernel.thread import in_thread
from .dense import VectorsMissingError, by_meaning
from .embed import passage_embedder, provider_embedder
from .explained import explains
from .fuse import NO_LEG, FusedChunk, Leg, fused
from .hit import Hit
from .index import StoredChunk
from .lexical import COVERED, by_words, least_coverage
from .nearness import Comparer, comparer
from .spelling import respellings
from .store import Store, store_of
from .window_reranking import DEPTH, reranked

LEG = 100  # passages that each leg (the lexical and the dense search) passes to the fusion
COLLECTED = 20
"""From this `top_k` on, a search collects candidates for a later selection: none is left out for low coverage of the
query."""

MOST_FILES = 60  # files that an overview covers

OF_RECORDS = 0.5
"""The factor on the score of a passage of a changelog, a log or a licence, unless the query asks for one. Such files
are long and contain most words of a project."""

_RECORD = re.compile(
    r"(?:change(?:s|log)|news|release[-_]?notes|copyright|copying|licen[cs]e)(?:[-_.]?(?:debian|\d[\d.]*))*"
    r"(?:\.(?:md|rst|txt))?(?:\.gz)?|.+\.log(?:\.\d+)?(?:\.gz)?",
    re.IGNORECASE,
)
_ASKS_FOR_RECORDS = re.compile(
    r"\d\.\d|chang|änder|camb|mudan|versi[oóõ]|release|since|\bseit\b|depuis|desde|licen[cs]|lizenz|copyright"
)

DENSE_WEIGHT = 1.0
"""The weight of the dense leg, relative to 1 for the lexical leg, if the embedder knows the language of the query."""


async def retrieve(
    run: Run, folders: Sequence[Path], queries: Sequence[str], top_k: int, *, settings: Settings | None = None
) -> list[Hit]:
    """Return the `top_k` best passages for each query, each passage once, best first.

    The whole text of each file with a hit is stored in the journal, so that `snapshot[start:end]` is the passage.
    Notices report corrected words and, with the reason, a leg that was left out. `settings` default to the run's.
    Raises RetrievalError.
    """
    distinct = tuple(dict.fromkeys(queries))
    search = _Search(run, settings or run.settings, tuple(folders), top_k, distinct)
    answers = [await search.hits(query) for query in distinct]  # in turn, to reuse the vectors of equal texts
    best: dict[tuple[str, str, int, int], Hit] = {}
    for hit in (hit for hits in answers for hit in hits):
        key = (hit.base, hit.path, hit.passage.start, hit.passage.end)
        if key not in best or best[key].passage.score < hit.passage.score:
            best[key] = hit
    return sorted(best.values(), key=lambda hit: (-hit.passage.score, hit.base, hit.path, hit.passage.start))


async def openings(run: Run, folders: Sequence[Path], *, settings: Settings | None = None) -> list[Hit]:
    """Return the first passage of each file, for at most MOST_FILES files.

    The whole texts are stored in the journal. An effect of the run. Raises RetrievalError.
    """
    stores = [await store_of(run, settings or run.settings, folder) for folder in folders]

    async def first_passages() -> list[dict[str, Any]]:
        rows = [
            (number, row)
            for number, store in enumerate(stores)
            for row in await in_thread(store.texts.openings, MOST_FILES)
        ]
        candidates = [FusedChunk(key, 1.0, None, None) for key in rows[:MOST_FILES]]
        hits, snapshots = await in_thread(_hits, stores, candidates, len(candidates))
        for text_hash, text in snapshots.items():
            await in_thread(run.journal.keep_snapshot, text_hash, text)
        return [hit.model_dump() for hit in hits]

    record = await run.effect("openings", {"folders": [str(folder) for folder in folders]}, first_passages)
    return [Hit(**hit) for hit in record]


@dataclass(frozen=True, slots=True)
class _Search:
    """The parameters that the queries of one search share."""

    run: Run
    settings: Settings
    folders: tuple[Path, ...]
    top_k: int
    queries: tuple[str, ...]

    async def hits(self, query: str) -> list[Hit]:
        request = {
            "folders": [str(folder) for folder in self.folders],
            "query": query,
            "beside": [other for other in self.queries if other != query],
            "top_k": self.top_k,
            "dense": self.settings.retrieval.dense_weight if self.settings.retrieval.dense else 0,
        }
        record = await self.run.effect("retrieve", request, lambda: self._search(query))
        if record["only_words"]:
            self.run.notice(Notice("words_only_searched", why=from_record(record["only_words"])))
        for word, correction in record["mended"].items():
            self.run.notice(Notice("word_respelt", wrong=word, meant=correction))
        return [Hit(**hit) for hit in record["hits"]]

    async def _search(self, query: str) -> dict[str, Any]:
        stores = [await store_of(self.run, self.settings, folder) for folder in self.folders]
        respelt = await in_thread(respellings, [store.texts for store in stores], query)
        for one in respelt:
            query = re.sub(rf"(?<!\w){re.escape(one.word)}(?!\w)", one.instead, query)
        lexical_hits, (dense, only_words, model) = await asyncio.gather(
            in_thread(by_words, [store.texts for store in stores], query, LEG), self._dense_leg(stores, query)
        )
        is_judged = dense.hits and dense.least <= 1
        lexical = Leg(lexical_hits, 1.0, COVERED if is_judged else least_coverage(query))
        floor = self.top_k < COLLECTED
        candidates = fused(lexical, dense, floor=floor)
        if model is not None:
            candidates += await in_thread(_unfound, stores, candidates, DEPTH - len(candidates))
        hits, snapshots = await in_thread(_hits, stores, candidates, len(candidates))
        tables = {str(store.base): store.windows for store in stores}
        hits = await reranked(self.run, query, hits, self.queries, tables, model, floor=floor)
        hits = _explanations_first(_records_last(hits, query), query)[: self.top_k]
        snapshots = {hit.snapshot: snapshots[hit.snapshot] for hit in hits}
        for text_hash, text in snapshots.items():
            await in_thread(self.run.journal.keep_snapshot, text_hash, text)
        return {
            "hits": [hit.model_dump() for hit in hits],
            "only_words": "" if model else recorded(only_words),
            "mended": {one.word: one.instead for one in respelt if one.is_mended},
        }

    async def _dense_leg(self, stores: Sequence[Store], query: str) -> tuple[Leg, NoticeOrText, Comparer | None]:
        """Return the dense leg, the reason if it was not searched, and the model that compares windows."""
        weight = self.settings.retrieval.dense_weight
        if not self.settings.retrieval.dense:
            return NO_LEG, "", None
        local = comparer(self.settings, query) if self.settings.embedder.provider is None else None
        try:
            embedder = passage_embedder(self.settings)
            if weight == 0 or (weight is None and embedder.english and not is_english(query)):
                return NO_LEG, "", local
            dense_hits = await by_meaning(self.run, stores, embedder, query, LEG)
        except (VectorsMissingError, IndexBusyError) as error:
            return NO_LEG, error.message, local or provider_embedder(self.settings)
        except (RetrievalError, BudgetError) as error:
            return NO_LEG, error.message, None
        return Leg(dense_hits, weight or DENSE_WEIGHT, embedder.near), "", local


def _records_last(hits: Sequence[Hit], query: str) -> list[Hit]:
    """Return the hits, with lower scores for changelogs, logs and licences unless the query asks for them."""
    if _ASKS_FOR_RECORDS.search(query.lower()):
        return list(hits)
    shares = [OF_RECORDS if _RECORD.fullmatch(PurePosixPath(hit.path).name) else 1.0 for hit in hits]
    weighted = [hit.scored(hit.passage.score * share) for hit, share in zip(hits, shares, strict=True)]
    return sorted(weighted, key=lambda hit: -hit.passage.score)


def _explanations_first(hits: Sequence[Hit], query: str) -> list[Hit]:
    """Return the hits, those that explain the query's term first and with the best score."""
    query_terms = terms(query)
    if not (hits and 0 < len(query_terms) <= LONGEST_TERM):
        return list(hits)
    best = max(hit.passage.score for hit in hits)
    explaining = [hit for hit in hits if explains(hit.passage.text, query_terms)]
    raised = [hit.scored(best) for hit in explaining]
    return [*raised, *(hit for hit in hits if hit not in explaining)]


def _unfound(stores: Sequence[Store], candidates: Sequence[FusedChunk], most: int) -> list[FusedChunk]:
    """Return chunks that no leg found, first chunks of files before others; reranking may still select them."""
    known = {candidate.key for candidate in candidates}
    rows = [(number, row) for number, store in enumerate(stores) for row in store.texts.first(most + len(known))]
    return [FusedChunk(key, 0.0, None, None) for key in rows if key not in known][: max(0, most)]


def _hits(stores: Sequence[Store], candidates: Sequence[FusedChunk], top_k: int) -> tuple[list[Hit], dict[str, str]]:
    """Return the best candidates with distinct texts, and the whole texts of their files by hash."""
    hits: dict[str, Hit] = {}
    snapshots: dict[str, str] = {}
    ordered = _ordered(stores, candidates)
    bases = [str(store.base) for store in stores]
    texts = [
        store.texts.texts({chunk.text_hash for candidate, chunk in ordered if candidate.key[0] == number})
        for number, store in enumerate(stores)
    ]
    for candidate, chunk in ordered:
        if len(hits) == top_k:
            break
        number = candidate.key[0]
        if (whole := texts[number].get(chunk.text_hash)) is not None:  # else another process has just replaced it
            hit = _hit(bases[number], chunk, candidate, whole)
            if hits.setdefault(hit.passage.text, hit) is hit:
                snapshots[chunk.text_hash] = whole
    return list(hits.values()), snapshots


def _ordered(stores: Sequence[Store], candidates: Sequence[FusedChunk]) -> list[tuple[FusedChunk, StoredChunk]]:
    """Return the candidates that still exist, best first; equal scores in the order of the files."""
    pairs = []
    for number, store in enumerate(stores):
        by_row = {candidate.key[1]: candidate for candidate in candidates if candidate.key[0] == number}
        pairs += [(by_row[row], chunk) for row, chunk in store.texts.stored_chunks(list(by_row)).items()]
    return sorted(pairs, key=lambda pair: (-pair[0].score, pair[0].key[0], pair[1].path, pair[1].chunk.start))


def _hit(base: str, chunk: StoredChunk, candidate: FusedChunk, whole: str) -> Hit:
    return Hit(
        base=base,
        path=chunk.path,
        title=chunk.title,
        kind=chunk.kind,
        extractor=extractor(chunk.kind),
        snapshot=chunk.text_hash,
        passage=chunk.chunk.passage(whole, candidate.score).read_from(chunk.ocr),
        lexical=candidate.lexical,
        dense=candidate.dense,
    )
