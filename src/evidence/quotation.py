"""What a text puts in quotation marks, to be found word for word."""

import re
from collections.abc import Iterator, Sequence

from ..kernel.term import fold
from .mismatch import FactMismatch
from .word import TokenizedText, plain

_QUOTED = re.compile(r"[“„\"]([^“”„\"\n]{2,600})[”“\"]|«\s?([^«»\n]{2,600})\s?»|「([^「」\n]{2,300})」")
_GAP = re.compile(r"\[[^\[\]]{0,60}\]|\.\.\.|…")
_WORDS = re.compile(r"\w+")
_FEWEST = 3
"""Words from which something in quotation marks is a quotation, not a name or a word that is spoken of."""


def quotations(text: str) -> list[str]:
    """Return what stands in quotation marks, of at least three words, in order."""
    found = (match[1] or match[2] or match[3] for match in _QUOTED.finditer(text))
    return [one for one in found if len(_WORDS.findall(one)) >= _FEWEST]


def phrase(reading: TokenizedText) -> str:
    """Return all words and numbers of a text, folded, one space between and around them."""
    kept = (word.folded for word in reading.words if word.kind not in ("mark", "stop", "cited", "url"))
    return f" {' '.join(_WORDS.findall(' '.join(kept)))} "


def differing(claim: Sequence[str], span: str, context: str) -> Iterator[FactMismatch]:
    """Yield the quotations of a claim that the span does not have; gaps (`…`, `[sic]`) may stand for anything."""
    for quoted in claim:
        pieces = [" ".join(_WORDS.findall(fold(plain(piece)))) for piece in _GAP.split(quoted)]
        if not all(f" {piece} " in span or f" {piece} " in context for piece in pieces if piece):
            yield FactMismatch("quote", quoted)
