"""The words that the rules of evidence use, and which of them are synonyms or opposites: data."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def data(name: str) -> dict[str, Any]:
    """Return what a TOML file of this folder holds."""
    return tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))


def table(name: str) -> dict[str, Any]:
    """Return a table as it is written: lists of words are strings, a space between."""
    return dict(data("lexicon.toml")[name])


def lexicon(name: str) -> dict[str, frozenset[str]]:
    """Return the lists of words of a table by their names, each word as it is folded."""
    return {key: frozenset(words.split()) for key, words in table(name).items()}


def labels(name: str) -> dict[str, str]:
    """Return the words of a table, each with the name of the list that it is in."""
    return {word: key for key, words in table(name).items() for word in words.split()}


def vocabulary(words: str) -> frozenset[str]:
    """Return the words of a string: a short list at its place of use."""
    return frozenset(words.split())


NEGATORS = frozenset[str]().union(*lexicon("negators").values())
"""Words that deny, folded, of all languages."""

_DENYING = NEGATORS | lexicon("denial")["lacking"]


def denies(word: str) -> bool:
    """Whether a folded word turns the words beside it into their opposite: `not`, `isn't`, `without`."""
    return word in _DENYING or word.endswith(("n't", "n’t"))


GRAMMAR = lexicon("alike")["grammar"]
"""Function words of a sentence, folded: hedges, conjunctions, auxiliaries and pronouns."""


_ALIKE: dict[str, frozenset[str]] = {}
for _line in map(vocabulary, table("synonyms")["groups"].strip().splitlines()):
    _ALIKE |= {word: _ALIKE.get(word, frozenset()) | _line for word in _line}


def synonyms(word: str) -> frozenset[str]:
    """Return the folded synonyms of a word; none for an unknown word."""
    return _ALIKE.get(word, frozenset())
