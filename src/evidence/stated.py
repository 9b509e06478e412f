"""A statement with the properties by which it is compared with others: subject, qualifiers, numbers and names."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ..kernel.term import fold
from .clause import opens_clause, parts
from .date import MONTHS
from .facts import Facts, facts
from .lexicon import denies, lexicon
from .relevance import roots
from .statement import Statement
from .word import Word

_LISTS = lexicon("stated")


LONGEST = 40
"""Most words of a statement that is compared; a longer one has several assertions."""

_LIGHT = roots(" ".join(_LISTS["light"]))
"""Roots in which two statements may differ and still say the same."""

GENERAL = roots(" ".join(_LISTS["general"]))
"""Roots of unspecific words: statements that share only these are about different things."""

_OWN = roots(" ".join(_LISTS["own"]))
"""Roots of words for things that differ between documents: another study has other participants."""

CONDITIONS = _LISTS["conditions"]
"""Qualifiers that say under which condition a statement is true."""

_UNUSABLE = re.compile(
    r"[=<>{}\[\]$\\|@^~_]|\w\(\)|->|::|--\w|\?|://|\.\.\.|…"
    r"|\b(?:this|these|those|above|below|following|latter|former|same|such|we|our|us|i|my|you|your|"
    r"example|e\.g|instance|diese[rsnm]?|folgende\w*|beispiel\w*|wir|unsere?|"
    r"ce|cet|cette|ces|exemple|nous|notre|este|esta|estos|ejemplo|questo|questa|esempio)\b",
    re.IGNORECASE,
)
"""Code, questions, examples, and references to the text around."""

_POINTING = re.compile(r"(?:there|here)\b", re.IGNORECASE)


_facts_above = lru_cache(maxsize=1000)(facts)


@dataclass(frozen=True, eq=False)
class Stated:
    """A statement and its context, parsed when first compared: `above` are the title and the headings over it.

    Sources that are copies of one another have the same `group`. `is_item` marks an item of a list, which depends on
    the sentence that introduces the list.
    """

    statement: Statement
    group: str
    above: str = ""
    is_item: bool = False

    @cached_property
    def capitals(self) -> frozenset[str]:
        """The roots of its capitalized words, names among them, except the first word."""
        return roots(
            " ".join(word for word in self.statement.decisive if word[0].isupper() and fold(word) not in MONTHS)
        )

    @cached_property
    def is_usable(self) -> bool:
        """Whether it can be understood alone, is about the world, and has at most LONGEST words."""
        text = self.statement.text
        whole = f"{text} {self.above}"
        leans = self.statement.leans or _UNUSABLE.search(text) or _POINTING.match(text)
        return not (leans or roots(whole) & _OWN) and len(self.words) <= LONGEST

    @property
    def words(self) -> tuple[Word, ...]:
        """Its words."""
        return self.facts.words

    @cached_property
    def facts(self) -> Facts:
        """Its facts that can be compared."""
        return facts(self.statement.text)

    @cached_property
    def context(self) -> Facts:
        """The facts of the title and the headings."""
        return _facts_above(self.above)

    @cached_property
    def heading(self) -> frozenset[str]:
        """The words of the title and the headings that name something."""
        return roots(self.above) - GENERAL - _LIGHT

    @cached_property
    def heavy(self) -> dict[int, frozenset[str]]:
        """The roots of the words that name its subject, by index."""
        return {
            index: word.roots - _LIGHT
            for index, word in enumerate(self.words)
            if word.roots - _LIGHT and index not in self.facts.counted
        }

    @cached_property
    def all_roots(self) -> frozenset[str]:
        """The roots of all its words."""
        return frozenset[str]().union(*(word.roots for word in self.words))

    @cached_property
    def about(self) -> frozenset[str]:
        """The roots of all words in `heavy`."""
        return frozenset[str]().union(*self.heavy.values())

    @cached_property
    def qualifiers(self) -> frozenset[str]:
        """The words that limit when or for what it is true."""
        folded = {word.folded for word in self.words}
        return frozenset(folded & _LISTS["qualifiers"]) | ({"can"} if folded & {"cannot", "can't"} else set())

    @cached_property
    def is_past(self) -> bool:
        """Whether it is about the past."""
        return any(word.folded in _LISTS["past"] for word in self.words)

    @cached_property
    def denials(self) -> int:
        """The number of its negators."""
        return sum(denies(word.folded) for word in self.words)

    @cached_property
    def labels(self) -> frozenset[str]:
        """The numbers in it that name something: `3.11.2`, and the 15 of `PostgreSQL 15` and `chapter 15`."""
        dated = {index for date in self.facts.dates for index in range(date.first, date.last + 1)}
        return frozenset(
            word.text
            for index, word in enumerate(self.words)
            if word.kind in ("version", "release", "code")
            or (word.kind == "number" and index not in dated and self._is_label(index))
        )

    def _is_label(self, index: int) -> bool:
        before = self.words[index - 1] if index else None
        if before is None or before.kind != "word":
            return False
        return before.folded in _LISTS["labelled"] or (before.text[0].isupper() and not before.opens)

    @cached_property
    def names(self) -> frozenset[str]:
        """The roots of its certain names; if its language capitalizes nouns, also of the uncertain ones."""
        return roots(
            " ".join(
                token
                for name in self.facts.names.items
                for token, sure in zip(name.tokens, name.sure, strict=True)
                if sure or self.facts.names.nouns
            )
        )

    def missing(self, other: "Stated") -> set[int]:
        """Return the indexes of the words in `heavy` that another statement, its title and its headings lack."""
        return {index for index, word_roots in self.heavy.items() if not word_roots & (other.all_roots | other.heading)}

    def beyond(self, other: "Stated") -> set[int]:
        """Return the indexes in `missing` of words that may change the meaning.

        A separate part, such as an apposition, does not change the meaning, unless it limits the rest.
        """
        missing = self.missing(other)
        for part in parts(self.words):
            part_words = {index for index in part if index in self.heavy or index in self.facts.counted}
            is_apart = not part_words & self.facts.counted if part.start else missing >= part_words
            opening = [self.words[index] for index in part if self.words[index].kind != "mark"][:1]
            if is_apart and not any(word.folded in _LISTS["restricting"] or opens_clause(word) for word in opening):
                missing -= part_words
        return missing
