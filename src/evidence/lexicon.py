"""The words that the rules of evidence go by: data, in tables of `lexicon.toml`."""

import tomllib
from functools import cache
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
