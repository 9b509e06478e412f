"""The sample of a report keeps what a report promises."""

import re

from report.sample import sample
from report.written import texts_of
from spyglass.kernel.source import Citation, digest
from spyglass.report.derive import cited
from spyglass.report.report import Side
from spyglass.report.source_index import SourceIndex


def test_every_quote_is_verbatim_and_every_hash_is_that_of_its_text() -> None:
    report = sample()
    texts = {snapshot.hash: snapshot.text for snapshot in report.snapshots}
    assert all(digest(text, size=64) == name for name, text in texts.items())
    sides = [side for one in report.contradictions for side in (one.first, one.second)]
    places: list[Citation | Side] = [*report.citations, *sides]
    for place in places:
        assert texts[place.snapshot][place.start : place.end] == place.quote


def test_the_markers_are_the_citations_in_order() -> None:
    report = sample()
    markers = [int(number) for text in texts_of(report) for number in re.findall(r"(?<!\\)\[(\d+)\]", text)]
    assert markers == [citation.number for citation in report.citations]
    assert [reference.number for reference in report.references] == list(range(1, len(report.references) + 1))


def test_every_citation_is_a_span_of_its_passage() -> None:
    report = sample()
    index = SourceIndex.carried(report.sources, {})
    assert [one.quote for one in cited(report.sections, index, lambda _: None)] == [
        one.quote for one in report.citations
    ]
