"""Finds sources of an index that are copies of one another, and the primary source of each group."""

from collections.abc import Iterable, Mapping, Sequence

from ..evidence.independence import originals
from ..kernel.journal import Journal
from ..kernel.source import Source
from .source_index import SourceIndex


def copied(sources: Sequence[Source], texts: Sequence[str]) -> list[list[str]]:
    """Return the groups of sources with the same text as lists of ids, the primary source first. Blocks."""
    groups = originals(sources, texts)
    return [[sources[number].id for number in group] for group in groups if len(group) > 1]


def copied_in(index: SourceIndex, journal: Journal) -> list[list[str]]:
    """Return the groups of copies among an index's sources, by their texts in the journal; see `copied`. Blocks."""
    sources = [entry.source for entry in index.entries]
    return copied(sources, [journal.snapshot(source.snapshot) or "" for source in sources])


def primary_of(copies: Iterable[Sequence[str]]) -> dict[str, str]:
    """Return a mapping from the id of each source in the groups to the id of its primary source."""
    return {source: group[0] for group in copies for source in group}


def counted(sources: Iterable[Source], primary: Mapping[str, str]) -> list[Source]:
    """Return the sources with one source per group of copies: the primary source if it is there, else the first."""
    chosen: dict[str, Source] = {}
    for source in sources:
        group = primary.get(source.id, source.id)
        if group not in chosen or source.id == group:
            chosen[group] = source
    return list(chosen.values())
