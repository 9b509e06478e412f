"""Words of which only one can hold: `rise` and `fall`, `north` and `south`, `spring` and `summer`."""

from collections.abc import Iterable
from functools import lru_cache

from .alike import others
from .lexicon import table

PARTICLES = (("on", "off"), ("in", "out"), ("with", "without"), ("up", "down"), ("for", "against"),
           ("into", "out of"))  # fmt: skip
"""Small words of which one between the same words as the other says the opposite; elsewhere they say nothing."""

_KNOWN: dict[str, tuple[tuple[int, int], ...]] = {}
for _number, _members in enumerate(table("direction")["sets"]):
    for _side, _listed in enumerate(_members):
        for _word in _listed.split():
            _KNOWN[_word] = (*_KNOWN.get(_word, ()), (_number, _side))

Pull = tuple[int, int, str]
"""The set that a word belongs to, its place there, and the word."""


def pulls(folded: Iterable[str]) -> tuple[Pull, ...]:
    """Return the directions that some folded words name, in order."""
    return tuple((pair, side, word) for word in folded for pair, side in _named(word))


@lru_cache(maxsize=20_000)
def _named(word: str) -> tuple[tuple[int, int], ...]:
    """Return the sides that a word is on; one that is in no set is where all that may stand for it are."""
    if word in _KNOWN:
        return _KNOWN[word]
    sides: dict[int, set[int]] = {}
    for other in others(word):
        for pair, side in _KNOWN.get(other, ()):
            sides.setdefault(pair, set()).add(side)
    return tuple((pair, min(found)) for pair, found in sides.items() if len(found) == 1)


def opposites(one: Iterable[Pull], other: Iterable[Pull]) -> list[tuple[str, str]]:
    """Return the words that name opposite directions; a set of which one text names several says nothing."""
    mine, theirs = _sides(one), _sides(other)
    return [
        (mine[pair][0][1], theirs[pair][0][1])
        for pair in mine
        if pair in theirs and len(mine[pair]) == len(theirs[pair]) == 1 and mine[pair][0][0] != theirs[pair][0][0]
    ]


def _sides(found: Iterable[Pull]) -> dict[int, list[tuple[int, str]]]:
    sides: dict[int, list[tuple[int, str]]] = {}
    for pair, side, word in found:
        listed = sides.setdefault(pair, [])
        if side not in [known for known, _ in listed]:
            listed.append((side, word))
    return sides
