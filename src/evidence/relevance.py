"""Stems words, and measures how relevant a text is to a question by their shared, weighted content words."""

import math
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from ..kernel.language import ASKING_UNSPACED, FUNCTION_WORDS
from ..kernel.term import fold, is_wide, misspelt, terms, written_words
from .lexicon import labels

QUANTIFIERS = labels("quantifiers")

SUFFIXES = ("ments", "ment", "ings", "ing", "ed", "es", "en", "s", "e")
"""Inflectional endings, longest first: a light stemmer for European languages.

The Snowball stemmers need the language and three times the time, without a gain: the paragraph that shares most words
with a question answers .913, .858 and .882 of English, German and Spanish questions with them, .917, .861 and .877 with
this one.
"""

SHORTEST_ROOT = 4
"""Fewest characters of a word without its ending; one less for a plural `s`."""


def roots(text: str) -> frozenset[str]:
    """Return the roots of a text's content words."""
    return frozenset(ordered_roots(text))


def ordered_roots(text: str) -> list[str]:
    """Return the roots of a text's content words, in their order."""
    return list(map(_root, terms(text)))


@lru_cache(maxsize=50_000)
def _root(term: str) -> str:
    """Return a word without its endings, removed one by one, so that `gardens` and `garden` have the same root."""
    if not term.isalpha():
        return term
    if term.endswith("ies") and len(term) > SHORTEST_ROOT:
        return f"{term[:-3]}y"
    shorter = next((term[: -len(end)] for end in SUFFIXES if term.endswith(end) and _is_removable(term, end)), term)
    return term if shorter == term else _root(shorter)


def _is_removable(term: str, ending: str) -> bool:
    fewest = SHORTEST_ROOT - (ending == "s")
    return not term.endswith("ss") and len(term) - len(ending) >= fewest


def unmentioned(question: str, texts: Iterable[str]) -> list[str]:
    """Return the words of a question that none of the texts contains in any form, each once and in order.

    Quantifiers are left out. A misspelt form in a text counts as the word; of a Chinese or Japanese word, any pair of
    its characters does.
    """
    known = frozenset(root for text in texts for root in roots(text))

    def missing(word: str) -> bool:
        word_roots = roots(word)
        if is_wide(word):
            return len(word) > 1 and word_roots.isdisjoint(known)
        return any(not misspelt(root, known) for root in word_roots - known)

    return [
        word
        for word in dict.fromkeys(written_words(ASKING_UNSPACED.sub(" ", question)))
        if word.casefold() not in FUNCTION_WORDS and fold(word) not in QUANTIFIERS and missing(word)
    ]


class Relevance:
    """Weights words by their rarity in the given texts.

    A weight is 1 plus the inverse document frequency of BM25, scaled to at most 1: the texts were retrieved for the
    question, so its main words are in many of them and must still count.
    """

    def __init__(self, texts: Iterable[frozenset[str]]) -> None:
        counted = list(texts)
        frequencies = Counter(root for text in counted for root in text)
        most = _rarity(0, len(counted))
        self._weights = {root: 1 + _rarity(n, len(counted)) / most for root, n in frequencies.items()}

    def weight(self, root: str) -> float:
        """Return the weight of a word, from 1 to 2; a word in none of the texts has 2."""
        return self._weights.get(root, 2.0)

    def coverage(self, query: frozenset[str], text: frozenset[str]) -> float:
        """Return the share of the query's weight that the text has, from 0 to 1."""
        whole = self._sum(query)
        return self._sum(query & text) / whole if whole else 0.0

    def likeness(self, left: frozenset[str], right: frozenset[str]) -> float:
        """Return the similarity of two texts, from 0 to 1: the cosine over their weighted words."""
        size = math.sqrt(self._sum(left) * self._sum(right))
        return self._sum(left & right) / size if size else 0.0

    def _sum(self, text: frozenset[str]) -> float:
        return math.fsum(map(self.weight, text))


def _rarity(frequency: int, texts: int) -> float:
    return math.log(1 + (texts - frequency + 0.5) / (frequency + 0.5))
