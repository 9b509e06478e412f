"""The passages that the claims of a report were judged by."""

from collections.abc import Iterator, Sequence
from itertools import islice, product

from ..kernel.source import Passage, Source
from ..report.checker import titled
from ..report.report import Reference, Report

MOST_CHOICES = 16
"""Ways in which the citations of one claim may lie in passages that overlap."""


class CitedPassages:
    """The passages that hold a citation, in the order of the sources, as they were when the claims were judged.

    A reference is one passage. Where passages overlap, its place and all its citations tell which; where they tell no
    more than a few, each is a choice.
    """

    def __init__(self, report: Report) -> None:
        self._citations = report.citations
        sources = {source.id: place for place, source in enumerate(report.sources)}
        references = {reference.number: reference for reference in report.references}
        spans: dict[int, tuple[int, int]] = {}
        for citation in report.citations:
            start, end = spans.get(citation.number, (citation.start, citation.end))
            spans[citation.number] = min(start, citation.start), max(end, citation.end)
        found: dict[int, list[tuple[int, int, int]]] = {}
        passages: dict[tuple[int, int, int], Passage] = {}
        for number, span in spans.items():
            reference = references.get(number)
            place = sources.get(reference.source_id) if reference else None
            if reference is None or place is None:
                continue
            source = report.sources[place]
            for passage in _holding(source, reference, span):
                key = (place, passage.start, passage.end)
                passages[key] = titled(source, passage)
                found.setdefault(number, []).append(key)
        order = {key: number for number, key in enumerate(sorted(passages))}
        self.all = [passages[key] for key in order]
        self._of = {number: [order[key] for key in keys] for number, keys in found.items()}

    def choices(self, citations: Sequence[int]) -> Iterator[list[int]]:
        """Yield the passages in which these citations of the report may lie; nothing where one is in none."""
        numbers = dict.fromkeys(self._citations[citation].number for citation in citations)
        held = [self._of.get(number, []) for number in numbers]
        return (sorted(set(choice)) for choice in islice(product(*held), MOST_CHOICES))


def _holding(source: Source, reference: Reference, span: tuple[int, int]) -> list[Passage]:
    """Return the passages of a source that hold a span; those at the reference's place, if there are any."""
    holding = [passage for passage in source.passages if passage.start <= span[0] <= span[1] <= passage.end]
    place = (reference.page, reference.line, reference.last_line, reference.heading)
    there = [one for one in holding if (one.page, one.line, one.last_line, one.heading) == place]
    return there or holding
