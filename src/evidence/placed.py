"""Whether the number or date of a claim stands in its source for what the claim says it of, and not for another."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from .agreement import agree
from .clause import parts
from .date import Date, covers
from .lexicon import synonyms
from .quantity import Quantity
from .reason import FactMismatch
from .roles import is_verb
from .word import Word

if TYPE_CHECKING:
    from .facts import Facts


def differing(claim: "Facts", span: "Facts", _: "Facts") -> Iterator[FactMismatch]:
    """Yield a date that is another event's, and the only figure of a claim of one sentence where it is another's."""
    if claim.dates and span.dates and (moved := next(_moved(claim, span), None)):
        yield moved
        return
    if len(claim.quantities) == 1 and len({word.sentence for word in claim.words if word.stem}) == 1:
        years = frozenset(str(day.year) for day in claim.dates if day.year)
        for about in (years, _names(claim.words)):
            yield from _number(claim.quantities[0], about, span)


def _moved(claim: "Facts", span: "Facts") -> Iterator[FactMismatch]:
    """Yield a date that stands with other verbs only, where the verb of the claim stands with other dates only."""
    stated = [(verb, day) for verbs, beside, day in _dated(span) for verb in verbs or beside]
    for verbs, _, day in _dated(claim):
        there = any(covers(day, other) for _, other in stated)
        for verb in verbs if there else ():
            same = [one for one in stated if one[0].stem == verb.stem]
            when = [other for _, other in same or [one for one in stated if one[0].folded in synonyms(verb.folded)]]
            if when and not any(covers(day, other) for other in when):
                yield FactMismatch("date", day.text, when[0].text, opposed=True)


def _dated(text: "Facts") -> Iterator[tuple[Sequence[Word], Sequence[Word], Date]]:
    """Yield the dates of a text, each with the verb that it stands with and with those of the parts beside its own.

    A date stands with the last verb before it in its part of a sentence, or else with the first one of that.
    """
    pieces = parts(text.words)
    verbs = [_verbs(text, piece) for piece in pieces]
    for place, piece in enumerate(pieces):
        own = verbs[place]
        beside = [verb for near in verbs[max(0, place - 1) : place + 2] for verb in near]
        for day in (one for one in text.dates if one.first in piece):
            yield [one for one in own if one.start < text.words[day.first].start][-1:] or own[:1], beside, day


def _verbs(text: "Facts", piece: range) -> list[Word]:
    """Return the verbs of a part of a sentence; where nouns have a capital, as in German, its last word without one."""
    words = [text.words[at] for at in piece]
    if text.names.nouns:
        return [word for word in words if word.stem and word.text[0].islower()][-1:]
    return [word for before, word in pairwise([None, *words]) if word and is_verb(before, word)]


def _number(one: Quantity, about: frozenset[str], span: "Facts") -> Iterator[FactMismatch]:
    """Yield a number that stands for other years or names, where another one stands for these."""
    fits, rivals = [], []
    for piece in parts(span.words):
        words = span.words[piece.start : piece.stop]
        stated = {str(day.year) for day in span.dates if day.first in piece and day.year} | _names(words)
        counted = [other for other in span.quantities if other.first in piece and other.dimension == one.dimension]
        if any(agree(one, other) for other in counted):
            fits.append(stated)
        elif about & stated:
            rivals += [(other, min(about & stated)) for other in counted]
    kinds = {name[0].isdecimal() for name in about}
    apart = all(not about & stated and kinds & {name[0].isdecimal() for name in stated} for stated in fits)
    if rivals and fits and apart:
        other, whose = rivals[0]
        yield FactMismatch("quantifier", f"{one.text} … {whose}", f"{other.text} … {whose}", opposed=True)


def _names(words: Sequence[Word]) -> frozenset[str]:
    return frozenset(word.stem for word in words if word.kind == "word" and word.stem and word.text[0].isupper())
