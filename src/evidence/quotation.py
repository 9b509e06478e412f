"""Finds what a source must contain verbatim: quotations, with their speakers, and blocks of code."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .alignment import folded, sequence
from .lexicon import lexicon
from .reason import FactMismatch
from .word import Word, sentences, spelled, stems

if TYPE_CHECKING:
    from .facts import Facts

_QUOTED = re.compile(r"[“„\"]([^“”„\"\n]{2,600})[”“\"]|«\s?([^«»\n]{2,600})\s?»|「([^「」\n]{2,300})」")
_GAP = re.compile(r"\[[^\[\]]{0,60}\]|\.\.\.|…")
_LISTS = lexicon("quotation")
_REACH = 3
"""Most words from a verb of saying to the speaker."""

_FEWEST = 3
"""Fewest words of a quotation; a shorter text in quotation marks may be a name or a term."""


def quotations(text: str) -> list[str]:
    """Return the texts in quotation marks, of at least three words, in order."""
    quoted = (match[1] or match[2] or match[3] for match in _QUOTED.finditer(text))
    return [quote for quote in quoted if len(sequence(quote)) >= _FEWEST]


def differing(claim: "Facts", span: "Facts", context: "Facts") -> Iterator[FactMismatch]:
    """Yield the quotations of a claim that the span lacks, and their speaker if the span names another one.

    A gap (`…`, `[sic]`) matches any text.
    """
    for quoted in claim.quotations:
        pieces = map(folded, _GAP.split(quoted))
        if not all(piece in span.phrase or piece in context.phrase for piece in pieces if piece.strip()):
            yield FactMismatch("quote", quoted)
    claim_speakers, span_speakers = (_speakers(text.words) if claim.quotations else [] for text in (claim, span))
    if claim_speakers and span_speakers and stems(claim_speakers).isdisjoint(stems(span_speakers)):
        yield FactMismatch("name", spelled(claim_speakers), spelled(span_speakers), opposed=True)


def _speakers(terms: Sequence[Word]) -> list[Word]:
    """Return the names near verbs of saying, in sentences with a quotation."""
    return [
        word
        for sentence in sentences(terms)
        if any(term.text in _LISTS["marks"] for term in sentence)
        for at, term in enumerate(sentence)
        if term.folded in _LISTS["says"]
        for word in sentence[max(0, at - _REACH) : at + 1 + _REACH]
        if word.stem and word.text[0].isupper()
    ]


_WORD = re.compile(r"\S+")
_BESIDE = frozenset(" `'\"|")
"""Characters that may adjoin code in a text; any other would be part of it."""


def find(code: str, text: str) -> tuple[int, int] | None:
    """Return the start and end of the first occurrence of a block of code in a text, ignoring white space, or None.

    Linear in the text. Matches whole words only: `rm -r a` is not found in `rm -r a/b`.
    """
    words = list(_WORD.finditer(text))
    needle, spaced = " ".join(code.split()), " ".join(match[0] for match in words)
    start = spaced.find(needle) if needle else -1
    while start >= 0:
        end = start + len(needle)
        if {spaced[start - 1 : start] or " ", spaced[end : end + 1] or " "} <= _BESIDE:
            return _offset(words, spaced, start), _offset(words, spaced, end - 1) + 1
        start = spaced.find(needle, start + 1)
    return None


def _offset(words: list[re.Match[str]], spaced: str, index: int) -> int:
    """Convert the index of a character in the joined words `spaced` to its offset in the text."""
    return words[spaced.count(" ", 0, index)].start() + index - (spaced.rfind(" ", 0, index) + 1)
