"""Divides texts into the most probable pieces of a vocabulary (Kudo, ACL 2018)."""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import NamedTuple

BEGIN, END, UNKNOWN = 0, 2, 3  # as in XLM-RoBERTa

SPACE = "▁"
"""What stands for the space before a word in the pieces."""

RARER = 10.0
"""How much less the logarithm of the probability of an unknown character is than that of the rarest piece."""

MOST_CACHED = 50_000  # words


class Encoding(NamedTuple):
    """The numbers of a text's pieces, and for each the number of the text."""

    ids: list[int]
    type_ids: list[int]


class Unigram:
    """A tokenizer with a vocabulary of pieces and their log-probabilities, 40 MB for 250,000.

    The one of the package `tokenizers` finds the same pieces of the same vocabulary, and takes 250 MB.
    """

    def __init__(self, pieces: Sequence[tuple[str, float]], most: int) -> None:
        self._pieces = {piece: (number, score) for number, (piece, score) in enumerate(pieces)}
        self._longest = max(map(len, self._pieces))
        self._unknown = min(score for _, score in pieces) - RARER
        self._most = most
        self._of_word = lru_cache(MOST_CACHED)(self._divided)

    def encode(self, text: str, _second: str | None = None) -> Encoding:
        """Return the pieces of a text, at most so many, between those that mark its beginning and its end."""
        words = unicodedata.normalize("NFKC", text).split()
        pieces = islice(chain.from_iterable(map(self._of_word, words)), self._most - 2)
        ids = [BEGIN, *pieces, END]
        return Encoding(ids, [0] * len(ids))

    def _divided(self, word: str) -> list[int]:
        """Return the most probable pieces of a word, by the algorithm of Viterbi."""
        text = SPACE + word
        best = [(0.0, 0, UNKNOWN)]  # of each beginning: its log-probability, where its last piece begins, which that is
        for end in range(1, len(text) + 1):
            known = [
                (best[begin][0] + piece[1], begin, piece[0])
                for begin in range(max(0, end - self._longest), end)
                if (piece := self._pieces.get(text[begin:end]))
            ]
            best.append(max([(best[end - 1][0] + self._unknown, end - 1, UNKNOWN), *known]))
        ids: list[int] = []
        end = len(text)
        while end:
            _, end, number = best[end]
            if number != UNKNOWN or ids[-1:] != [UNKNOWN]:  # several unknown characters are one piece
                ids.append(number)
        return ids[::-1]
