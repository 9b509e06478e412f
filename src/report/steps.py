"""How something is done, as a source tells it: the numbered list that a statement is of."""

from collections.abc import Iterator, Sequence
from itertools import accumulate

from .quotable import Quotable

FEWEST, MOST = 2, 15
"""Items of a list of steps; of a longer one the first are shown."""


def steps_with(best: Quotable, candidates: Sequence[Quotable]) -> list[list[Quotable]]:
    """Return the items of the numbered list that a statement is of, each as its statements; none where it is of none.

    Candidates are those of all sources, in order.
    """
    passage = best.passage.passage
    own = [one for one in candidates if one.passage.label == best.passage.label]
    for items in _numbered(passage.text):
        spans = [range(passage.start + first, passage.start + last) for first, last in items]
        if len(spans) >= FEWEST and any(best.statement.start in span for span in spans):
            return [item for span in spans[:MOST] if (item := [one for one in own if one.statement.start in span])]
    return []


def _numbered(text: str) -> Iterator[list[tuple[int, int]]]:
    """Yield the numbered lists of a Markdown text that are in no other list: where each of their items lies."""
    from markdown_it import MarkdownIt

    lines = [0, *accumulate(map(len, text.splitlines(keepends=True)))]
    items: list[tuple[int, int]] = []
    for token in MarkdownIt("commonmark").parse(text):
        if token.type == "ordered_list_open" and token.level == 0:
            items = []
        elif token.type == "list_item_open" and token.level == 1 and token.map:
            items.append((lines[token.map[0]], lines[token.map[1]]))
        elif token.type == "ordered_list_close" and token.level == 0:
            yield items
