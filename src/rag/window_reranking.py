"""Reranking of hits by the window of each passage that has most words of the query."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from ..kernel.language import differs_in_language
from ..kernel.run import Run
from ..kernel.term import terms
from ..kernel.thread import in_thread
from .hit import Hit
from .nearness import Comparer, window_nearness
from .windows import WindowTable

DEPTH = 48  # passages compared by vectors; the others follow in their former order
WINDOW = 340  # characters of a window, some 80 tokens: encoding whole passages takes three times as long

FOREIGN = 0.5
"""The factor on the score of a passage in another language than the query, if others are in the query's: a folder may
have translations. Not applied with a provider's embedder, which may know both."""


async def reranked(
    run: Run,
    query: str,
    hits: Sequence[Hit],
    queries: Sequence[str],
    tables: Mapping[str, WindowTable],
    comparer: Comparer | None,
    *,
    floor: bool,
) -> list[Hit]:
    """Return the hits reranked, by the nearness of their windows if there is a model to compare them.

    Windows are selected by the words of all `queries`, so that each is encoded once for all; `tables` maps the folder
    of a hit to the table of window vectors. The scores express how well a passage answers the query. With `floor`,
    passages that no leg found are left out unless their window is near the query.
    """
    words = list(dict.fromkeys(terms(" ".join([query, *queries]))))
    ordered = sorted(hits, key=lambda hit: -hit.passage.score)
    top, rest = ordered[:DEPTH], ordered[DEPTH:]
    windows = await in_thread(lambda: [in_context(hit, words) for hit in top])
    tables_of_windows = {window: tables[hit.base] for window, hit in zip(windows, top, strict=True)}
    nearness = await window_nearness(run, comparer, query, windows, tables_of_windows) if comparer else None
    enough, share = (comparer.near, comparer.share) if comparer else (1.0, 0.0)
    scored = []
    for position, hit in enumerate(top):
        if floor and not (_is_near(hit) or (nearness and nearness[position] >= enough)):
            continue
        score = hit.passage.score
        scored.append(hit.scored((1 - share) * score + share * nearness[position] if nearness else score))
    if comparer is None or comparer.own_language:
        scored = _own_language_first(query, scored)
    least = min((hit.passage.score for hit in scored), default=1.0)
    behind = [hit.scored(least * hit.passage.score) for hit in rest if _is_near(hit) or not floor]
    return [*sorted(scored, key=lambda hit: -hit.passage.score), *behind]


def _is_near(hit: Hit) -> bool:
    """Return whether a leg found the passage near enough to the query."""
    return hit.lexical is not None or hit.dense is not None


def _own_language_first(query: str, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits, with lower scores for passages in another language than the query, unless all are."""
    is_foreign = [differs_in_language(hit.passage.text, query) for hit in hits]
    if all(is_foreign):
        return list(hits)
    return [
        hit.scored(FOREIGN * hit.passage.score) if foreign else hit
        for hit, foreign in zip(hits, is_foreign, strict=True)
    ]


def in_context(hit: Hit, words: Sequence[str]) -> str:
    """Return the best window of a passage, preceded by its file name, title and headings."""
    name = PurePosixPath(hit.path).stem
    above = hit.passage.heading if hit.title in hit.passage.heading else f"{hit.title} {hit.passage.heading}".strip()
    return f"{above if name in above else f'{name} {above}'}: {best_window(hit.passage.text, words)}"


def best_window(text: str, words: Sequence[str]) -> str:
    """Return the WINDOW characters of a text, cut between words, that have most of the words; the first on a tie."""
    flat = " ".join(text.split())
    if len(flat) <= WINDOW:
        return flat
    wanted = set(words)
    starts = [0, *(position + 1 for position, letter in enumerate(flat) if letter == " " and position % 8 == 0)]
    lasts = [start for start in starts if start + WINDOW <= len(flat)] or [0]
    best = max(lasts, key=lambda start: len(wanted.intersection(terms(flat[start : start + WINDOW]))))
    return flat[best : best + WINDOW]
