"""Which sources of a catalogue are copies of one another, and which of them counts."""

from collections.abc import Iterable, Mapping

from ..evidence.independence import originals
from ..journal import Journal
from ..source import Source
from .catalogue import Catalogue

Primaries = Mapping[str, str]
"""The id of the primary source of each source's group, by the source's id; one that is no copy is its own."""


def primaries(catalogue: Catalogue, journal: Journal) -> Primaries:
    """Return the primary source of each source that can be cited, by their texts in the journal. It blocks."""
    sources = [entry.source for entry in catalogue.entries]
    groups = originals(sources, [journal.snapshot(source.snapshot) or "" for source in sources])
    return {sources[place].id: sources[group[0]].id for group in groups for place in group}


def counted(sources: Iterable[Source], primary: Primaries) -> list[Source]:
    """Return the sources with only the first of each group, the primary one where it is among them."""
    chosen: dict[str, Source] = {}
    for source in sources:
        group = primary.get(source.id, source.id)
        if group not in chosen or source.id == group:
            chosen[group] = source
    return list(chosen.values())
