"""The places that come nearest to a question, for a report that is not sure of an answer, or has none."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice, takewhile
from typing import Final

from ..answer import Ranking
from ..evidence import roots
from .quotable import Quotable
from .report import Near

MOST: Final = 3
"""Places that are named: that of the statement that ranks highest, then those that the search found first. Of 77
questions for which nothing was found though the texts have an answer, 25 have it there; with those alone that the
search found first 18, with those that rank highest 21."""

ROOM: Final = 250
"""Characters of a place that are shown, unless its first statement alone is longer."""


def nearest(
    question: str, rankings: Iterable[Ranking], candidates: Sequence[Quotable], cited: Collection[str]
) -> list[Near]:
    """Return the places that come nearest to a question, without the passages that are `cited`, by their labels.

    A place is what stands below one heading of a source. It is shown from the statement that ranks highest, or else
    from the one with most words of the question.
    """
    places: dict[tuple[str, str], Quotable] = {}
    for quote in _in_order(roots(question), rankings, candidates):
        if quote.passage.label not in cited:
            places.setdefault((quote.entry.id, quote.passage.passage.heading), quote)
    return [_near(quote, candidates) for quote in islice(places.values(), MOST)]


def _in_order(words: frozenset[str], rankings: Iterable[Ranking], candidates: Sequence[Quotable]) -> Iterator[Quotable]:
    """Yield the best statement of all rankings, then the statements of each passage, in the order of the search."""
    best = max((one for ranking in rankings for one in ranking.ranked[:1]), key=lambda one: one.score, default=None)
    if best is not None:
        yield candidates[best.number]
    yield from sorted(candidates, key=lambda quote: (quote.candidate.rank, -len(words & quote.roots)))


def _near(quote: Quotable, candidates: Sequence[Quotable]) -> Near:
    """Return a statement and those behind it in its passage, as long as there is room."""
    start = quote.statement.start
    following = takewhile(
        lambda other: other.passage is quote.passage and other.statement.end <= start + ROOM,
        candidates[quote.order + 1 :],
    )
    end = max([quote.statement.end, *(other.statement.end for other in following)])
    number = quote.entry.passages.index(quote.passage)
    return Near(source_id=quote.entry.source.id, passage=number, start=start, end=end)
