"""Consolidation of the sources of all agents: each page once, the most credible first."""

from collections.abc import Iterable
from typing import Final

from ..kernel.source import Passage, Source
from .credibility import UNKNOWN
from .urls import normalize_url

FILE: Final = 101  # the rank of a local file, above all credibility scores (0 to 100)


def consolidate(sources: Iterable[Source]) -> list[Source]:
    """Return one record for each page or file, the most credible one, sorted by credibility, best first.

    Records with the same normalised address or the same text (`snapshot`) are of the same page. Of equally credible
    records, one with passages takes precedence, then the first; passages of other records of the same text are added to
    it, in the order of the text. Equally credible pages keep the order in which they were found.
    """
    records: list[Source] = []
    position_of: dict[str, int] = {}
    for source in sources:
        keys = _keys(source)
        position = next((position_of[key] for key in keys if key in position_of), len(records))
        if position == len(records):
            records.append(source)
        else:
            records[position] = _better(records[position], source)
        for key in keys:
            position_of.setdefault(key, position)
    return sorted(records, key=lambda source: -credibility(source))


def credibility(source: Source) -> int:
    """Return the credibility of a source for sorting: FILE for a local file, else its score, else UNKNOWN."""
    if source.kind == "file":
        return FILE
    return UNKNOWN if source.credibility_score is None else source.credibility_score


def _keys(source: Source) -> list[str]:
    """Return the keys that identify a source: its address, and a page's text."""
    address = f"{source.kind} {normalize_url(source.url)}"
    return [address, f"text {source.snapshot}"] if source.kind == "web" and source.snapshot else [address]


def _better(known: Source, other: Source) -> Source:
    """Return the better record, with the passages of both if they are of the same text."""
    best, rest = (other, known) if _rank(other) > _rank(known) else (known, other)
    if not best.snapshot or best.snapshot != rest.snapshot:
        return best
    spans: dict[tuple[int, int], Passage] = {
        (passage.start, passage.end): passage for passage in (*rest.passages, *best.passages)
    }
    return best.model_copy(update={"passages": [spans[span] for span in sorted(spans)]})


def _rank(source: Source) -> tuple[int, bool]:
    return credibility(source), bool(source.passages)
