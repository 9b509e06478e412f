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
"""What a word with a digit counts beside any other: it is what a reader would check first."""


class Alignment(NamedTuple):
    """What is compared, of a claim and a window of the passages, from 0 to 1.

    `coverage` is the share of the claim's content words that the window has, `order` that of all its words that stand
    in the window in the same order (longest common subsequence).
    """

    coverage: float
    order: float

    @property
    def likeness(self) -> float:
        """Both together."""
        return (self.coverage + 2 * self.order) / 3


class Weights(NamedTuple):
    """A logistic model of how likely a person calls a claim supported that no fact of its window speaks against.

    From the probability `supported` it counts as such; below it words do not settle whether it is. Fitted on seven sets
    of claims of different make that count alike: `bench/support.py --fit` writes `weights.toml`.
    """

    bias: float
    likeness: float
    length: float
    supported: float

    def probability(self, likeness: float, unlike: float) -> float:
        """Return the probability, from 0 to 1, of a likeness and of how unlike claim and window are in length."""
        return 1 / (1 + math.exp(-self.bias - self.likeness * likeness - self.length * unlike))


WEIGHTS = Weights(**data("weights.toml"))


def unlike_length(one: str, other: str) -> float:
    """Return how unlike two texts are in length: 0 where they are as long, 1 where one is twice as long."""
    return abs(math.log2((1 + len(one)) / (1 + len(other))))


LIKELY, UNLIKELY = 0.5, 0.4
"""Probability from which a claim that words do not settle is rather supported; the most that one has which a passage
limits, or which says more."""


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
        return sum(1 << place for place, word in enumerate(self.unique) if word in known)

    def share(self, bits: int) -> float:
        """Return the share of the claim's weight that these words have, from 0 to 1."""
        held = sum(weight for place, weight in enumerate(self._weights) if bits >> place & 1)
        return held / self._total if self._total else 0.0

    def order(self, text: str) -> float:
        """Return the share of the claim's words that a text has in the same order."""
        return _common(self._sequence, sequence(text)) / len(self._sequence) if self._sequence else 0.0


def known_words(text: str) -> frozenset[str]:
    """Return the content words that a text has: their roots, and the stems by which English words are compared."""
    roots = frozenset(ordered_roots(plain(text)))
    return roots.union(map(_stem, roots))


@lru_cache(maxsize=50_000)
def _stem(root: str) -> str:
    """Return how a longer English word begins: what `computer`, `computing` and `computation` have in common.

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


def _common(one: list[str], other: list[str]) -> int:
    """Return the length of the longest common subsequence, a row of bits at a time (Hyyrö, 2004)."""
    places: dict[str, int] = {}
    for place, word in enumerate(other):
        places[word] = places.get(word, 0) | 1 << place
    row = every = (1 << len(other)) - 1
    for word in one:
        matched = row & places.get(word, 0)
        row = (row + matched | row - matched) & every
    return len(other) - row.bit_count()
