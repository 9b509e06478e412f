"""Finds the uncited excerpts of the sources nearest to a question, for a report without a sure answer."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice, takewhile
from typing import Final

from ..evidence import roots
from ..ranking import Ranking
from .quotable import Quotable
from .report import Near

MOST: Final = 3
"""Most excerpts: that of the highest-ranked statement, then those that the search found first. Of 77 questions for
which nothing was found although the texts have an answer, these contain it for 25; those that the search found first
alone for 18, those that rank highest alone for 21."""

ROOM: Final = 250
"""Most characters of an excerpt, unless its first statement alone is longer."""


def nearest(
    question: str, rankings: Iterable[Ranking], candidates: Sequence[Quotable], cited: Collection[str]
) -> list[Near]:
    """Return the excerpts nearest to a question, best first; `cited` are the labels of passages to leave out.

    At most one excerpt is taken from the text below each heading of a source. It begins with the statement that ranks
    highest, or else with the one that has most words of the question; none begins with what another one begins with.
    """
    places: dict[tuple[str, str], Quotable] = {}
    said = set[str]()
    for quote in _in_order(roots(question), rankings, candidates):
        place, text = (quote.entry.id, quote.passage.passage.heading), quote.candidate.said[0]
        if quote.passage.label not in cited and place not in places and text not in said:
            places[place] = quote
            said.add(text)
    return [_near(quote, candidates) for quote in islice(places.values(), MOST)]


def _in_order(words: frozenset[str], rankings: Iterable[Ranking], candidates: Sequence[Quotable]) -> Iterator[Quotable]:
    """Yield the best statement of all rankings, then all statements, by the rank of their passages in the search."""
    best = max((one for ranking in rankings for one in ranking.ranked[:1]), key=lambda one: one.score, default=None)
    if best is not None:
        yield candidates[best.number]
    yield from sorted(candidates, key=lambda quote: (quote.candidate.rank, -len(words & quote.roots)))


def _near(quote: Quotable, candidates: Sequence[Quotable]) -> Near:
    """Return the excerpt of a statement and those after it below its heading in its passage, up to ROOM characters."""
    start = quote.statement.start
    after = candidates[quote.order + 1 :]
    here = takewhile(lambda other: other.passage is quote.passage and other.path == quote.path, after)
    following = takewhile(lambda other: other.statement.end <= start + ROOM, here)
    end = max([quote.statement.end, *(other.statement.end for other in following)])
    number = quote.entry.passages.index(quote.passage)
    return Near(source_id=quote.entry.source.id, passage=number, start=start, end=end)
