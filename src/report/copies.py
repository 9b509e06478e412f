"""Which sources of an index are copies of one another, and which of them counts."""

from collections.abc import Iterable, Mapping, Sequence

from ..evidence.independence import originals
from ..kernel.journal import Journal
from ..kernel.source import Source
from .source_index import SourceIndex


def copied(sources: Sequence[Source], texts: Sequence[str]) -> list[list[str]]:
    """Return the groups of sources that have one text, by their ids, the primary one first; it blocks."""
    groups = originals(sources, texts)
    return [[sources[place].id for place in group] for group in groups if len(group) > 1]


def copied_in(index: SourceIndex, journal: Journal) -> list[list[str]]:
    """Return the groups of an index's sources, by their texts in the journal; see `copied`. It blocks."""
    sources = [entry.source for entry in index.entries]
    return copied(sources, [journal.snapshot(source.snapshot) or "" for source in sources])


def primary_of(copies: Iterable[Sequence[str]]) -> dict[str, str]:
    """Return the id of the primary source of each source in groups of copies, by the source's id."""
    return {source: group[0] for group in copies for source in group}


def counted(sources: Iterable[Source], primary: Mapping[str, str]) -> list[Source]:
    """Return the sources with only the first of each group, the primary one where it is among them."""
    chosen: dict[str, Source] = {}
    for source in sources:
        group = primary.get(source.id, source.id)
        if group not in chosen or source.id == group:
            chosen[group] = source
    return list(chosen.values())
