"""How the words of a claim lie in a window of a passage, and how likely it then is that this supports it."""

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from ..kernel.language import is_english
from .relevance import ordered_roots
from .word import plain

_WORD = re.compile(r"(?<![^\s(\[])-(?=\.?\d)|[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_]+|[%°$€£¥]")
_NUMBER_WEIGHT = 2.0
"""What a word with a digit counts beside any other: it is what a reader would check first."""

MOST_BREADTH = 2.0

STEM = 6
"""Letters by which English words are compared; in other languages these would be the first part of a compound."""


class Alignment(NamedTuple):
    """What is compared, of a claim and a window of the passages.

    `coverage` is the share of the claim's content words that the window has, `order` that of all its words that stand
    in the window in the same order (longest common subsequence), `pairs` that of its pairs of neighbouring words that
    the window has, each from 0 to 1. `breadth` is the logarithm to base 2 of how many blocks the longest passage is cut
    into, at most 2: the more text is looked through, the more of any claim is found in it by chance.
    """

    coverage: float
    order: float
    pairs: float
    breadth: float


@dataclass(frozen=True, slots=True)
class Weights:
    """A logistic model: the log-odds that a person would call a claim supported are a sum of bias and features.

    Fitted on the 1,198 claims of the development split of AttributionBench, those that a rule of the verdict forbids
    or limits left out, with a penalty of 1 on the standardised weights: `bench/attribution.py --fit` prints them.
    """

    bias: float
    coverage: float = 0.0
    order: float = 0.0
    pairs: float = 0.0
    breadth: float = 0.0
    cosine: float = 0.0

    def probability(self, alignment: Alignment, cosine: float = 0.0) -> float:
        """Return the probability, from 0 to 1, given the alignment and the cosine of claim and span."""
        weights = (self.coverage, self.order, self.pairs, self.breadth, self.cosine)
        parts = (weight * value for weight, value in zip(weights, (*alignment, cosine), strict=True))
        return 1 / (1 + math.exp(-math.fsum((self.bias, *parts))))


WORDS = Weights(bias=-1.47, coverage=1.27, order=2.78, breadth=-2.01)
"""By words alone."""

MEANING = Weights(bias=-2.59, pairs=1.90, breadth=-2.01, cosine=3.94)
"""With embeddings, beside which coverage tells nothing more."""

SUPPORTED = 0.5
"""Probability from which a claim counts as supported."""

PARTIAL = 0.3
"""Probability from which part of it does."""

DOUBTFUL = (0.15, 0.8)
"""Probabilities between which words alone do not settle it."""


class Words:
    """The words of a claim, and which of them a text has, as bits."""

    def __init__(self, claim: str) -> None:
        roots = ordered_roots(plain(claim))
        self.unique = list(dict.fromkeys(map(_stem, roots) if is_english(claim) else roots))
        self._weights = [_NUMBER_WEIGHT if any(map(str.isdigit, word)) else 1.0 for word in self.unique]
        self._total = sum(self._weights)
        self._sequence = sequence(claim)

    def bits(self, known: frozenset[str]) -> int:
        """Return which content words of the claim are known, the first of them as the lowest bit."""
        found = 0
        for place, word in enumerate(self.unique):
            if word in known:
                found |= 1 << place
        return found

    def share(self, bits: int) -> float:
        """Return the share of the claim's weight that these words have, from 0 to 1."""
        held = sum(weight for place, weight in enumerate(self._weights) if bits >> place & 1)
        return held / self._total if self._total else 0.0

    def pairs(self, text: str) -> float:
        """Return the share of the claim's pairs of neighbouring words that a text has; 0 where it has but one word."""
        known = set(pairwise(sequence(text)))
        mine = list(pairwise(self._sequence))
        return sum(pair in known for pair in mine) / len(mine) if mine else 0.0

    def order(self, text: str) -> float:
        """Return the share of the claim's words that a text has in the same order."""
        return _common(self._sequence, sequence(text)) / len(self._sequence) if self._sequence else 0.0


def known_words(text: str) -> frozenset[str]:
    """Return the content words that a text has: their roots, and the stems by which English words are compared."""
    roots = frozenset(ordered_roots(plain(text)))
    return roots.union(map(_stem, roots))


@lru_cache(maxsize=50_000)
def _stem(root: str) -> str:
    """Return how a longer word begins: what `computer`, `computing` and `computation` have in common."""
    return f"{root[:STEM]}~" if len(root) >= STEM and root.isalpha() else root


def sequence(text: str) -> list[str]:
    """Return every word of a text in lower case.

    Characters of Chinese and Japanese, signs of money and share, and the minus of a number stand alone.
    """
    return _WORD.findall(plain(text).casefold())


def folded(text: str) -> str:
    """Return every word of a text with one space around each."""
    return f" {' '.join(sequence(text))} "


def breadth(blocks: int) -> float:
    """Return how much was looked through, as the feature of that name."""
    return min(MOST_BREADTH, math.log2(max(1, blocks)))


def _common(one: list[str], other: list[str]) -> int:
    """Return the length of the longest common subsequence, a row of bits at a time (Hyyrö, 2004)."""
    places: dict[str, int] = {}
    for place, word in enumerate(other):
        places[word] = places.get(word, 0) | 1 << place
    every = (1 << len(other)) - 1
    row = every
    for word in one:
        matched = row & places.get(word, 0)
        row = (row + matched | row - matched) & every
    return len(other) - row.bit_count()
