"""A statement as it is compared with those of other sources: what it is about, what bounds it, what it counts."""

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
"""Words of a statement that is compared; a longer one says several things."""

_LIGHT = roots(" ".join(_LISTS["light"]))
"""Words that two statements may differ in and still say the same."""

GENERAL = roots(" ".join(_LISTS["general"]))
"""Words that name nothing in particular: statements with no others in common are about different things."""

_OWN = roots(" ".join(_LISTS["own"]))
"""Words of what only holds where it is written: another study has other participants."""

CONDITIONS = _LISTS["conditions"]
"""Qualifiers that say when a statement holds."""

_UNUSABLE = re.compile(
    r"[=<>{}\[\]$\\|@^~_]|\w\(\)|->|::|--\w|\?|://|\.\.\.|…"
    r"|\b(?:this|these|those|above|below|following|latter|former|same|such|we|our|us|i|my|you|your|"
    r"example|e\.g|instance|diese[rsnm]?|folgende\w*|beispiel\w*|wir|unsere?|"
    r"ce|cet|cette|ces|exemple|nous|notre|este|esta|estos|ejemplo|questo|questa|esempio)\b",
    re.IGNORECASE,
)
"""Code, questions, examples, and what leans on the text around it."""

_POINTING = re.compile(r"(?:there|here)\b", re.IGNORECASE)


_facts_above = lru_cache(maxsize=1000)(facts)


@dataclass(frozen=True, eq=False)
class Stated:
    """A statement and where it stands, read when it is first compared: `above` are the title and headings over it.

    `group` is one for all sources that are copies of one another; `is_item` says that it is a part of a list, and so
    leans on what introduces that.
    """

    statement: Statement
    group: str
    above: str = ""
    is_item: bool = False

    @cached_property
    def capitals(self) -> frozenset[str]:
        """The roots of the words in it that are written large, without the first one; names are among them."""
        return roots(
            " ".join(word for word in self.statement.decisive if word[0].isupper() and fold(word) not in MONTHS)
        )

    @cached_property
    def is_usable(self) -> bool:
        """Whether it stands on its own and says something about the world."""
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
        """What can be compared of it."""
        return facts(self.statement.text)

    @cached_property
    def context(self) -> Facts:
        """What can be compared of the title and the headings."""
        return _facts_above(self.above)

    @cached_property
    def heading(self) -> frozenset[str]:
        """The words of the title and the headings that name something."""
        return roots(self.above) - GENERAL - _LIGHT

    @cached_property
    def heavy(self) -> dict[int, frozenset[str]]:
        """The roots of the words that say what it is about, by their places."""
        return {
            place: word.roots - _LIGHT
            for place, word in enumerate(self.words)
            if word.roots - _LIGHT and place not in self.facts.counted
        }

    @cached_property
    def known(self) -> frozenset[str]:
        """The roots of all of it."""
        return frozenset[str]().union(*(word.roots for word in self.words))

    @cached_property
    def about(self) -> frozenset[str]:
        """The roots of all heavy words."""
        return frozenset[str]().union(*self.heavy.values())

    @cached_property
    def qualifiers(self) -> frozenset[str]:
        """What bounds it."""
        said = {word.folded for word in self.words}
        return frozenset(said & _LISTS["qualifiers"]) | ({"can"} if said & {"cannot", "can't"} else set())

    @cached_property
    def is_past(self) -> bool:
        """Whether it tells of what was."""
        return any(word.folded in _LISTS["past"] for word in self.words)

    @cached_property
    def denials(self) -> int:
        """How many words deny something in it."""
        return sum(denies(word.folded) for word in self.words)

    @cached_property
    def labels(self) -> frozenset[str]:
        """The numbers in it that name something: `3.11.2`, and the 15 of `PostgreSQL 15` and `chapter 15`."""
        dated = {place for one in self.facts.dates for place in range(one.first, one.last + 1)}
        return frozenset(
            word.text
            for place, word in enumerate(self.words)
            if word.kind in ("version", "release", "code")
            or (word.kind == "number" and place not in dated and self._is_label(place))
        )

    def _is_label(self, place: int) -> bool:
        before = self.words[place - 1] if place else None
        if before is None or before.kind != "word":
            return False
        return before.folded in _LISTS["labelled"] or (before.text[0].isupper() and not before.opens)

    @cached_property
    def names(self) -> frozenset[str]:
        """The roots of the names in it that are surely names; where every noun has a capital, of all that may be."""
        return roots(
            " ".join(
                token
                for name in self.facts.names.items
                for token, sure in zip(name.tokens, name.sure, strict=True)
                if sure or self.facts.names.nouns
            )
        )

    def missing(self, other: "Stated") -> set[int]:
        """Return the places of heavy words that neither another statement has nor what stands above that."""
        return {place for place, words in self.heavy.items() if not words & (other.known | other.heading)}

    def beyond(self, other: "Stated") -> set[int]:
        """Return the places of heavy words that another statement lacks and that may change what this one says.

        A part of its own, an apposition say, changes nothing, unless it bounds the rest.
        """
        missing = self.missing(other)
        for part in parts(self.words):
            own = {place for place in part if place in self.heavy or place in self.facts.counted}
            is_apart = not own & self.facts.counted if part.start else missing >= own
            opening = [self.words[place] for place in part if self.words[place].kind != "mark"][:1]
            if is_apart and not any(word.folded in _LISTS["restricting"] or opens_clause(word) for word in opening):
                missing -= own
        return missing
