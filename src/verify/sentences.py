"""Whether a report carries what it says: texts, passages of sources, and a passage and a claim for each assertion."""

from collections.abc import Iterator, Mapping

from ..evidence.relevance import roots
from ..kernel.source import digest
from ..render.escape import kind_of
from ..render.labels import labels
from ..report.asserting import asserts
from ..report.report import Report
from ..report.source_index import SourceIndex
from ..tree import CodeBlock, Styled, Unit
from .verification import Findings, shortened

Place = tuple[int, int]
"""A section of a report, and a sentence in it, from 1."""


def check_sources(report: Report, texts: Mapping[str, str], findings: Findings) -> None:
    """Check the texts that a report carries by their hashes, and that the passages of its sources stand in them."""
    for snapshot in report.snapshots:
        findings.count("snapshots")
        what = f"The text of {snapshot.path or snapshot.url or snapshot.title} is not the one that was read"
        holds = digest(snapshot.text, size=64) == snapshot.hash
        findings.expect(holds, "snapshots", f"{what}: its SHA-256 is not {snapshot.hash[:12]}…")
    findings.expect(len(texts) == len(report.snapshots), "snapshots", "Two have the same id")
    for source in report.sources:
        for passage in source.passages if source.snapshot in texts else ():
            findings.count("sources")
            holds = texts[source.snapshot][passage.start : passage.end] == passage.text
            what = f"A passage of {source.title} is not at {passage.start}-{passage.end} of its snapshot"
            findings.expect(holds, "sources", what)
    ids = {source.id for source in report.sources}
    findings.expect(len(ids) == len(report.sources), "sources", "Two have the same id")


def check_sentences(report: Report, index: SourceIndex, texts: Mapping[str, str], findings: Findings) -> list[Place]:
    """Check citations, claims, and that no sentence asserts something without being a claim.

    Returns the place of each claim.
    """
    asked = [report.question, *(one.question for one in report.coverage), labels(report.language).no_passage]
    known = roots("\n".join(asked)) if report.coverage else None
    places: list[Place] = []
    for section, one in enumerate(report.sections, 1):
        for place, unit in enumerate(one.units, 1):
            for what in _astray(unit, index, texts):
                findings.wrong("citations", what, section=section, sentence=place)
            for what in _wrong_with(unit, report.policy, known):
                findings.wrong("claims", what, section=section, sentence=place)
            findings.count("citations", len(unit.cites))
            if unit.asserts:
                findings.count("claims")
                places.append((section, place))
    return places


def _astray(unit: Unit, index: SourceIndex, texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the citations that lie in no passage, or in a text that the report does not carry."""
    for cite in unit.cites:
        passage, where = index.by_label.get(cite.passage), f"{cite.passage}, {cite.start}-{cite.end}"
        if passage is None or not passage.passage.start <= cite.start < cite.end <= passage.passage.end:
            yield f"It cites what does not lie in a passage: {where}"
        elif passage.source.snapshot not in texts:
            yield f"The text that it cites is missing: {where}"


def _wrong_with(unit: Unit, policy: str, known: frozenset[str] | None) -> Iterator[str]:
    """Yield what does not agree: a claim with the policy, or anything else that asserts something."""
    verdict = unit.verdict
    if any(isinstance(part, Styled) and part.href for part in unit.pieces):
        yield "There is a link in it"
    if isinstance(unit, CodeBlock) and kind_of(unit.language) != unit.language:
        yield "There is a block of code of a kind that a viewer makes something else of"
    if verdict and verdict.span is not None:
        yield "Its verdict is not a last one"
    if not unit.asserts:
        if verdict or asserts(unit, known):
            yield f"“{shortened(unit.text)}” is not among the claims"
    elif verdict is None:
        if policy != "off" and unit.cites:
            yield "It cites something, and was not checked"
    elif policy == "off":
        yield f"Its verdict is “{verdict.verdict}” under the policy “{policy}”"
    elif policy == "strict" and verdict.verdict in ("unsupported", "contradicted"):
        yield f"It is {verdict.verdict}, and the policy “strict” leaves no such sentence"
