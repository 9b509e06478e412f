"""Finds chunks by their words."""

import heapq
import math
from collections.abc import Sequence

from ..term import terms
from .fuse import Found
from .index import TextIndex

MOST_READ = 200
MOST_ASKED = 32
"""Of the distinct words of a query the first so many are looked up, and the rarest so many are asked for."""

HEAVIEST = 12
"""Words by which it is judged how much of a query a chunk covers: no passage covers all of a query of a page."""


def by_words(indexes: Sequence[TextIndex], query: str, limit: int) -> list[Found]:
    """Return the chunks of all indexes that hold a word of the query, best first by BM25, `limit` of each index.

    `coverage` is the share of the query's weight that a chunk holds, a word weighing its inverse document frequency,
    so a word that no chunk has weighs most. Blocks.
    """
    words = list(dict.fromkeys(terms(query)))[:MOST_READ]
    total = sum(index.counts()[1] for index in indexes)
    frequency = {word: sum(index.frequency(word) for index in indexes) for word in words}
    weight = {word: _weight(count, total) for word, count in frequency.items()}
    known = [word for word in words if frequency[word]]
    asked = heapq.nlargest(MOST_ASKED, known, key=lambda word: weight[word])
    whole = math.fsum(heapq.nlargest(HEAVIEST, weight.values()))
    found = []
    for number, index in enumerate(indexes):
        scored = index.best(asked, limit)
        covered = dict.fromkeys((row for row, _ in scored), 0.0)
        for word in asked:
            for row in index.holding(word, list(covered)):
                covered[row] += weight[word]
        found += [Found(number, row, score, min(1.0, covered[row] / whole)) for row, score in scored]
    return sorted(found, key=lambda one: -one.score)


def _weight(frequency: int, total: int) -> float:
    """Return the inverse document frequency of BM25 (Robertson and Zaragoza, 2009), never below 0."""
    return math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))
