"""The words of a text one by one, as word order and what stands around a word are compared."""

from collections.abc import Sequence
from typing import NamedTuple

from .word import TokenizedText

_STEM = 6
"""Letters by which words are compared, so that `exports` and `exported` are one."""


class Term(NamedTuple):
    """A word, number or mark: as it is written, folded, and its stem, empty for a stop word or a mark."""

    text: str
    folded: str
    stem: str
    sentence: int


def terms(reading: TokenizedText) -> tuple[Term, ...]:
    """Return the words of a text in order, at the places that they have in its reading."""
    return tuple(
        Term(word.text, word.folded, min(roots)[:_STEM] if roots else _figure(word.kind, word.text), word.sentence)
        for word, roots in zip(reading.words, reading.roots, strict=True)
    )


def _figure(kind: str, text: str) -> str:
    return text if kind in ("number", "version") else ""


def sentences(terms: Sequence[Term]) -> list[Sequence[Term]]:
    """Return the words of each sentence."""
    found: list[Sequence[Term]] = []
    start = 0
    for index in range(1, len(terms) + 1):
        if index == len(terms) or terms[index].sentence != terms[start].sentence:
            found.append(terms[start:index])
            start = index
    return found
