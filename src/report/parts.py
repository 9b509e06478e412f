"""The parts of a text about just what is asked: what stands below its headings, and what each part begins with."""

from collections.abc import Callable, Sequence

from ..answer import headed
from ..evidence import Relevance
from .lists import is_lead_in
from .quotable import Quotable


def about(
    question: str, good: Sequence[Quotable], candidates: Sequence[Quotable], relevance: Relevance
) -> tuple[tuple[str, ...], list[Quotable]]:
    """Return the path of the text that is headed best by just what is asked, and the sentences of that text.

    Of the texts that the `good` statements stand in, best first; nothing where none of their headings is that.
    """
    paths = [(one, one.path[:depth]) for one in good for depth in range(1, len(one.path) + 1)]
    fits = [headed(path, question, relevance) for _, path in paths]
    if not any(fits):
        return (), []
    best, path = paths[fits.index(max(fits))]
    of = [one for one in candidates if one.entry is best.entry and one.path[: len(path)] == path]
    return path, [one for one in of if one.statement.kind == "sentence"]


def leads(pool: Sequence[Quotable], part: Callable[[Quotable], object]) -> list[Quotable]:
    """Return the first statement of each part that reads on its own, or opens the part."""
    found: dict[object, Quotable] = {}
    for one in pool:
        if not is_lead_in(one) and (one.candidate.opens or not one.statement.leans):
            found.setdefault(part(one), one)
    return list(found.values())
