"""Which sources of an index are copies of one another, and which of them counts."""

from collections.abc import Iterable, Mapping, Sequence

from ..evidence.independence import originals
from ..kernel.journal import Journal
from ..kernel.source import Source
from .source_index import SourceIndex

Primaries = Mapping[str, str]
"""The id of the primary source of each source that has copies, by the source's id."""


def copied(sources: Sequence[Source], texts: Sequence[str]) -> list[list[str]]:
    """Return the groups of sources that have one text, by their ids, the primary one first; it blocks."""
    groups = originals(sources, texts)
    return [[sources[place].id for place in group] for group in groups if len(group) > 1]


def primaries(index: SourceIndex, journal: Journal) -> Primaries:
    """Return the primary source of each source that has copies, by their texts in the journal. It blocks."""
    sources = [entry.source for entry in index.entries]
    return primary_of(copied(sources, [journal.snapshot(source.snapshot) or "" for source in sources]))


def primary_of(copies: Iterable[Sequence[str]]) -> Primaries:
    """Return the primary source of each source in groups of copies."""
    return {source: group[0] for group in copies for source in group}


def grouped(primary: Primaries) -> list[list[str]]:
    """Return the groups that `primary_of` was made from."""
    groups: dict[str, list[str]] = {}
    for source, first in primary.items():
        groups.setdefault(first, []).append(source)
    return list(groups.values())


def counted(sources: Iterable[Source], primary: Primaries) -> list[Source]:
    """Return the sources with only the first of each group, the primary one where it is among them."""
    chosen: dict[str, Source] = {}
    for source in sources:
        group = primary.get(source.id, source.id)
        if group not in chosen or source.id == group:
            chosen[group] = source
    return list(chosen.values())
