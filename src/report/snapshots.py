"""The texts of cited sources as they were when they were read."""

from collections.abc import Iterable, Sequence

from ..evidence.header import columns
from ..kernel.journal import Journal
from ..kernel.source import Citation, Source
from .report import Snapshot


def snapshots(sources: Iterable[Source], journal: Journal) -> list[Snapshot]:
    """Return the snapshot of each source, one text once, in their order; the journal keeps them."""
    found: dict[str, Snapshot] = {}
    for source in sources:
        text = journal.snapshot(source.snapshot)
        if text is not None and source.snapshot not in found:
            found[source.snapshot] = Snapshot(
                hash=source.snapshot,
                text=text,
                title=source.title,
                kind=source.kind,
                url="" if source.kind == "file" else source.url,
                path=source.path,
                retrieved_at=source.retrieved_at,
                extractor=source.extractor,
            )
    return list(found.values())


def headed(citations: Iterable[Citation], kept: Sequence[Snapshot]) -> list[Citation]:
    """Return the citations, those of a row of a table with the names of its columns."""
    texts = {snapshot.hash: snapshot.text for snapshot in kept}
    named = ((one, columns(texts.get(one.snapshot, ""), one.start, one.end)) for one in citations)
    return [one.model_copy(update={"columns": names}) if names else one for one, names in named]
