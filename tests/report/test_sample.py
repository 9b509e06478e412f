"""The sample of a report keeps what a report promises."""

import re

from report.sample import sample
from spyglass.kernel.source import Citation, digest
from spyglass.report.report import Side


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
    markers = [int(number) for one in report.sections for number in re.findall(r"(?<!\\)\[(\d+)\]", one.text)]
    assert markers == [citation.number for citation in report.citations]
    assert [reference.number for reference in report.references] == list(range(1, len(report.references) + 1))


def test_a_claim_is_its_sentence_with_its_markers() -> None:
    report = sample()
    for claim in report.claims:
        sentence = report.sections[claim.section].text[claim.start : claim.end]
        numbers = [int(number) for number in re.findall(r"\[(\d+)\]", sentence)]
        assert numbers == [report.citations[index].number for index in claim.citations]
