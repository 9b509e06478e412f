"""What a question compares, side by side: which statements speak of which thing, and which say the same of both."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..answer import set_beside
from ..evidence.relevance import Relevance, roots
from ..search.queries import sides
from .quotable import Quotable

ASPECTS = 3
"""Rows of each side."""

APART = 0.1
"""What a pair is worth that has nothing in common, beside one that says the same of both."""

EXPLAINS = 4.0
"""What a statement is worth that says what a thing is, beside one that only speaks of it."""

_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Said:
    """What a source says of one of the things compared."""

    side: str
    quotable: Quotable


def compared(question: str) -> list[str]:
    """Return the two things that a question compares, none for a question that compares none or more."""
    found = [_ARTICLE.sub("", side) for side in sides(question)]
    return found if len(found) == 2 and all(map(roots, found)) else []


def paired(
    things: Sequence[str],
    pool: Sequence[Quotable],
    odds: Mapping[int, float],
    relevance: Relevance,
    alike: Callable[[Quotable, Quotable], bool],
) -> Iterator[Said]:
    """Yield statements in pairs, one of each thing: those first that answer well and have most in common.

    None is yielded where nothing speaks of one of the two. A statement speaks of the thing that it explains; else of
    that whose words it has, itself or in the heading just above it, unless it only sets that beside its own. One that
    has the words of both says which is which, and stands on neither side.
    """
    names = [roots(thing) for thing in things]
    own = [names[0] - names[1], names[1] - names[0]]
    of = [[one for one in pool if odds.get(one.order) and _speaks(one, own[n], own[1 - n])] for n in (0, 1)]
    pairs = [(_worth(first, other, own, odds, relevance), first, other) for first in of[0] for other in of[1]]
    chosen: list[Quotable] = []
    for _, *pair in sorted(pairs, key=lambda pair: -pair[0]):
        if len(chosen) < 2 * ASPECTS and not any(alike(one, known) for one in pair for known in chosen):
            chosen += pair
            yield from map(Said, things, pair)


def _speaks(one: Quotable, own: frozenset[str], other: frozenset[str]) -> bool:
    above, told = roots(one.candidate.heading), roots(one.candidate.term)
    if not own or told & (own | other):
        return bool(own) and own <= told and not (other and other <= told)
    said = one.roots - set_beside(one.statement.text)
    return (own <= said or (own <= above and not other <= above)) and not (other and other <= one.roots)


def _worth(
    first: Quotable, other: Quotable, own: Sequence[frozenset[str]], odds: Mapping[int, float], relevance: Relevance
) -> float:
    both = own[0] | own[1]
    common = relevance.likeness(first.roots - both, other.roots - both)
    explain = sum(bool(own[n] & roots(one.candidate.term)) for n, one in enumerate((first, other)))
    return (APART + common) * math.sqrt(odds[first.order] * odds[other.order]) * EXPLAINS**explain
