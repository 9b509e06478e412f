"""Labels for quoted statements that do not name their own subject: a term, a heading, or the document's title."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import permutations
from typing import Final

from ..evidence import roots
from ..kernel.source import with_date
from ..rag.chunk import HEADINGS
from ..ranking import is_outdated, tells_default
from .odds import is_update
from .quotable import Quotable, preceding

FEW: Final = 3
"""Fewest sources for which a title part that most of them share counts as the name of the site."""

_PARTS: Final = re.compile(r"\s+[-–—|·•]\s+")
"""The separators between the parts of a title, such as the names of the page and of the site."""

_NUMBER: Final = re.compile(r"^\d+(?:\.\d+)*\\?\.?\s+")
"""The number of a heading, as in "3.1. Reports"."""

_SPEAKER: Final = re.compile(
    r"(?:\A|[^\w\s]\s+|\b[a-z]+\s+)I(?=['’]|\s[a-z])|\b(?:[Mm]y|[Ii]ch|[Mm]eine?[mnrs]?|[Yy]o|[Jj]e)\b"
)
"""Words of someone who speaks of himself; not the I of "World War I"."""


class Subjects:
    """Labels for the statements of a source index that name what each is about, such as "Prices: "."""

    def __init__(self, candidates: Sequence[Quotable]) -> None:
        self._candidates = candidates

    def labels(self, chosen: Sequence[Quotable]) -> dict[int, str]:
        """Return the labels of statements by `order`, except below the same heading as the first or previous one."""
        headings = [quote.candidate.term or next(reversed(quote.path), "") for quote in chosen]
        return {
            quote.order: self.label(quote)
            for number, quote in enumerate(chosen)
            if not number or headings[number] not in (headings[0], headings[number - 1])
        }

    def label(self, quote: Quotable, question_roots: frozenset[str] = frozenset()) -> str:
        """Return the term or the nearest heading that says what a statement is about; empty if the statement does.

        It is the nearest one with a word of the question (`question_roots`) that the statement lacks, or the nearest of
        all if the statement depends on a sentence that is not quoted ("This variable specifies which editor is used")
        or is someone's own ("my"). A statement about a default is labelled with what it is the default of ("Defaults
        to 0755."). An option counts as named only if it is there literally.
        """
        explained = self._explained(quote)
        term = explained if not quote.candidate.term or _is_title(quote.candidate.term, quote) else quote.candidate.term
        above = [quote.candidate.term, explained, *reversed(quote.path)]
        headings = (self._own_part(_NUMBER.sub("", heading)) for heading in above if not heading.endswith(("?", "？")))
        is_unnamed = roots(term) - quote.roots or (not term[:1].isalnum() and term not in quote.statement.text)
        lacking = question_roots - quote.roots | (roots(term) if is_unnamed else frozenset())
        if quote.path and tells_default(quote.statement.text):
            lacking |= roots(explained or quote.path[-1]) - quote.roots
        leans = (
            quote.candidate.torn
            or _SPEAKER.search(quote.statement.text) is not None
            or (quote.statement.leans and not preceding(quote, self._candidates))
        )
        fitting = (heading for heading in headings if heading and (leans or roots(heading) & lacking))
        return next((f"{heading.rstrip('=:.')}: " for heading in fitting), "")

    def place(self, quote: Quotable) -> str:
        """Return the location of a statement as a label: the title, nearest heading and date of its document."""
        parts = dict.fromkeys(map(self._own_part, (quote.path[0], quote.path[-1])))
        name = with_date(" › ".join(filter(None, parts)).rstrip("=:."), quote.entry.source.published)
        return f"{name}: " if name else ""

    def of_updates(self, quotes: Sequence[Quotable]) -> dict[int, str]:
        """Return the places with their dates, as labels of the first of each document, if one updates another.

        Or if one is outdated by another, whatever they say: the fee of 2019 below the rule of 2025.
        """
        pairs = [
            (one, other)
            for one, other in permutations(quotes, 2)
            if is_update(one, other) or is_outdated(other.entry.source.published, one.entry.source.published)
        ]
        documents = {one.entry.id for pair in pairs for one in pair}
        first = {one.entry.id: one for one in reversed(quotes) if one.entry.id in documents}
        return {one.order: self.place(one) for one in first.values()}

    def _explained(self, quote: Quotable) -> str:
        """Return the term that an earlier statement of the same paragraph begins to explain, empty if there is none."""
        before = preceding(quote, self._candidates)
        while before is not None and not before.candidate.term:
            before = preceding(before, self._candidates)
        return "" if before is None or _is_title(before.candidate.term, before) else before.candidate.term

    def _own_part(self, heading: str) -> str:
        """Return a heading without the parts that most sources share, such as a site's name in every title."""
        parts = _PARTS.split(heading)
        own = [part for part in parts if self._sources < FEW or self._counts[part] <= self._sources / 2]
        return " – ".join(own) if len(own) < len(parts) else heading

    @cached_property
    def _sources(self) -> int:
        return len({candidate.entry.id for candidate in self._candidates})

    @cached_property
    def _counts(self) -> Counter[str]:
        """The number of sources that have each part in their title or headings."""
        parts = {
            (quote.entry.id, part)
            for quote in self._candidates
            for heading in (
                quote.entry.source.title,
                quote.candidate.heading,
                *quote.passage.passage.heading.split(HEADINGS),
            )
            for part in _PARTS.split(heading)
        }
        return Counter(part for _, part in parts)


def _is_title(term: str, quote: Quotable) -> bool:
    """Whether a supposed term is rather the title of its text, which begins with it."""
    return not quote.passage.passage.start and quote.passage.passage.text.lstrip("#*_` \n").startswith(term)
