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
"""What a pair is worth that has nothing in common, beside one that says the same of both."""

COMMON = 0.15
"""What two statements have in common at least that stand beside others."""

LEAST = 0.5
"""What a further pair is worth at least, beside the best one."""

EXPLAINS = 4.0
"""What a statement is worth that says what a thing is, beside one that only speaks of it."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a source says of one of the things compared."""

    side: str
    quotable: Quotable


def compared(question: str) -> list[str]:
    """Return the two things that a question compares, none for a question that compares none or more."""
    found = [
        " ".join(dropwhile(lambda word: word.casefold() in FUNCTION_WORDS, side.split())) for side in sides(question)
    ]
    return found if len(found) == 2 and all(map(roots, found)) else []


def deciding(found: Iterable[tuple[str, Value]]) -> list[Value]:
    """Return what decides, of what was found for each question, whether a report answers: of a comparison the whole."""
    every = list(found)
    return [value for _, value in (every[:1] if every and compared(every[0][0]) else every)]


def paired(
    things: Sequence[str],
    pool: Sequence[Quotable],
    odds: Mapping[int, float],
    relevance: Relevance,
    alike: Callable[[Quotable, Quotable], bool],
) -> Iterator[Said]:
    """Yield statements in pairs, one of each thing: those first that answer well and have most in common.

    What says what each of them is comes first. A statement speaks of the thing that it explains; else of that whose
    words it has, itself or in the heading just above it, unless it only sets that beside its own. One that has the
    words of both says which is which, and stands on neither side. Two that have little in common stand together only
    where nothing else does; none is yielded where nothing speaks of one of the two.
    """
    names, own = _named(things)
    means = [min(_meanings(pool, names[n], own[n], odds), key=lambda pair: pair[0], default=None) for n in (0, 1)]
    told = [one for one in pool if odds.get(one.order) and one.statement.kind == "sentence" and not is_lead_in(one)]
    told = [one for one in told if not one.statement.text.endswith((":", "："))]  # no row shows code that follows
    of = [[one for one in told if _speaks(one, own[n], own[1 - n])] for n in (0, 1)]
    pairs = [(_worth(first, other, own, odds, relevance), first, other) for first in of[0] for other in of[1]]
    chosen: list[Quotable] = []
    if means[0] and means[1]:
        chosen = [means[0][1], means[1][1]]
        yield from map(Said, things, chosen)
    best = max((worth for (_, worth), *_ in pairs), default=0.0)
    for (common, worth), *pair in sorted(pairs, key=lambda pair: -pair[0][1]):
        apart = chosen and (common < COMMON or worth < LEAST * best)
        if not apart and len(chosen) < 2 * ASPECTS and not any(alike(one, known) for one in pair for known in chosen):
            chosen += pair
            yield from map(Said, things, pair)


def is_told_apart(things: Sequence[str]) -> bool:
    """Say whether each of two things has a word of its own: "cache" and "cached cache" share all that the first has."""
    return all(_named(things)[1])


def tells_apart(one: Quotable, things: Sequence[str]) -> bool:
    """Say whether a statement speaks of both things, each by what the other is not called, and stands on its own."""
    _, own = _named(things)
    return all(own) and own[0] | own[1] <= one.roots and not one.statement.leans and one.statement.kind == "sentence"


def _named(things: Sequence[str]) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """Return the words of the two things, and those that only one of them has."""
    names = [roots(thing) for thing in things]
    return names, [names[0] - names[1], names[1] - names[0]]


def _meanings(
    pool: Sequence[Quotable], name: frozenset[str], own: frozenset[str], odds: Mapping[int, float]
) -> Iterator[tuple[tuple[bool, float, int], Quotable]]:
    """Yield what says what a thing is, by its first words, each with its rank: first what opens a text on that thing.

    `own` are those words of its name that the other thing's has not.
    """
    for one in pool:
        text = one.statement.text
        first = (topic(text) or text.partition(". ")[0], text.partition(",")[0])
        if own and any(own <= roots(said) <= name for said in first):
            opens = one.candidate.opens and any(own <= roots(heading) for heading in one.path)
            yield (not opens, -odds.get(one.order, 0.0), one.order), one


def _speaks(one: Quotable, own: frozenset[str], other: frozenset[str]) -> bool:
    above, told = roots(one.candidate.heading), roots(one.candidate.term)
    if not own or told & (own | other):
        return bool(own) and own <= told and not (other and other <= told)
    said = one.roots - set_beside(one.statement.text)
    return (own <= said or (own <= above and not other <= above)) and not (other and other <= one.roots)


def _worth(
    first: Quotable, other: Quotable, own: Sequence[frozenset[str]], odds: Mapping[int, float], relevance: Relevance
) -> tuple[float, float]:
    """Return how much two statements have in common, and what they are worth as a pair."""
    both = own[0] | own[1]
    common = relevance.likeness(first.roots - both, other.roots - both)
    explain = sum(bool(own[n] & roots(one.candidate.term)) for n, one in enumerate((first, other)))
    return common, (APART + common) * math.sqrt(odds[first.order] * odds[other.order]) * EXPLAINS**explain
