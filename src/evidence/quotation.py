"""What must stand in a source word for word: quotations, with who is said to have said them, and blocks of code."""

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
"""Words between a verb of saying and the speaker."""

_FEWEST = 3
"""Words from which something in quotation marks is a quotation, not a name or a word that is spoken of."""


def quotations(text: str) -> list[str]:
    """Return what stands in quotation marks, of at least three words, in order."""
    found = (match[1] or match[2] or match[3] for match in _QUOTED.finditer(text))
    return [one for one in found if len(sequence(one)) >= _FEWEST]


def differing(claim: "Facts", span: "Facts", context: "Facts") -> Iterator[FactMismatch]:
    """Yield the quotations of a claim that the span does not have, and their speaker if the span names another.

    Gaps (`…`, `[sic]`) may stand for anything.
    """
    for quoted in claim.quotations:
        pieces = map(folded, _GAP.split(quoted))
        if not all(piece in span.phrase or piece in context.phrase for piece in pieces if piece.strip()):
            yield FactMismatch("quote", quoted)
    mine, theirs = (_speakers(text.words) if claim.quotations else [] for text in (claim, span))
    if mine and theirs and stems(mine).isdisjoint(stems(theirs)):
        yield FactMismatch("name", spelled(mine), spelled(theirs), opposed=True)


def _speakers(terms: Sequence[Word]) -> list[Word]:
    """Return the names beside the verbs of saying in sentences with a quotation."""
    return [
        one
        for sentence in sentences(terms)
        if any(term.text in _LISTS["marks"] for term in sentence)
        for at, term in enumerate(sentence)
        if term.folded in _LISTS["says"]
        for one in sentence[max(0, at - _REACH) : at + 1 + _REACH]
        if one.stem and one.text[0].isupper()
    ]


_WORD = re.compile(r"\S+")
_BESIDE = frozenset(" `'\"|")
"""What may stand beside code in a text; anything else would go on with it."""


def find(code: str, text: str) -> tuple[int, int] | None:
    """Return the span in which a text first has all of a block of code, whatever its white space; None without one.

    Linear in the text. A piece of a longer word is not found: `rm -r a` does not stand in `rm -r a/b`.
    """
    words = list(_WORD.finditer(text))
    wanted, given = " ".join(code.split()), " ".join(match[0] for match in words)
    place = given.find(wanted) if wanted else -1
    while place >= 0:
        end = place + len(wanted)
        if {given[place - 1 : place] or " ", given[end : end + 1] or " "} <= _BESIDE:
            return _offset(words, given, place), _offset(words, given, end - 1) + 1
        place = given.find(wanted, place + 1)
    return None


def _offset(words: list[re.Match[str]], given: str, place: int) -> int:
    """Return where in the text a character stands, by its place among the words one blank apart."""
    return words[given.count(" ", 0, place)].start() + place - (given.rfind(" ", 0, place) + 1)
