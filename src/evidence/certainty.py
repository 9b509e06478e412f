"""Whether a claim is surer than its source: must for may, always for can, all where nothing says so, the largest."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from .lexicon import lexicon, vocabulary
from .mismatch import FactMismatch
from .term import Term

_LISTS = lexicon("certainty")

_ALWAYS = _LISTS["always"]
_MUST = _LISTS["must"]
_DUTIES = _LISTS["duties"]
_MAY = _LISTS["may"]
_UNIVERSAL = _LISTS["universal"]
_EVERY = _UNIVERSAL | _LISTS["every"]

_TOP = vocabulary("most majority foremost unrivalled unsurpassed")
_LATEST = _LISTS["latest"]
_SHORTEST = 5
_NOT_MOST = _LISTS["not_most"]


def differing(claim: Sequence[Term], span: Sequence[Term], context: Sequence[Term]) -> Iterator[FactMismatch]:
    """Yield a duty for what is allowed, always for what can be, all or the most where the source has no such word."""
    mine = {term.folded for before, term in _pairs(claim) if before != "at"}
    theirs = {term.folded for term in (*span, *context) if term.text != "May"}
    freedoms = {term.folded for term in span if term.text != "May"} & _MAY
    duties = mine & _MUST
    owed = _governed(claim, _MUST) & _governed(span, _MAY) - _governed(span, _MUST)
    if owed or (duties and freedoms and not theirs & (_MUST | _DUTIES)):
        yield FactMismatch("quantifier", min(duties), min(freedoms), limits=True)
    always = mine & _ALWAYS
    if always and freedoms and not theirs & (_ALWAYS | _EVERY):
        yield FactMismatch("quantifier", min(always), min(freedoms), limits=True)
    every = mine & _UNIVERSAL
    if every and not theirs & (_EVERY | _ALWAYS):
        yield FactMismatch("quantifier", min(every), limits=True)
    if not any(map(_is_most, theirs)):
        highest = [term.text for before, term in _pairs(claim) if _is_highest(before, term.folded)]
        yield from (FactMismatch("quantifier", text, limits=True) for text in highest[:1])


def _pairs(terms: Sequence[Term]) -> Iterator[tuple[str, Term]]:
    """Yield each word with the one before it, folded."""
    return zip(["", *(term.folded for term in terms)], terms, strict=False)


def _is_highest(before: str, word: str) -> bool:
    """Say whether a word, by the one before it, puts something above all others: `the largest`, `most popular`."""
    return (_is_most(word) and word != "most") or (before == "most" and word not in _LATEST and len(word) > _SHORTEST)


def _governed(terms: Sequence[Term], words: frozenset[str]) -> set[str]:
    """Return the verbs right behind some words: `retain` of `must retain`."""
    return {behind.stem for term, behind in pairwise(terms) if term.folded in words and behind.stem}


def _is_most(word: str) -> bool:
    """Say whether a word is a superlative: `largest`, `most`."""
    word = word.partition("-")[0]
    return word in _TOP or (len(word) > _SHORTEST and word.endswith("est") and word not in _NOT_MOST)
