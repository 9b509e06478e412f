"""Finds the uncited excerpts of the sources nearest to a question, for a report without a sure answer."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Final

from ..evidence import roots
from ..ranking import Ranking
from .quotable import Quotable, following
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
    highest, or else with the one that has most words of the question. No statement is in two of them, nor in one and in
    a passage that is left out, as in another format of a document.
    """
    places: dict[tuple[str, str], list[Quotable]] = {}
    said = {quote.candidate.said[0] for quote in candidates if quote.passage.label in cited}
    for quote in _in_order(roots(question), rankings, candidates):
        place = (quote.entry.id, quote.passage.passage.heading)
        if len(places) < MOST and place not in places and quote.candidate.said[0] not in said:
            places[place] = list(takewhile(lambda one: one.candidate.said[0] not in said, _excerpt(quote, candidates)))
            said.update(one.candidate.said[0] for one in places[place])
    return [_near(excerpt) for excerpt in places.values()]


def _in_order(words: frozenset[str], rankings: Iterable[Ranking], candidates: Sequence[Quotable]) -> Iterator[Quotable]:
    """Yield the best statement of all rankings, then all statements, by the rank of their passages in the search."""
    best = max((one for ranking in rankings for one in ranking.ranked[:1]), key=lambda one: one.score, default=None)
    if best is not None:
        yield candidates[best.number]
    yield from sorted(candidates, key=lambda quote: (quote.candidate.rank, -len(words & quote.roots)))


def _excerpt(quote: Quotable, candidates: Sequence[Quotable]) -> list[Quotable]:
    """Return a statement and those after it below its heading in its passage, up to ROOM characters."""
    here = takewhile(lambda other: other.passage is quote.passage, following(quote, candidates))
    return [quote, *takewhile(lambda other: other.statement.end <= quote.statement.start + ROOM, here)]


def _near(excerpt: Sequence[Quotable]) -> Near:
    """Return the location of an excerpt."""
    first, end = excerpt[0], max(one.statement.end for one in excerpt)
    number = first.entry.passages.index(first.passage)
    return Near(source_id=first.entry.source.id, passage=number, start=first.statement.start, end=end)
