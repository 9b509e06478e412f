"""Finds the uncited excerpts of the sources nearest to a question, for a report without a sure answer."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import takewhile, zip_longest
from typing import Final

from ..evidence import roots
from ..ranking import Ranking
from .quotable import Quotable, following
from .report import Near

MOST: Final = 3
"""Most excerpts: those of the statements that rank highest, if models have read them and find them nearly as good as
the best; else that of the one that does, then those that the search found first. Of 102 questions of people about
English manuals the former statements are the answer to 66, the latter to 56; of 32 about a German and a Spanish folder
the excerpts have that of 7 and of 3."""

BEFORE, ROOM = 200, 500
"""Characters before the statement of an excerpt within which it begins, if this is no item of a list that has room from
the first text below its heading; and most characters of it, unless a statement alone is longer. Of 46 questions for
which the texts have an answer, excerpts of 330 characters have it for 30; without what is before for 26, and those of
250 for 25. Of 56 others those of 330 have it for 39, of 500 and of 800 for 41."""


def nearest(
    question: str, rankings: Iterable[Ranking], candidates: Sequence[Quotable], cited: Collection[str]
) -> list[Near]:
    """Return the excerpts nearest to a question, best first; `cited` are the labels of passages to leave out.

    At most one excerpt is taken from the text below each heading of a source, around the statement that ranks highest,
    or the one that has most words of the question. No statement is in two of them, nor in one and in a passage that is
    left out, as in another format of a document.
    """
    places: dict[tuple[str, str], list[Quotable]] = {}
    said = {quote.candidate.said[0] for quote in candidates if quote.passage.label in cited}
    for quote in _in_order(roots(question), rankings, candidates):
        place = (quote.entry.id, quote.passage.passage.heading)
        if len(places) < MOST and place not in places and quote.candidate.said[0] not in said:
            places[place] = _excerpt(quote, candidates, said)
            said.update(one.candidate.said[0] for one in places[place])
    return [_near(excerpt) for excerpt in places.values()]


def _in_order(words: frozenset[str], rankings: Iterable[Ranking], candidates: Sequence[Quotable]) -> Iterator[Quotable]:
    """Yield what ranks highest, in turns of the rankings; without `nearest` ones then all, by their passages' ranks."""
    best_first = sorted((one for one in rankings if one.ranked), key=lambda one: -one.ranked[0].score)
    read = [one.nearest for one in best_first if one.nearest]
    in_turns = zip_longest(*(read or [(one.ranked[0].number,) for one in best_first[:1]]))
    yield from (candidates[number] for numbers in in_turns for number in numbers if number is not None)
    if not read:
        yield from sorted(candidates, key=lambda quote: (quote.candidate.rank, -len(words & quote.roots)))


def _excerpt(quote: Quotable, candidates: Sequence[Quotable], said: Collection[str]) -> list[Quotable]:
    """Return a statement and those shortly before and after it, below its heading in its passage, up to one `said`."""

    def continues(other: Quotable) -> bool:
        is_here = other.passage is quote.passage and other.path == quote.path
        return is_here and other.candidate.said[0] not in said

    in_table = quote.is_marked_row or (quote.statement.kind == "row" and quote.passage.passage.columns)
    nearest_first = takewhile(continues, [] if in_table else reversed(candidates[: quote.order]))  # a row stands alone
    above = list(nearest_first)[::-1]
    is_short = quote.begins_item and above and quote.statement.end - above[0].statement.start <= ROOM
    before = [one for one in above if is_short or quote.statement.start - one.statement.start <= BEFORE]
    end = (before or [quote])[0].statement.start + ROOM
    after = takewhile(continues, following(quote, candidates))
    return [*before, quote, *takewhile(lambda one: one.statement.end <= end, after)]


def _near(excerpt: Sequence[Quotable]) -> Near:
    """Return the location of an excerpt."""
    first, end = excerpt[0], max(one.statement.end for one in excerpt)
    number = first.entry.passages.index(first.passage)
    return Near(source_id=first.entry.source.id, passage=number, start=first.statement.start, end=end)
