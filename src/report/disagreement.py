"""Finds where other sources contradict the report's citations, with both sides verbatim."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from ..evidence import Stated, Statement, contradictions
from ..kernel.source import Citation, is_later
from .report import Contradiction, Side, shared
from .source_index import ITEM, CitedPassage, SourceIndex

MOST = 10
"""Most contradictions in a report."""


class _PlacedStatement(NamedTuple):
    """A statement and its passage."""

    passage: CitedPassage
    statement: Statement


def disagreements(index: SourceIndex, citations: Sequence[Citation], primary: Mapping[str, str]) -> list[Contradiction]:
    """Return pairs of a cited statement and a statement of another source that contradicts it, at most `MOST`.

    `primary` maps the id of a copy to that of its primary source: copies do not contradict each other. The pairs are in
    the order of the index.
    """
    placed = list(_statements(index))
    stated = [_stated(statement, primary) for statement in placed]
    conflicts = contradictions(stated, _cited(placed, citations))
    return [
        Contradiction(
            subject=conflict.subject,
            first=_side(placed[conflict.first]),
            second=_side(placed[conflict.second]),
            newer=_newer(placed[conflict.first], placed[conflict.second]),
        )
        for conflict in conflicts[:MOST]
    ]


def _statements(index: SourceIndex) -> Iterable[_PlacedStatement]:
    """Yield every statement once, since the passages of a source may overlap."""
    for entry in index.entries:
        starts = set()
        for passage in entry.passages:
            for statement in passage.statements:
                if statement.start not in starts:
                    starts.add(statement.start)
                    yield _PlacedStatement(passage, statement)


def _stated(placed: _PlacedStatement, primary: Mapping[str, str]) -> Stated:
    source = placed.passage.source
    above = f"{source.title}\n{placed.passage.passage.heading}"
    is_item = ITEM.match(placed.passage.before_in_line(placed.statement.start)) is not None
    return Stated(placed.statement, primary.get(source.id, source.id), above, is_item)


def _cited(placed: Sequence[_PlacedStatement], citations: Sequence[Citation]) -> list[int]:
    """Return the indices of the statements that the citations quote, in whole or in part."""
    spans: dict[str, set[tuple[int, int]]] = {}
    for citation in citations:
        spans.setdefault(citation.source_id, set()).add((citation.start, citation.end))
    return [
        number
        for number, (passage, statement) in enumerate(placed)
        if any(start < statement.end and statement.start < end for start, end in spans.get(passage.source.id, ()))
    ]


def _side(placed: _PlacedStatement) -> Side:
    source, statement = placed.passage.source, placed.statement
    quote = placed.passage.verbatim(statement.start, statement.end)
    span = {"source_id": source.id, "start": statement.start, "end": statement.end, "quote": quote}
    return Side(**{**shared(Side, source), **span, "url": source.url if source.kind == "web" else ""})


def _newer(first: _PlacedStatement, second: _PlacedStatement) -> Literal["first", "second", ""]:
    """Return which side was published later, "" if a date is missing or one date is a prefix of the other."""
    date, other = first.passage.source.published, second.passage.source.published
    if is_later(date, other):
        return "first"
    return "second" if is_later(other, date) else ""
