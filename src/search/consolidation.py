"""What all agents found as one list: each page once, the most credible first."""

from collections.abc import Iterable
from typing import Final

from ..kernel.source import Passage, Source
from .credibility import UNKNOWN
from .urls import normalize_url

FILE: Final = 101  # where a local file stands among the credibility scores, which end at 100: before tier1


def consolidate(sources: Iterable[Source]) -> list[Source]:
    """Return one record for each page or file, the most credible one, sorted by credibility, best first.

    The same page is the same normalised address, or the same text (`snapshot`) at another one. Of equally credible
    records one with passages counts, then the first; passages that others have of the same text are kept with it, in
    the order of the text. Equally credible pages stay in the order in which they were found.
    """
    kept: list[Source] = []
    places: dict[str, int] = {}
    for source in sources:
        names = _names(source)
        place = next((places[name] for name in names if name in places), len(kept))
        if place == len(kept):
            kept.append(source)
        else:
            kept[place] = _better(kept[place], source)
        for name in names:
            places.setdefault(name, place)
    return sorted(kept, key=lambda source: -credibility(source))


def credibility(source: Source) -> int:
    """Return what a source counts for in the order: FILE for a local file, else its score or an unknown domain's."""
    if source.kind == "file":
        return FILE
    return UNKNOWN if source.credibility_score is None else source.credibility_score


def _names(source: Source) -> list[str]:
    """Return the keys by which a source is recognised: its address, and a page's text."""
    address = f"{source.kind} {normalize_url(source.url)}"
    return [address, f"text {source.snapshot}"] if source.kind == "web" and source.snapshot else [address]


def _better(known: Source, other: Source) -> Source:
    """Return the record that counts, with the passages of both where they are of one text."""
    best, rest = (other, known) if _rank(other) > _rank(known) else (known, other)
    if not best.snapshot or best.snapshot != rest.snapshot:
        return best
    spans: dict[tuple[int, int], Passage] = {
        (passage.start, passage.end): passage for passage in (*rest.passages, *best.passages)
    }
    return best.model_copy(update={"passages": [spans[span] for span in sorted(spans)]})


def _rank(source: Source) -> tuple[int, bool]:
    return credibility(source), bool(source.passages)
