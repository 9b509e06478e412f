"""Lexical search: finds chunks by the words of a query (BM25)."""

import heapq
import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from ..kernel.term import LONGEST_TERM, terms
from .explained import options_in
from .fuse import LegHit
from .index import TextIndex

Key = TypeVar("Key", bound=Hashable)

MOST_WORDS = 64  # distinct words of a query that are searched, which bounds the cost of long queries
POSTINGS = 12_000
"""The bound on the postings scanned for a query, some 2 µs each; a quarter of the chunks if that is more."""

SMALL = 1_000
"""The least number of chunks assumed for word weights; otherwise, in a folder of a few files, words of their common
subject would weigh nothing beside a word that they lack."""

NAMED = 0.6
"""A file is also searched separately if its name covers at least this share of what the best file name covers of a
query."""

EXPLAINING = 8  # explaining chunks that are preferred when a short query may be a term
OF_OPTION = 24  # the same for an option in a query: many commands share the name of an option
HEAVIEST = 12
"""The number of heaviest words that make up full coverage: no chunk covers all of a page-long query."""

COVERED = 0.55  # the coverage from which a passage is an answer by its words alone


def by_words(indexes: Sequence[TextIndex], query: str, limit: int) -> list[LegHit]:
    """Return the chunks of all indexes that contain words of the query, best first by BM25, `limit` of each index.

    Searches the rarest words, as many as the bound on postings allows; in a small index, all of them. The `coverage` of
    a hit is the share of the weight of the searched and unknown words that its chunk contains; the weight of a word is
    its inverse document frequency, which is highest for a word in no chunk. Blocks.
    """
    words = list(dict.fromkeys(terms(query)))[:MOST_WORDS]
    total = sum(index.counts()[1] for index in indexes)
    bound = max(POSTINGS, total // 4)
    frequency = frequencies(indexes, words, bound)
    searched = _rarest(frequency, bound)
    weight = {
        word: word_weight(frequency[word], max(total, SMALL))
        for word in words
        if word in searched or not frequency[word]
    }
    full_weight = math.fsum(heapq.nlargest(HEAVIEST, weight.values()))
    hits = []
    file_shares = _file_shares(indexes, names_in(query))
    explained_terms = [(words, EXPLAINING)] if len(words) <= LONGEST_TERM else []
    explained_terms += [(option_terms, OF_OPTION) for option in options_in(query) if (option_terms := terms(option))]
    for number, index in enumerate(indexes):
        scored = index.best(searched, limit)
        if files := [file for (of_index, file), share in file_shares.items() if of_index == number and share >= NAMED]:
            known = {row for row, _ in scored}
            scored += [hit for hit in index.best(searched, limit, files) if hit[0] not in known]
        for term, most in explained_terms:
            scored = _with_explanations(scored, index.explaining(term, most))
        covered = dict.fromkeys((row for row, _ in scored), 0.0)
        holding = index.holding(searched, covered.keys())
        for word in searched:
            for row in holding[word]:
                covered[row] += weight[word]
        hits += [LegHit((number, row), score, min(1.0, covered[row] / full_weight)) for row, score in scored]
    return sorted(hits, key=lambda hit: -hit.score)


def frequencies(indexes: Sequence[TextIndex], words: Sequence[str], bound: int) -> dict[str, int]:
    """Return how many chunks of all indexes contain each word, counted up to a bound per index."""
    counts = Counter(dict.fromkeys(words, 0))
    for index in indexes:
        counts.update(index.frequencies(words, bound))
    return counts


def _file_shares(indexes: Sequence[TextIndex], words: Sequence[str]) -> dict[tuple[int, int], float]:
    """Return the share of a query that each file's name covers, by (number of the index, id of the file)."""
    if not words:
        return {}
    names = {
        (number, file): name_words
        for number, index in enumerate(indexes)
        for file, name_words in index.words_in_names(words).items()
    }
    return _shares(words, names, sum(index.counts()[0] for index in indexes))


def _with_explanations(scored: Sequence[tuple[int, float]], rows: Sequence[int]) -> list[tuple[int, float]]:
    """Return `scored` with `rows`, the chunks that explain the queried term, first and with the best score."""
    best = max((score for _, score in scored), default=1.0)
    others = [(row, score) for row, score in scored if row not in rows]
    return [*((row, best) for row in rows), *others]


def names_in(query: str) -> list[str]:
    """Return the terms of a query that are names or numbers: with a digit or, unless most words have one, a capital."""
    words = [word for word in query.split() if terms(word)]
    capital = [word for word in words if word[0].isupper()]
    names = [word for word in words if any(letter.isdigit() for letter in word)]
    names += capital if 2 * len(capital) <= len(words) else []
    return list(dict.fromkeys(term for word in names for term in terms(word)))


def shares(words: Sequence[str], names: Mapping[Key, str]) -> dict[Key, float]:
    """Return the share of a query that each name covers, relative to the best name.

    Only words in at most half of the names count; rarer words count more.
    """
    return _shares(words, {key: frozenset(terms(name)) for key, name in names.items()}, len(names))


def _shares(words: Sequence[str], names: Mapping[Key, frozenset[str]], total: int) -> dict[Key, float]:
    frequency = {word: sum(word in name_words for name_words in names.values()) for word in words}
    weight = {word: 1 / number for word, number in frequency.items() if 0 < number <= max(1, total / 2)}
    share = {key: math.fsum(weight[word] for word in name_words & weight.keys()) for key, name_words in names.items()}
    most = max(share.values(), default=0.0)
    return {key: value / most if most else 0.0 for key, value in share.items()}


def _rarest(frequency: dict[str, int], bound: int) -> list[str]:
    """Return the words that occur, rarest first, up to `bound` postings in all; at least one if any occurs."""
    rarest: list[str] = []
    postings = 0
    for word in sorted((word for word in frequency if frequency[word]), key=lambda word: frequency[word]):
        postings += frequency[word]
        if rarest and postings > bound:
            break
        rarest.append(word)
    return rarest


def least_coverage(query: str) -> float:
    """Return the minimum coverage of a hit that could be compared by its words only.

    It is 1/2 for up to two words, 2/5 for four, 1/4 from ten on. With it, 92 % of 148 questions kept a passage that
    answers them, and 34 % of 148 other questions found one in texts collected for the first (AttributionBench, dev
    split); with a bound that is .05 higher it is 86 % and 27 %. When vectors are compared as well (COVERED, or the
    embedder's `near`) it is 98 % and 25 %.
    """
    words = len(set(terms(query)))
    return 0.5 if words <= 2 else max(0.25, 0.5 - 0.025 * words)


def word_weight(frequency: int, total: int) -> float:
    """Return the inverse document frequency of BM25 (Robertson and Zaragoza, 2009), never below 0."""
    return math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))
