"""Lists of words that the rules of evidence go by: data, a table for each rule in `lexicon.toml`."""

import tomllib
from functools import cache
from importlib.resources import files


@cache
def _tables() -> dict[str, dict[str, str]]:
    return tomllib.loads(files(__package__).joinpath("lexicon.toml").read_text(encoding="utf-8"))


def lexicon(rule: str) -> dict[str, frozenset[str]]:
    """Return the lists of a rule by their names, each word as it is folded."""
    return {name: frozenset(words.split()) for name, words in _tables()[rule].items()}
