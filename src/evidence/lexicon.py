"""The words that the rules of evidence go by, and which of them say the same or the opposite: data."""

import tomllib
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any


@cache
def _tables() -> dict[str, dict[str, Any]]:
    return tomllib.loads(files(__package__).joinpath("lexicon.toml").read_text(encoding="utf-8"))


def table(name: str) -> dict[str, Any]:
    """Return a table as it is written: lists of words are strings, a space between."""
    return _tables()[name]


def lexicon(name: str) -> dict[str, frozenset[str]]:
    """Return the lists of words of a table by their names, each word as it is folded."""
    return {key: frozenset(words.split()) for key, words in table(name).items()}


def labels(name: str) -> dict[str, str]:
    """Return the words of a table, each with the name of the list that it is in."""
    return {word: key for key, words in table(name).items() for word in words.split()}


def vocabulary(words: str) -> frozenset[str]:
    """Return the words of a string: of a short list that stands where it is used."""
    return frozenset(words.split())


NEGATORS = frozenset[str]().union(*lexicon("negators").values())
"""Words that deny, folded, of all languages."""

_DENYING = NEGATORS | lexicon("denial")["lacking"]


def denies(word: str) -> bool:
    """Say whether a folded word turns what it stands by into its opposite: `not`, `isn't`, `without`."""
    return word in _DENYING or word.endswith(("n't", "n’t"))


GRAMMAR = lexicon("alike")["grammar"]
"""Words that say how a sentence is put, folded: what hedges, joins, helps a verb or stands for a noun."""


def lines(name: str) -> list[str]:
    """Return the lines of a file of words, without its comments and empty lines."""
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


_GROUPS: dict[str, set[int]] = {}
for _number, _line in enumerate(lines("alike.txt")):
    for _word in _line.split():
        _GROUPS.setdefault(_word, set()).add(_number)
_NONE: set[int] = set()


def alike(one: str, other: str) -> bool:
    """Say whether two folded words may stand for one another."""
    return not _GROUPS.get(one, _NONE).isdisjoint(_GROUPS.get(other, _NONE))


PARTICLES = (("on", "off"), ("in", "out"), ("with", "without"), ("up", "down"), ("for", "against"),
           ("into", "out of"), ("ein", "aus"), ("an", "aus"))  # fmt: skip
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
    for other in _KNOWN:
        for pair, side in _KNOWN[other] if alike(word, other) else ():
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
