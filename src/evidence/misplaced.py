"""Detects numbers and dates of a claim that belong to something else in the source."""

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
    """Yield a date that belongs to another event, else the only number of a one-sentence claim if it is misplaced."""
    if claim.dates and span.dates and (moved := next(_moved(claim, span), None)):
        yield moved
        return
    if len(claim.quantities) == 1 and len({word.sentence for word in claim.words if word.stem}) == 1:
        years = frozenset(str(day.year) for day in claim.dates if day.year)
        for subject in (years, _names(claim.words)):
            yield from _number(claim.quantities[0], subject, span)


def _moved(claim: "Facts", span: "Facts") -> Iterator[FactMismatch]:
    """Yield a date that the source has only with other verbs, if it has other dates with the claim's verb."""
    stated = [(verb, day) for verbs, beside, day in _dated(span) for verb in verbs or beside]
    for verbs, _, day in _dated(claim):
        is_stated = any(covers(day, other) for _, other in stated)
        for verb in verbs if is_stated else ():
            same_verb = [pair for pair in stated if pair[0].stem == verb.stem]
            pairs = same_verb or [pair for pair in stated if pair[0].folded in synonyms(verb.folded)]
            dates = [date for _, date in pairs]
            if dates and not any(covers(day, date) for date in dates):
                yield FactMismatch("date", day.text, dates[0].text, opposed=True)


def _dated(text: "Facts") -> Iterator[tuple[Sequence[Word], Sequence[Word], Date]]:
    """Yield the dates of a text, each with its verb and with the verbs of its own and the neighbouring parts.

    The verb of a date is the last one before it in its part of a sentence, else the first one of that part.
    """
    pieces = parts(text.words)
    verbs = [_verbs(text, piece) for piece in pieces]
    for index, piece in enumerate(pieces):
        current = verbs[index]
        beside = [verb for near in verbs[max(0, index - 1) : index + 2] for verb in near]
        for day in (date for date in text.dates if date.first in piece):
            before = [verb for verb in current if verb.start < text.words[day.first].start]
            yield before[-1:] or current[:1], beside, day


def _verbs(text: "Facts", piece: range) -> list[Word]:
    """Return the verbs of a part of a sentence; if nouns are capitalized, as in German, its last lower-case word."""
    words = [text.words[at] for at in piece]
    if text.names.nouns:
        return [word for word in words if word.stem and word.text[0].islower()][-1:]
    return [word for before, word in pairwise([None, *words]) if word and is_verb(before, word)]


def _number(claimed: Quantity, subject: frozenset[str], span: "Facts") -> Iterator[FactMismatch]:
    """Yield a number that the source gives only for other years or names, with another one for the claim's."""
    fits, rivals = [], []
    for piece in parts(span.words):
        words = span.words[piece.start : piece.stop]
        stated = {str(day.year) for day in span.dates if day.first in piece and day.year} | _names(words)
        counted = [number for number in span.quantities if number.first in piece]
        counted = [number for number in counted if number.dimension == claimed.dimension]
        if any(agree(claimed, number) for number in counted):
            fits.append(stated)
        elif subject & stated:
            rivals += [(number, min(subject & stated)) for number in counted]
    kinds = {name[0].isdecimal() for name in subject}
    is_elsewhere = all(not subject & stated and kinds & {name[0].isdecimal() for name in stated} for stated in fits)
    if rivals and fits and is_elsewhere:
        rival, whose = rivals[0]
        yield FactMismatch("quantifier", f"{claimed.text} … {whose}", f"{rival.text} … {whose}", opposed=True)


def _names(words: Sequence[Word]) -> frozenset[str]:
    return frozenset(word.stem for word in words if word.kind == "word" and word.stem and word.text[0].isupper())
