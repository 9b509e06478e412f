"""What a quoted statement is said of, where it lacks that: a term, a heading, its document, a version."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from ..answer import tells_default
from ..evidence import roots
from ..rag.chunk import HEADINGS
from .quotable import Quotable, preceding

FEW: Final = 3
"""Sources from which on it can be told what all of them are headed by."""

_PARTS: Final = re.compile(r"\s+[-–—|·•]\s+")
"""What stands between the parts of a title: the page's own, and the site's."""

_NUMBER: Final = re.compile(r"^\d+(?:\.\d+)*\\?\.?\s+")
"""The number of a heading: "3.1. Reports"."""


class Subjects:
    """Says what statements of a catalogue are said of, as a label that is set before each, such as "Prices: "."""

    def __init__(self, candidates: Sequence[Quotable]) -> None:
        self._candidates = candidates

    def labels(self, chosen: Sequence[Quotable]) -> dict[int, str]:
        """Return the labels of statements by their order, but for those that are of the same as one before them."""
        names = [one.candidate.term or next(reversed(one.path), "") for one in chosen]
        return {
            one.order: self.label(one)
            for place, one in enumerate(chosen)
            if not place or names[place] not in (names[0], names[place - 1])
        }

    def label(self, one: Quotable, asked: frozenset[str] = frozenset()) -> str:
        """Return what a statement is said of where it lacks that: its term, or the nearest heading, the title last.

        A heading is said that has a word of the question which the statement lacks, or below which it leans on a
        sentence that is not there: "This variable specifies which editor is used". The last one is said, too, where it
        tells what holds by default: "Defaults to 0755." An option is to be written as it is.
        """
        term, explained = "" if _is_title(one.candidate.term, one) else one.candidate.term, self._explained(one)
        above = [one.candidate.term, explained, *reversed(one.path)]
        own = (self._own_part(_NUMBER.sub("", heading)) for heading in above if not heading.endswith(("?", "？")))
        is_unnamed = roots(term) - one.roots or (not term[:1].isalnum() and term not in one.statement.text)
        lacking = asked - one.roots | (roots(term) if is_unnamed else frozenset())
        if one.path and tells_default(one.statement.text):
            lacking |= roots(explained or one.path[-1]) - one.roots
        leans = one.candidate.torn or (one.statement.leans and not preceding(one, self._candidates))
        return next((f"{told.rstrip('=:.')}: " for told in own if told and (leans or roots(told) & lacking)), "")

    def place(self, one: Quotable) -> str:
        """Return where a statement stands: the title of its document, and the heading just above it."""
        parts = dict.fromkeys(map(self._own_part, (one.path[0], one.path[-1])))
        return f"{' › '.join(filter(None, parts)).rstrip('=:.')}: "

    def _explained(self, one: Quotable) -> str:
        """Return the term that the paragraph of a statement explains, where that begins before it."""
        above = preceding(one, self._candidates)
        while above is not None and not above.candidate.term:
            above = preceding(above, self._candidates)
        return "" if above is None or _is_title(above.candidate.term, above) else above.candidate.term

    def _own_part(self, heading: str) -> str:
        """Return a heading without those parts that most sources have in theirs, as a site's name in every title."""
        every = _PARTS.split(heading)
        parts = [part for part in every if self._sources < FEW or self._named[part] <= self._sources / 2]
        return " – ".join(parts) if len(parts) < len(every) else heading

    @cached_property
    def _sources(self) -> int:
        return len({one.entry.id for one in self._candidates})

    @cached_property
    def _named(self) -> Counter[str]:
        """How many sources have each part of a title or heading in theirs."""
        found = {
            (one.entry.id, part)
            for one in self._candidates
            for heading in (one.entry.source.title, one.candidate.heading, *one.passage.passage.heading.split(HEADINGS))
            for part in _PARTS.split(heading)
        }
        return Counter(part for _, part in found)


def _is_title(term: str, one: Quotable) -> bool:
    """Say whether what seems to be a term is what its text begins with, as a title does."""
    return not one.passage.passage.start and one.passage.passage.text.lstrip("#*_` \n").startswith(term)
