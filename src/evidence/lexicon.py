"""Loads the word lists of the rules, their synonyms and their opposites, from lexicon.toml."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def data(name: str) -> dict[str, Any]:
    """Return the content of a TOML file of this package."""
    return tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))


def table(name: str) -> dict[str, Any]:
    """Return a table of lexicon.toml unparsed: a word list is a string, separated by spaces."""
    return dict(data("lexicon.toml")[name])


def lexicon(name: str) -> dict[str, frozenset[str]]:
    """Return the word lists of a table by name."""
    return {key: frozenset(words.split()) for key, words in table(name).items()}


def labels(name: str) -> dict[str, str]:
    """Return a map from each word of a table to the name of its list."""
    return {word: key for key, words in table(name).items() for word in words.split()}


def vocabulary(words: str) -> frozenset[str]:
    """Return the words of a string, for a short list in the code."""
    return frozenset(words.split())


NEGATORS = frozenset[str]().union(*lexicon("negators").values())
"""Words that negate, folded, of all languages."""

_DENYING = NEGATORS | lexicon("denial")["lacking"]


def denies(word: str) -> bool:
    """Whether a folded word is a negator: `not`, `isn't`, `without`."""
    return word in _DENYING or word.endswith(("n't", "n’t"))


GRAMMAR = lexicon("grammar_words")["grammar"]
"""Function words of a sentence, folded: hedges, conjunctions, auxiliaries and pronouns."""


_ALIKE: dict[str, frozenset[str]] = {}
for _line in map(vocabulary, table("synonyms")["groups"].strip().splitlines()):
    _ALIKE |= {word: _ALIKE.get(word, frozenset()) | _line for word in _line}


def synonyms(word: str) -> frozenset[str]:
    """Return the folded synonyms of a word; none for an unknown word."""
    return _ALIKE.get(word, frozenset())
