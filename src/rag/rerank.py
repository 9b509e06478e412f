"""Ranking of the passages of texts that were just read, without a stored index."""

import math
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from threading import Lock

from ..kernel.errors import RetrievalError, StoppedError
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.settings import Rerank, Settings
from ..kernel.source import Passage, digest
from ..kernel.term import terms
from ..kernel.thread import in_thread
from .chunk import Chunk, Sizes, chunks
from .lexical import MOST_WORDS, SMALL, word_weight
from .local_texts import quoted
from .scoring import Scorer, scorer_of

LEXICAL = "lexical"

WINDOW = Sizes(target=800, most=1_100, overlap=0)  # the size of a passage in characters
DEPTH = 50  # passages found by words that another method scores
MOST_CUTS = 64  # texts whose windows are cached
SATURATION = 2.2  # the maximum factor of BM25 on a word's weight: k1 + 1, with k1 = 1.2 in SQLite's FTS5
LEAST_WEIGHT = 1e-6  # the weight in FTS5 of a word that occurs in half of the rows or more

_SCHEMA = """
CREATE VIRTUAL TABLE words USING fts5 (heading, body, content = '', tokenize = 'porter unicode61');
INSERT INTO words (words, rank) VALUES ('rank', 'bm25(2.0, 1.0)');
"""


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage with a score from 0 to 1; `document` is the index of the text that contains it.

    `by` names the scorer: `lexical`, or `lexical + ` and the name of the embedder, the model or the service.
    """

    document: int
    passage: Passage
    by: str = LEXICAL


async def rerank(
    run: Run,
    queries: Sequence[str],
    texts: Sequence[str],
    *,
    top: int,
    method: Rerank,
    settings: Settings,
    pages: Sequence[Sequence[int]] | None = None,
    titles: Sequence[str] | None = None,
    depth: int = DEPTH,
) -> list[RankedPassage]:
    """Return the `top` passages that best answer any of the queries, best first, without duplicates.

    A passage that shares no word with the queries is left out. Its score is BM25 divided by its upper bound, for the
    query that it answers best; a match of a shorter query counts less. Another `method` scores the best `depth`
    passages, and its scores are fused with these.

    `pages` contains the start offsets of the pages of each text, `titles` the title of each text, whose words count
    like those of headings. If the method fails or the run is stopped, passages are ranked by words alone, and a notice
    reports it.
    """
    pages, titles = pages or [()] * len(texts), titles or [""] * len(texts)
    ranked = await in_thread(_by_words, texts, pages, titles, list(dict.fromkeys(queries)), max(top, depth))
    try:
        scorer = scorer_of(settings, method, " ".join(queries))
        if scorer is not None and ranked:
            ranked = [*await _judged(run, scorer, queries, ranked[:depth]), *ranked[depth:]]
    except (RetrievalError, StoppedError) as error:
        run.notice(Notice("words_only_ranked", why=error.message))
    return ranked[:top]


def _by_words(
    texts: Sequence[str], pages: Sequence[Sequence[int]], titles: Sequence[str], queries: Sequence[str], limit: int
) -> list[RankedPassage]:
    """Return the best windows of the texts by their words, without duplicates. Blocks."""
    rows = [(number, chunk) for number, text in enumerate(texts) for chunk in _windows(text, pages[number])]
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(_SCHEMA)
        db.executemany(
            "INSERT INTO words (rowid, heading, body) VALUES (?, ?, ?)",
            ((row, *_words(texts[number], titles[number], chunk)) for row, (number, chunk) in enumerate(rows)),
        )
        scores = _scores(db, queries, len(rows))
    ranked: dict[str, RankedPassage] = {}
    for row in sorted(scores, key=lambda row: (-scores[row], row)):
        number, chunk = rows[row]
        passage = chunk.passage(texts[number], scores[row])
        ranked.setdefault(" ".join(passage.text.casefold().split()), RankedPassage(number, passage))
        if len(ranked) == limit:
            break
    return list(ranked.values())


def _words(text: str, title: str, chunk: Chunk) -> tuple[str, str]:
    """Return the indexed fields of a window: its title and headings, and its text."""
    context = chunk.heading if title in chunk.heading else f"{title}\n{chunk.heading}"
    return _indexed(context), _indexed(text[chunk.start : chunk.end])


_RECENT: dict[str, tuple[Chunk, ...]] = {}
"""The windows of the texts that were ranked last, as offsets without the text.

The tasks of a run rank the same pages, and chunking a page is half of the work.
"""

_RECENT_LOCK = Lock()


def _windows(text: str, pages: Sequence[int]) -> tuple[Chunk, ...]:
    """Return the windows of a text, cached for MOST_CUTS texts."""
    key = digest(text, *map(str, pages), size=64)
    with _RECENT_LOCK:
        windows = _RECENT.get(key)
    if windows is None:
        windows = tuple(chunks(text, pages, WINDOW, lines=False))
    with _RECENT_LOCK:
        _RECENT.pop(key, None)
        _RECENT[key] = windows
        if len(_RECENT) > MOST_CUTS:
            del _RECENT[next(iter(_RECENT))]
    return windows


def _indexed(text: str) -> str:
    """Return a text for FTS5, with the words that have non-ASCII letters in the form that queries use."""
    if text.isascii():
        return text
    return " ".join(word if word.isascii() else " ".join(terms(word)) for word in text.split())


def _scores(db: sqlite3.Connection, queries: Sequence[str], rows: int) -> dict[int, float]:
    """Return the score of every row that shares a word with a query, for the query that it answers best.

    A word's share is its BM25 score divided by its weight: its frequency in the row, relative to the row's length. The
    weighted sum is divided by the maximum score of the heaviest query; with each query's own maximum, a short query
    that is part of a longer one would always win. For the Cranfield queries with their rephrasings by rules the nDCG@10
    is .392, as with the queries alone; with each query's own maximum .251, with the mean over them .325, with fused
    ranks .319.
    """
    query_words = [list(dict.fromkeys(terms(query)))[:MOST_WORDS] for query in queries]
    shares: dict[str, dict[int, float]] = {}
    weights: dict[str, float] = {}
    for word in dict.fromkeys(word for words in query_words for word in words):
        matches = db.execute("SELECT rowid, -rank FROM words WHERE words MATCH ?", (quoted(word),)).fetchall()
        raw = max(LEAST_WEIGHT, math.log((rows - len(matches) + 0.5) / (len(matches) + 0.5)))
        shares[word] = {row: score / raw / SATURATION for row, score in matches}
        weights[word] = word_weight(len(matches), max(rows, SMALL))
    most = max((math.fsum(weights[word] for word in words) for words in query_words), default=0.0)
    best: dict[int, float] = {}
    for words in query_words:
        query_scores: dict[int, float] = {}
        for word in words:
            for row, share in shares[word].items():
                query_scores[row] = query_scores.get(row, 0.0) + weights[word] * share / most
        for row, score in query_scores.items():
            best[row] = max(best.get(row, 0.0), score)
    return best


async def _judged(
    run: Run, scorer: Scorer, queries: Sequence[str], passages: Sequence[RankedPassage]
) -> list[RankedPassage]:
    """Return passages in the order of their fused scores. Raises RetrievalError."""
    judged, rest = passages[: scorer.depth], passages[scorer.depth :]
    scores = await scorer.scores(run, list(dict.fromkeys(queries)), [_in_context(ranked.passage) for ranked in judged])
    fused = [_fused(ranked, score, scorer) for ranked, score in zip(judged, scores, strict=True)]
    return [*sorted(fused, key=lambda ranked: -ranked.passage.score), *(_fused(ranked, 0.0, scorer) for ranked in rest)]


def _in_context(passage: Passage) -> str:
    return f"{passage.heading}\n{passage.text}"


def _fused(ranked: RankedPassage, score: float, scorer: Scorer) -> RankedPassage:
    fused = (1 - scorer.share) * ranked.passage.score + scorer.share * min(1.0, score)
    passage = ranked.passage.model_copy(update={"score": round(fused, 6)})
    return RankedPassage(ranked.document, passage, f"{LEXICAL} + {scorer.name}")
