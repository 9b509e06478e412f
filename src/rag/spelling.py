"""Spelling: the words of a query as the files spell them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from simplemma.strategies import DictionaryLookupStrategy
from simplemma.strategies.dictionaries import LOW_MEMORY_DICTIONARY_FACTORY

from ..kernel.language import language_of
from ..kernel.term import misspelt, terms
from .index import TextIndex
from .lexical import MOST_WORDS, frequencies
from .stems import stem_of

PUNCTUATION = "\"'“”‘’„«»()[]{}¿¡.,;:?!…"  # characters that may surround a word of a query


@dataclass(frozen=True, slots=True)
class Respelling:
    """A word of a query that no file contains, and the word that is searched instead."""

    word: str
    instead: str
    is_mended: bool
    """Whether the word is misspelt; else it has another ending in the files."""


def respellings(indexes: Sequence[TextIndex], query: str) -> list[Respelling]:
    """Return how the words of a query that no chunk contains are spelt there: as the most frequent similar word.

    A word that the dictionary of the query's language has is not misspelt: it is searched with another ending
    ("verliere", "verliert"), never as another word ("gewählt", "gezahlt"). Words without a similar one are left out, as
    are words after the first MOST_WORDS. Blocks.
    """
    single = {word: word_terms[0] for word in query.split()[:MOST_WORDS] if len(word_terms := terms(word)) == 1}
    occurs = frequencies(indexes, list(dict.fromkeys(single.values())), 1)
    language = language_of(query) or ""
    missing = {written.strip(PUNCTUATION): stem_of(term) for written, term in single.items() if not occurs[term]}
    found = []
    for word, stem in missing.items():
        vocabulary = Counter[str]()
        for index in indexes:
            vocabulary.update(index.vocabulary(stem[0]))
        similar = misspelt(stem, vocabulary)
        is_mended = bool(similar) and not _is_known(word, language)
        meant = [other for other in similar if is_mended or _differs_in_ending(stem, other)]
        best = max(meant, key=lambda other: vocabulary[other], default="")
        spelling = next(filter(None, (index.spelling(best) for index in indexes)), "") if best else ""
        if spelling:
            found.append(Respelling(word, spelling.capitalize() if word.istitle() else spelling, is_mended))
    return found


def _differs_in_ending(stem: str, other: str) -> bool:
    kept = min(len(stem), len(other)) - 1
    return stem[:kept] == other[:kept]


def _is_known(word: str, language: str) -> bool:
    """Return whether the dictionary of a language has a word; False without one.

    The first word of a language takes .1 to .7 s of CPU time, and 20 MB are kept.
    """
    try:
        return _dictionary().get_lemma(word, language) is not None
    except ValueError:  # a language without a dictionary
        return False


@cache
def _dictionary() -> DictionaryLookupStrategy:
    return DictionaryLookupStrategy(LOW_MEMORY_DICTIONARY_FACTORY)
