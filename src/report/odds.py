"""The odds that statements answer one question, and which of them serve it."""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from ..answer import Ranking, is_broad
from ..evidence import roots
from ..rag.lexical import names_in
from .quotable import Quotable

SAME_SOURCE: Final = 0.5
"""A statement of another paragraph is quoted beside one that answers when its odds are at least this share of its: of
the questions of 24 articles 95 % have the paragraph of the best statement for the one that answers, whole."""

OTHER_SOURCE: Final = 0.1
"""The same for another source, which may confirm the answer or contradict it: one in thirty of these questions has such
a statement, though one source alone answers it."""


class Odds:
    """The odds of statements for a question, by their order, relative to the best; none where nothing answers it.

    `every` are the odds of all ranked statements, `serving` of those that may be quoted.
    """

    def __init__(self, question: str, ranking: Ranking, candidates: Sequence[Quotable]) -> None:
        self.question = question
        self._answered = ranking.verdict == "answered"
        self._candidates = candidates
        ranked = ranking.ranked if ranking.verdict != "not found" else ()
        self.every = {candidate.number: math.exp(candidate.score - ranked[0].score) for candidate in ranked}

    @cached_property
    def serving(self) -> dict[int, float]:
        """The odds of the statements about what the question names.

        Where the best one answers, others serve that are of its paragraph or nearly as good, all where much is wanted.
        """
        quotes = {order: self._candidates[order] for order in self.every}
        return {
            order: self.every[order]
            for order, quote in quotes.items()
            if self._is_on_the_same(quote) and (not self._answered or self._serves(quote, self.every[order]))
        }

    @cached_property
    def _best(self) -> Quotable:
        return self._candidates[max(self.every, key=lambda order: self.every[order])]

    @cached_property
    def _is_broad(self) -> bool:
        return is_broad(self.question.casefold())

    @cached_property
    def _names(self) -> frozenset[str]:
        return roots(" ".join(names_in(self.question)))

    @cached_property
    def _names_of_best(self) -> frozenset[str]:
        """The names of the question that the best statement has, itself or in its headings."""
        return self._names & (self._best.roots | roots(self._best.candidate.around))

    def _serves(self, quote: Quotable, odds: float) -> bool:
        if self._is_broad or quote.paragraph == self._best.paragraph:
            return True
        return odds >= (SAME_SOURCE if quote.entry is self._best.entry else OTHER_SOURCE)

    def _is_on_the_same(self, quote: Quotable) -> bool:
        """Whether a statement is about the thing that the question names and the best one is about.

        A row without any name of the question that the best row has is about another thing, and so is a statement of
        another source that lacks one of these, itself and in its headings: the limit of another bridge than 4321.
        """
        best, names = self._best, self._names
        are_rows = quote.statement.kind == best.statement.kind == "row"
        if are_rows and names & best.roots and not names & quote.roots:
            return False
        return quote.entry is best.entry or self._names_of_best <= quote.roots | roots(quote.candidate.around)
