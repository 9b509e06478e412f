"""Aligns the words of a claim with a window of a passage, and estimates how likely the window supports the claim."""

import math
import re
from functools import lru_cache
from typing import NamedTuple

from ..kernel.language import is_english
from ..kernel.term import fold
from .lexicon import data
from .relevance import ordered_roots
from .word import STEM, plain

_WORD = re.compile(r"(?<![^\s(\[])-(?=\.?\d)|[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_]+|[%°$€£¥]")
_NUMBER_WEIGHT = 2.0
"""Weight of a word with a digit, which a reader would check first; other words weigh 1."""


class Alignment(NamedTuple):
    """The overlap of a claim with a window, as shares from 0 to 1.

    `coverage` is the weighted share of the claim's content words that the window contains; `order` the share of all
    its words in the longest common subsequence with the window.
    """

    coverage: float
    order: float

    @property
    def likeness(self) -> float:
        """The weighted mean of coverage and order, from 0 to 1."""
        return (self.coverage + 2 * self.order) / 3


class Weights(NamedTuple):
    """A logistic model: the probability that a person calls a claim supported if its window has no mismatch.

    A claim with at least the probability `supported` counts as supported; below that, it is unsettled. Fitted on seven
    different sets of claims with equal weight: `bench/support.py --fit` writes `weights.toml`.
    """

    bias: float
    likeness: float
    length: float
    supported: float

    def probability(self, likeness: float, unlike: float) -> float:
        """Return the probability, from 0 to 1, given the `likeness` and the difference in length (`unlike_length`)."""
        return 1 / (1 + math.exp(-self.bias - self.likeness * likeness - self.length * unlike))


WEIGHTS = Weights(**data("weights.toml"))


def unlike_length(left: str, right: str) -> float:
    """Return the difference in length of two texts: 0 for equal lengths, 1 if one is twice as long (a log ratio)."""
    return abs(math.log2((1 + len(left)) / (1 + len(right))))


LIKELY, UNLIKELY = 0.5, 0.4
"""Probability from which a claim is more likely supported than not, and with unmatched phrases partly supported; the
largest score of an unsettled claim with mismatches or unmatched phrases."""


class Words:
    """The words of a claim; the words that a text contains are represented as a bit mask."""

    def __init__(self, claim: str) -> None:
        roots = ordered_roots(plain(claim))
        self.unique = list(dict.fromkeys(map(_stem, roots) if is_english(claim) else roots))
        self._weights = [_NUMBER_WEIGHT if any(map(str.isdigit, word)) else 1.0 for word in self.unique]
        self._total = sum(self._weights)
        self._sequence = sequence(claim)

    def bits(self, known: frozenset[str]) -> int:
        """Return the content words of the claim that are `known`, as a bit mask; the first word is the lowest bit."""
        return sum(1 << index for index, word in enumerate(self.unique) if word in known)

    def share(self, bits: int) -> float:
        """Return the share of the claim's weight that the words of a bit mask have, from 0 to 1."""
        weight_held = sum(weight for index, weight in enumerate(self._weights) if bits >> index & 1)
        return weight_held / self._total if self._total else 0.0

    def order(self, text: str) -> float:
        """Return the share of the claim's words that a text has in the same order, from 0 to 1."""
        return _common(self._sequence, sequence(text)) / len(self._sequence) if self._sequence else 0.0


def known_words(text: str) -> frozenset[str]:
    """Return the roots of a text's content words, and the stems by which English words are compared."""
    roots = frozenset(ordered_roots(plain(text)))
    return roots.union(map(_stem, roots))


@lru_cache(maxsize=50_000)
def _stem(root: str) -> str:
    """Return the first letters of a longer English word, common to `computer`, `computing` and `computation`.

    Not for other languages, where these letters may be the first part of a compound.
    """
    return f"{root[:STEM]}~" if len(root) >= STEM and root.isalpha() else root


def sequence(text: str) -> list[str]:
    """Return every word of a text in lower case, without accents.

    A Chinese or Japanese character, a currency or percent sign, and the minus of a number are words of their own.
    """
    return _WORD.findall(fold(plain(text)))


def folded(text: str) -> str:
    """Return the words of a text, joined and surrounded by single spaces."""
    return f" {' '.join(sequence(text))} "


def _common(left: list[str], right: list[str]) -> int:
    """Return the length of the longest common subsequence, by the bit-parallel algorithm of Hyyrö (2004)."""
    positions: dict[str, int] = {}
    for index, word in enumerate(right):
        positions[word] = positions.get(word, 0) | 1 << index
    row = full_row = (1 << len(right)) - 1
    for word in left:
        matched = row & positions.get(word, 0)
        row = (row + matched | row - matched) & full_row
    return len(right) - row.bit_count()
