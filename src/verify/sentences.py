"""Whether what a report claims is what its sentences assert, and whether each rests on a passage that it carries."""

from collections.abc import Iterator

from ..evidence.relevance import roots
from ..render.fence import kind_of
from ..render.labels import labels
from ..report.asserting import asserts
from ..report.report import Report
from ..report.source_index import SourceIndex
from ..tree import CodeBlock, Styled, Unit
from .carried import Carried, shortened
from .findings import Findings


class Sentences:
    """The sections of a report, sentence by sentence."""

    def __init__(self, report: Report, findings: Findings, carried: Carried, index: SourceIndex) -> None:
        self._report = report
        self._findings = findings
        self._texts = carried.texts
        self._passages = index.by_label
        asked = [report.question, *(one.question for one in report.coverage), labels(report.language).no_passage]
        self._known = roots("\n".join(asked)) if report.coverage else None
        self._units = [
            (section, place, unit)
            for section, one in enumerate(report.sections, 1)
            for place, unit in enumerate(one.units, 1)
        ]

    @property
    def places(self) -> list[tuple[int, int]]:
        """The section and the sentence of each claim, from 1."""
        return [(section, place) for section, place, unit in self._units if unit.asserts]

    def check(self) -> None:
        """Check citations, claims, and that no sentence asserts something without being a claim."""
        for section, place, unit in self._units:
            for what in self._astray(unit):
                self._findings.wrong("citations", what, section=section, sentence=place)
            for what in self._wrong_with(unit):
                self._findings.wrong("claims", what, section=section, sentence=place)
            self._findings.count("citations", len(unit.cites))
            self._findings.count("claims", int(unit.asserts))

    def _astray(self, unit: Unit) -> Iterator[str]:
        """Yield the citations that lie in no passage, or in a text that the report does not carry."""
        for cite in unit.cites:
            passage, where = self._passages.get(cite.passage), f"{cite.passage}, {cite.start}-{cite.end}"
            if passage is None or not passage.passage.start <= cite.start < cite.end <= passage.passage.end:
                yield f"It cites what does not lie in a passage: {where}"
            elif passage.source.snapshot not in self._texts:
                yield f"The text that it cites is missing: {where}"

    def _wrong_with(self, unit: Unit) -> Iterator[str]:
        """Yield what does not agree: a claim with the policy, or anything else that asserts something."""
        policy, verdict = self._report.policy, unit.verdict
        if any(isinstance(part, Styled) and part.href for part in unit.pieces):
            yield "There is a link in it"
        if isinstance(unit, CodeBlock) and kind_of(unit.language) != unit.language:
            yield "There is a block of code of a kind that a viewer makes something else of"
        if verdict and (verdict.span is not None or verdict.doubtful):
            yield "Its verdict is not a last one"
        if not unit.asserts:
            if verdict or asserts(unit, self._known):
                yield f"“{shortened(unit.text)}” is not among the claims"
        elif verdict is None:
            if policy != "off" and unit.cites:
                yield "It cites something, and was not checked"
        elif policy == "off":
            yield f"Its verdict is “{verdict.verdict}” under the policy “{policy}”"
        elif policy == "strict" and verdict.verdict in ("unsupported", "contradicted"):
            yield f"It is {verdict.verdict}, and the policy “strict” leaves no such sentence"
