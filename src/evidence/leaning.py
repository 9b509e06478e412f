"""Recognizes sentences that depend on the sentence before them."""

import re
from collections.abc import Iterable

from ..kernel.language import FUNCTION_WORDS_OF
from .lexicon import lexicon

_LISTS = lexicon("statement")

LEANING = _LISTS["leaning"]
"""First words of sentences that depend on the sentence before."""

_LEANING_WIDE = tuple(_LISTS["leaning_wide"])


def _any_of(words: Iterable[str]) -> str:
    return rf"(?:{'|'.join(sorted(words))})\b"


def _bare() -> re.Pattern[str]:
    """Return a pattern that matches a demonstrative without a noun."""
    ends = r"(?=\s*(?:[.!?)]|$))"
    patterns = [_any_of(_LISTS["neuters"]), _any_of(_LISTS["endings"]) + ends]
    for code, words in lexicon("pointers").items():
        patterns.append(rf"{_any_of(words)}(?:{ends}|(?=\s+{_any_of(FUNCTION_WORDS_OF[code])}))")
    return re.compile(rf"\b(?:{'|'.join(patterns)})", re.IGNORECASE)


_BARE = _bare()

_WITH_NOUN = re.compile(rf"\b{_any_of(_LISTS['demonstratives'])}\s+(?!{_any_of(_LISTS['no_thing'])})\w", re.IGNORECASE)

_CLAUSE_END = re.compile(r"[,;:](?=\s)")
"""The end of a clause; a demonstrative after the first clause mostly refers to that clause."""

_FIRST_WORD = re.compile(r"\W*(\w+)")


def leans(text: str) -> bool:
    """Whether a sentence depends on the one before it, by its first word or a demonstrative in its first clause.

    A demonstrative with a noun counts only if another clause follows: "If this option is set, …".
    """
    first = _FIRST_WORD.match(text)
    if first is not None and (first[1].casefold() in LEANING or first[1].startswith(_LEANING_WIDE)):
        return True
    clause, *rest = _CLAUSE_END.split(text, maxsplit=1)
    return bool(_BARE.search(clause) or (rest and _WITH_NOUN.search(clause)))
