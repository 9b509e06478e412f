"""What a question compares, side by side: which statements speak of which thing, and which say the same of both."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from typing import TypeVar

from ..answer import set_beside, topic
from ..evidence import Relevance, roots
from ..kernel.language import FUNCTION_WORDS
from ..search.queries import sides
from .lists import is_lead_in
from .quotable import Quotable

Value = TypeVar("Value")

ASPECTS = 3
"""Rows of each side."""

APART = 0.1
"""The worth of a pair with nothing in common, relative to a pair whose statements say the same."""

COMMON = 0.15
"""The least likeness (0 to 1) of two statements that become a further row of the table."""

LEAST = 0.5
"""The least worth of a further pair, as a share of the best pair's."""

EXPLAINS = 4.0
"""The factor by which a statement that defines its thing is worth more than one that only mentions it."""


@dataclass(frozen=True, slots=True)
class SideStatement:
    """What a source says of one of the things compared."""

    side: str
    quotable: Quotable


def compared(question: str) -> list[str]:
    """Return the two things that a question compares, none for a question that compares none or more."""
    things = [
        " ".join(dropwhile(lambda word: word.casefold() in FUNCTION_WORDS, side.split())) for side in sides(question)
    ]
    return things if len(things) == 2 and all(map(roots, things)) else []


def deciding(results: Iterable[tuple[str, Value]]) -> list[Value]:
    """Return which results by question decide whether a report answers: of a comparison that of the whole question."""
    every = list(results)
    return [value for _, value in (every[:1] if every and compared(every[0][0]) else every)]


def paired(
    things: Sequence[str],
    pool: Sequence[Quotable],
    odds: Mapping[int, float],
    relevance: Relevance,
    alike: Callable[[Quotable, Quotable], bool],
) -> Iterator[SideStatement]:
    """Yield statements in pairs, one of each thing: those first that answer well and have most in common.

    The two that define the things come first. A statement speaks of the thing that it explains; else of that whose
    words it has, itself or in the heading just above it, unless it only compares its own thing with that. One that has
    the words of both is on neither side. Two that have little in common stand together only where nothing else does;
    none is yielded where nothing speaks of one of the two.
    """
    names, distinct = _names(things)
    meanings = [
        min(_meanings(pool, names[n], distinct[n], odds), key=lambda pair: pair[0], default=None) for n in (0, 1)
    ]
    ranked = [quote for quote in pool if odds.get(quote.order) and quote.statement.kind == "sentence"]
    whole = [quote for quote in ranked if not (is_lead_in(quote) or quote.statement.text.endswith((":", "：")))]
    by_side = [[quote for quote in whole if _speaks(quote, distinct[n], distinct[1 - n])] for n in (0, 1)]
    pairs = [
        (_worth(first, second, distinct, odds, relevance), first, second)
        for first in by_side[0]
        for second in by_side[1]
    ]
    chosen: list[Quotable] = []
    if meanings[0] and meanings[1]:
        chosen = [meanings[0][1], meanings[1][1]]
        yield from map(SideStatement, things, chosen)
    best = max((worth for (_, worth), *_ in pairs), default=0.0)
    for (common, worth), *pair in sorted(pairs, key=lambda pair: -pair[0][1]):
        is_weak = chosen and (common < COMMON or worth < LEAST * best)
        is_repeated = any(alike(quote, known) for quote in pair for known in chosen)
        if not is_weak and len(chosen) < 2 * ASPECTS and not is_repeated:
            chosen += pair
            yield from map(SideStatement, things, pair)


def is_told_apart(things: Sequence[str]) -> bool:
    """Whether each of two things has a word of its own: "cache" and "cached cache" share all that the first has."""
    return all(_names(things)[1])


def tells_apart(quote: Quotable, things: Sequence[str]) -> bool:
    """Whether a statement names both things, each by a word that the other lacks, and leans on no other sentence."""
    _, distinct = _names(things)
    both = all(distinct) and distinct[0] | distinct[1] <= quote.roots
    return both and not quote.statement.leans and quote.statement.kind == "sentence"


def _names(things: Sequence[str]) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """Return the words of the two things, and those that only one of them has."""
    names = [roots(thing) for thing in things]
    return names, [names[0] - names[1], names[1] - names[0]]


def _meanings(
    pool: Sequence[Quotable], name: frozenset[str], distinct: frozenset[str], odds: Mapping[int, float]
) -> Iterator[tuple[tuple[bool, float, int], Quotable]]:
    """Yield statements whose first words are a thing's name, each with its rank: first what opens a text on it.

    `distinct` are those words of the name that the other thing's has not.
    """
    for quote in pool:
        text = quote.statement.text
        beginnings = (topic(text) or text.partition(". ")[0], text.partition(",")[0])
        if distinct and any(distinct <= roots(beginning) <= name for beginning in beginnings):
            opens = quote.candidate.opens and any(distinct <= roots(heading) for heading in quote.path)
            yield (not opens, -odds.get(quote.order, 0.0), quote.order), quote


def _speaks(quote: Quotable, distinct: frozenset[str], other: frozenset[str]) -> bool:
    """Whether a statement speaks of a thing and not of the other, each given by the words that only its name has."""
    heading, term = roots(quote.candidate.heading), roots(quote.candidate.term)
    if not distinct or term & (distinct | other):
        return bool(distinct) and distinct <= term and not (other and other <= term)
    words = quote.roots - set_beside(quote.statement.text)
    names_it = distinct <= words or (distinct <= heading and not other <= heading)
    return names_it and not (other and other <= quote.roots)


def _worth(
    first: Quotable,
    second: Quotable,
    distinct: Sequence[frozenset[str]],
    odds: Mapping[int, float],
    relevance: Relevance,
) -> tuple[float, float]:
    """Return how much two statements have in common, and what they are worth as a pair."""
    both = distinct[0] | distinct[1]
    common = relevance.likeness(first.roots - both, second.roots - both)
    explaining = sum(bool(distinct[n] & roots(quote.candidate.term)) for n, quote in enumerate((first, second)))
    return common, (APART + common) * math.sqrt(odds[first.order] * odds[second.order]) * EXPLAINS**explaining
