"""The odds that statements answer one question, and which of them serve it."""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from ..answer import Ranking, is_broad, is_topic
from ..evidence import roots
from ..rag.lexical import names_in
from .quotable import Quotable

TEMPERATURE: Final = 3.0
"""By how much the odds of statements are flattened where they stand in the paragraph of the one that answers."""

BROAD_TEMPERATURE: Final = 6.0
"""The same in its source, for a question that wants much."""

ELSEWHERE: Final = 0.5
"""A statement of another paragraph is quoted beside one that answers when its odds are at least this share of its: of
the questions of 24 articles 95 % have the paragraph of the best statement for the one that answers, whole."""

IN_ANOTHER: Final = 0.1
"""The same for another source, which may confirm the answer or contradict it: one in thirty of these questions has such
a statement, though one source alone answers it."""


class Odds:
    """The odds of the statements of a catalogue for a question, by their order; none for one that nothing answers.

    `every` are those beside the best one, whatever they say.
    """

    def __init__(self, question: str, ranking: Ranking, candidates: Sequence[Quotable]) -> None:
        self.asked = question
        self._answered = ranking.verdict == "answered"
        self._question = question.casefold()
        self._candidates = candidates
        found = ranking.ranked if ranking.verdict != "not found" else ()
        self.every = {one.number: math.exp(one.score - found[0].score) for one in found}

    @cached_property
    def serving(self) -> dict[int, float]:
        """The odds of the statements that serve the question.

        What the question names and the best one has, others have, too. They are flatter where they stand beside the
        best one: in its source for a question that wants much, else in its paragraph, and then few others serve. Of a
        bare topic each has to speak. Where it is not sure that the best one answers, they are as flat as they were.
        """
        own = {order: odds for order, odds in self.every.items() if not self._is_of_another(self._candidates[order])}
        if not self._answered:
            return own
        temperature = BROAD_TEMPERATURE if self._broad else TEMPERATURE
        return {
            order: odds ** (1 / temperature if self._is_beside(one) else 1)
            for order, odds in own.items()
            if self._serves(one := self._candidates[order], odds)
        }

    @cached_property
    def _best(self) -> Quotable:
        return self._candidates[max(self.every, key=lambda order: self.every[order])]

    @cached_property
    def _broad(self) -> bool:
        return is_broad(self._question)

    @cached_property
    def _named(self) -> frozenset[str]:
        return roots(" ".join(names_in(self.asked)))

    @cached_property
    def _named_by_best(self) -> frozenset[str]:
        return self._named & (self._best.roots | roots(self._best.candidate.around))

    def _is_beside(self, one: Quotable) -> bool:
        return one.entry is self._best.entry if self._broad else one.paragraph == self._best.paragraph

    def _serves(self, one: Quotable, odds: float) -> bool:
        if is_topic(self._question) and not (one.statement.leans or one.roots & roots(self._question)):
            return False
        least = ELSEWHERE if one.entry is self._best.entry else IN_ANOTHER
        return self._broad or self._is_beside(one) or odds >= least

    def _is_of_another(self, one: Quotable) -> bool:
        """Say whether a statement is about another thing than the one that is named.

        Such are rows without any name of the question that the best one has, and statements of another source that lack
        one of these, themselves and in what stands above them: the limit of another bridge than number 4321.
        """
        best, named = self._best, self._named
        if one.statement.kind == best.statement.kind == "row" and named & best.roots and not named & one.roots:
            return True
        return one.entry is not best.entry and not self._named_by_best <= one.roots | roots(one.candidate.around)
