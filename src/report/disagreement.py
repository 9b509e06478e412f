"""Where sources contradict what the report cites, with both sides in their own words."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from ..evidence import Stated, Statement, contradictions
from ..kernel.source import Citation
from .report import Contradiction, Side, shared
from .source_index import CitedPassage, SourceIndex

MOST = 10
"""Contradictions that a report lists."""

_ITEM = re.compile(r"[ \t>]*(?:[-*+•‣◦▪]|\d{1,4}[.)]|[a-z][.)])[ \t]+(?:\[[ xX]\][ \t]+)?")


class _PlacedStatement(NamedTuple):
    """A statement and the passage that it stands in."""

    passage: CitedPassage
    statement: Statement


def disagreements(index: SourceIndex, citations: Sequence[Citation], primary: Mapping[str, str]) -> list[Contradiction]:
    """Return the statements of other sources that contradict one that the report cites, at most `MOST`.

    `primary` is the id of the source that a source, by its id, is a copy of: copies do not contradict each other. The
    order is that of the index.
    """
    found = list(_statements(index))
    stated = [_stated(one, primary.get(one.passage.source.id, one.passage.source.id)) for one in found]
    conflicts = contradictions(stated, _cited(found, citations))
    return [
        Contradiction(
            subject=conflict.subject,
            first=_side(found[conflict.first]),
            second=_side(found[conflict.second]),
            newer=_newer(found[conflict.first], found[conflict.second]),
        )
        for conflict in conflicts[:MOST]
    ]


def _statements(index: SourceIndex) -> Iterable[_PlacedStatement]:
    """Yield every statement once: passages of one text may overlap."""
    for entry in index.entries:
        seen = set()
        for passage in entry.passages:
            for statement in passage.statements:
                if statement.start not in seen:
                    seen.add(statement.start)
                    yield _PlacedStatement(passage, statement)


def _stated(one: _PlacedStatement, group: str) -> Stated:
    above = f"{one.passage.source.title}\n{one.passage.passage.heading}"
    return Stated(one.statement, group, above, _is_item(one))


def _is_item(one: _PlacedStatement) -> bool:
    text = one.passage.before + one.passage.passage.text
    start = one.statement.start - one.passage.passage.start + len(one.passage.before)
    return bool(_ITEM.match(text, text.rfind("\n", 0, start) + 1, start))


def _cited(found: Sequence[_PlacedStatement], citations: Sequence[Citation]) -> list[int]:
    """Return the places of the statements that the citations quote, or quote a part of."""
    spans: dict[str, set[tuple[int, int]]] = {}
    for citation in citations:
        spans.setdefault(citation.source_id, set()).add((citation.start, citation.end))
    return [
        place
        for place, (passage, statement) in enumerate(found)
        if any(start < statement.end and statement.start < end for start, end in spans.get(passage.source.id, ()))
    ]


def _side(one: _PlacedStatement) -> Side:
    source, statement = one.passage.source, one.statement
    quote = one.passage.verbatim(statement.start, statement.end)
    own = {"source_id": source.id, "start": statement.start, "end": statement.end, "quote": quote}
    return Side(**{**shared(Side, source), **own, "url": source.url if source.kind == "web" else ""})


def _newer(first: _PlacedStatement, second: _PlacedStatement) -> Literal["first", "second", ""]:
    """Say which side was published later, nothing where either has no date."""
    one, other = first.passage.source.published, second.passage.source.published
    if not one or not other or one[: len(other)] == other[: len(one)]:
        return ""
    return "first" if one > other else "second"
