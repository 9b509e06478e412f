"""Comparisons: finds the two things that a question compares, and pairs statements about one and the other."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from typing import TypeVar

from ..evidence import Relevance, roots
from ..kernel.language import FUNCTION_WORDS
from ..ranking import set_beside, topic
from ..search.queries import sides
from .lists import is_introduction
from .quotable import Quotable

Value = TypeVar("Value")

ASPECTS = 3
"""Most rows for each side."""

APART = 0.1
"""The worth of a pair with nothing in common, relative to a pair whose statements say the same."""

COMMON = 0.15
"""The least similarity (0 to 1) of two statements that become a further pair of rows in the table."""

LEAST = 0.5
"""The least worth of a further pair, as a share of the best pair's."""

EXPLAINS = 4.0
"""The factor by which a statement that defines its thing is worth more than one that only mentions it."""


@dataclass(frozen=True, slots=True)
class SideStatement:
    """A statement about one of the things compared."""

    side: str
    quotable: Quotable


def compared(question: str) -> list[str]:
    """Return the two things that a question compares; an empty list if it does not compare exactly two."""
    things = [
        " ".join(dropwhile(lambda word: word.casefold() in FUNCTION_WORDS, side.split())) for side in sides(question)
    ]
    return things if len(things) == 2 and all(map(roots, things)) else []


def deciding(results: Iterable[tuple[str, Value]]) -> list[Value]:
    """Return the results that decide whether a report answers: for a comparison, only that of the whole question.

    `results` are pairs of a question and its result, the whole question first.
    """
    every = list(results)
    return [value for _, value in (every[:1] if every and compared(every[0][0]) else every)]


def paired(
    things: Sequence[str],
    pool: Sequence[Quotable],
    odds: Mapping[int, float],
    relevance: Relevance,
    alike: Callable[[Quotable, Quotable], bool],
) -> Iterator[SideStatement]:
    """Yield pairs of statements, one about each thing: first those that answer well and have most in common.

    The two definitions of the things come before these, if there are both. A statement is about the thing it explains,
    or else the thing whose words are in it or in the heading just above it, unless it only mentions that thing for
    comparison. A statement with the words of both is about neither. A pair with little in common is yielded only if
    there is no other; nothing is yielded if no statement is about one of the two.
    """
    names, distinct = _names(things)
    meanings = [
        min(_meanings(pool, names[n], distinct[n], odds), key=lambda pair: pair[0], default=None) for n in (0, 1)
    ]
    ranked = [quote for quote in pool if odds.get(quote.order) and quote.statement.kind == "sentence"]
    whole = [quote for quote in ranked if not (is_introduction(quote) or quote.statement.text.endswith((":", "：")))]
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


def are_distinct(things: Sequence[str]) -> bool:
    """Whether each of two names has a word that the other lacks; "cache" has none that "cached cache" lacks."""
    return all(_names(things)[1])


def contrasts(quote: Quotable, things: Sequence[str]) -> bool:
    """Whether a sentence names both things by the words that the other lacks, and depends on no other sentence."""
    _, distinct = _names(things)
    both = all(distinct) and distinct[0] | distinct[1] <= quote.roots
    return both and not quote.statement.leans and quote.statement.kind == "sentence"


def _names(things: Sequence[str]) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """Return the roots of the words in each name, and for each name those that the other lacks."""
    names = [roots(thing) for thing in things]
    return names, [names[0] - names[1], names[1] - names[0]]


def _meanings(
    pool: Sequence[Quotable], name: frozenset[str], distinct: frozenset[str], odds: Mapping[int, float]
) -> Iterator[tuple[tuple[bool, float, int], Quotable]]:
    """Yield statements that begin with a thing's name, each with its sort key: the first of a text about it come first.

    `distinct` are the words of the name that the other thing's name lacks.
    """
    for quote in pool:
        text = quote.statement.text
        beginnings = (topic(text) or text.partition(". ")[0], text.partition(",")[0])
        if distinct and any(distinct <= roots(beginning) <= name for beginning in beginnings):
            opens = quote.candidate.opens and any(distinct <= roots(heading) for heading in quote.path)
            yield (not opens, -odds.get(quote.order, 0.0), quote.order), quote


def _speaks(quote: Quotable, distinct: frozenset[str], other: frozenset[str]) -> bool:
    """Whether a statement is about one thing and not the other, each given by the words that only its name has."""
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
    """Return how much two statements have in common, and their worth as a pair."""
    both = distinct[0] | distinct[1]
    common = relevance.likeness(first.roots - both, second.roots - both)
    explaining = sum(bool(distinct[n] & roots(quote.candidate.term)) for n, quote in enumerate((first, second)))
    return common, (APART + common) * math.sqrt(odds[first.order] * odds[second.order]) * EXPLAINS**explaining
