"""The statements that a report has quoted, and the choice of the next ones: good answers that say something new."""

from collections.abc import Mapping, Sequence

from ..evidence import Relevance
from .duplicates import repeats
from .lists import is_introduction
from .quotable import Quotable, contains

TWIN, ALMOST = 0.75, 0.6
"""The least similarity of statements that say the same, and of those that do but for a number, a name or a negation."""

SAMENESS = 0.6
"""The share of its value that a statement loses if it equals a chosen one (the lambda of maximal marginal relevance,
Carbonell and Goldstein, SIGIR 1998)."""


class QuotedSoFar(list[Quotable]):
    """The statements quoted so far, compared with others by the `relevance` of their words."""

    def __init__(self, relevance: Relevance) -> None:
        super().__init__()
        self._relevance = relevance

    def has(self, quote: Quotable) -> bool:
        """Whether a statement says what a quoted one says."""
        return any(self.alike(quote, other) for other in self)

    def alike(self, quote: Quotable, other: Quotable) -> bool:
        """Whether two statements say the same."""
        return self.likeness(quote, other) >= TWIN

    def likeness(self, quote: Quotable, other: Quotable) -> float:
        """Return the similarity of two statements: 0 if they differ in numbers, names or negation and may disagree.

        It is 1 if one contains the other, for instance after a heading on the same line, or if the report would drop
        one because it repeats the other.
        """
        if quote.order == other.order or contains(quote, other) or repeats(quote.statement, other.statement):
            return 1.0
        if quote.statement.decisive != other.statement.decisive:
            return 0.0
        return self._relevance.likeness(quote.roots, other.roots)

    def chosen(
        self,
        fits: Mapping[int, float],
        pool: Sequence[Quotable],
        share: float,
        *,
        most: int | None = None,
        words: int | None = None,
    ) -> list[Quotable]:
        """Choose and quote statements by maximal marginal relevance, until `most` or so many `words` are reached.

        Their odds, `fits` by `order`, are at least `share` of those of the best statement of all sources.
        """
        floor = share * max(fits.values(), default=0.0)
        pool = [quote for quote in pool if not is_introduction(quote)] or list(pool)
        likeness = {quote.order: max((self.likeness(quote, one) for one in self), default=0.0) for quote in pool}
        chosen: list[Quotable] = []
        while most is None or len(chosen) < most:
            values = {
                quote.order: fits[quote.order] * (1 - SAMENESS * likeness[quote.order])
                for quote in pool
                if likeness[quote.order] < TWIN
            }
            best = max(pool, key=lambda quote: values.get(quote.order, 0.0), default=None)
            value = values.get(best.order, 0.0) if best else 0.0
            if best is None or value <= 0 or value < floor or (words is not None and words <= 0):
                break
            chosen.append(best)
            words = None if words is None else words - len(best.statement.text.split())
            for one in pool:
                likeness[one.order] = max(likeness[one.order], self.likeness(one, best))
        self += chosen
        return chosen
