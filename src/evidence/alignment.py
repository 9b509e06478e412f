"""How the words of a claim lie in a window of a passage, and how likely it then is that this supports it."""

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
"""The weight of a word with a digit, which a reader would check first; any other word has 1."""


class Alignment(NamedTuple):
    """How a claim aligns with a window of the passages, from 0 to 1.

    `coverage` is the share of the claim's content words that the window has, `order` that of all its words that the
    window has in the same order (longest common subsequence).
    """

    coverage: float
    order: float

    @property
    def likeness(self) -> float:
        """Coverage and order together, from 0 to 1."""
        return (self.coverage + 2 * self.order) / 3


class Weights(NamedTuple):
    """A logistic model of how likely a person calls a claim supported if no fact of its window speaks against it.

    From the probability `supported` on it counts as supported; below, words do not settle whether it is. Fitted on
    seven sets of claims of different make that count alike: `bench/support.py --fit` writes `weights.toml`.
    """

    bias: float
    likeness: float
    length: float
    supported: float

    def probability(self, likeness: float, unlike: float) -> float:
        """Return the probability, from 0 to 1, for a likeness and for how unlike claim and window are in length."""
        return 1 / (1 + math.exp(-self.bias - self.likeness * likeness - self.length * unlike))


WEIGHTS = Weights(**data("weights.toml"))


def unlike_length(left: str, right: str) -> float:
    """Return how unlike two texts are in length: 0 for equal lengths, 1 where one is twice as long."""
    return abs(math.log2((1 + len(left)) / (1 + len(right))))


LIKELY, UNLIKELY = 0.5, 0.4
"""Probability from which a claim that words do not settle is rather supported; the highest one of a claim that says
more than its passage, or that the passage limits."""


class Words:
    """The words of a claim, and which of them a text has, as bits."""

    def __init__(self, claim: str) -> None:
        roots = ordered_roots(plain(claim))
        self.unique = list(dict.fromkeys(map(_stem, roots) if is_english(claim) else roots))
        self._weights = [_NUMBER_WEIGHT if any(map(str.isdigit, word)) else 1.0 for word in self.unique]
        self._total = sum(self._weights)
        self._sequence = sequence(claim)

    def bits(self, known: frozenset[str]) -> int:
        """Return which content words of the claim are `known`, as bits, the first word as the lowest."""
        return sum(1 << index for index, word in enumerate(self.unique) if word in known)

    def share(self, bits: int) -> float:
        """Return the share of the claim's weight that the words of some bits have, from 0 to 1."""
        weight_held = sum(weight for index, weight in enumerate(self._weights) if bits >> index & 1)
        return weight_held / self._total if self._total else 0.0

    def order(self, text: str) -> float:
        """Return the share of the claim's words that a text has in the same order."""
        return _common(self._sequence, sequence(text)) / len(self._sequence) if self._sequence else 0.0


def known_words(text: str) -> frozenset[str]:
    """Return the content words that a text has: their roots, and the stems by which English words are compared."""
    roots = frozenset(ordered_roots(plain(text)))
    return roots.union(map(_stem, roots))


@lru_cache(maxsize=50_000)
def _stem(root: str) -> str:
    """Return the beginning of a longer English word: what `computer`, `computing` and `computation` have in common.

    In other languages that would be the first part of a compound.
    """
    return f"{root[:STEM]}~" if len(root) >= STEM and root.isalpha() else root


def sequence(text: str) -> list[str]:
    """Return every word of a text in lower case, without accents.

    Characters of Chinese and Japanese, signs of money and share, and the minus of a number stand alone.
    """
    return _WORD.findall(fold(plain(text)))


def folded(text: str) -> str:
    """Return every word of a text with one space around each."""
    return f" {' '.join(sequence(text))} "


def _common(left: list[str], right: list[str]) -> int:
    """Return the length of the longest common subsequence, a row of bits at a time (Hyyrö, 2004)."""
    positions: dict[str, int] = {}
    for index, word in enumerate(right):
        positions[word] = positions.get(word, 0) | 1 << index
    row = full_row = (1 << len(right)) - 1
    for word in left:
        matched = row & positions.get(word, 0)
        row = (row + matched | row - matched) & full_row
    return len(right) - row.bit_count()
