"""Checks whether judging the claims of a report again gives the recorded verdicts."""

import re
from collections.abc import Mapping, Sequence

from ..evidence import Evidence, may_be_supported, shown, visible
from ..evidence.quotation import find
from ..kernel.one_line import one_line
from ..kernel.source import HOLDS, Passage, Verdict
from ..kernel.term import terms
from ..rag.chunk import HEADINGS
from ..render import labels_in
from ..report import Claim, Report
from ..report.checker import as_label, given
from ..report.source_index import titled
from .verification import Findings

_PARTS = re.compile(r" › | – |: $| · $")
"""Separators between a quote and the place, or the subject of a comparison, that precedes it."""

PLACE = " › "
"""Separator of document title and heading in the name of a place."""

NEAR = 0.005
"""Tolerance for scores: they are rounded, and the last digits of a sum may differ between machines."""


class Verdicts:
    """Judges the claims of a report again, each against the passages that it cites."""

    def __init__(
        self, report: Report, texts: Mapping[str, str], findings: Findings, places: Sequence[tuple[int, int]]
    ) -> None:
        self._report = report
        self._findings = findings
        self._claims = report.claims
        self._places = {id(claim): place for claim, place in zip(self._claims, places, strict=True)}
        sources = {source.id: index for index, source in enumerate(report.sources)}
        self._cited = [(sources[citation.source_id], citation.passage) for citation in report.citations]
        order = sorted(set(self._cited))
        self._numbers = {passage: number for number, passage in enumerate(order)}
        self._passages = [titled(report.sources[source], report.sources[source].passages[n]) for source, n in order]
        self._evidence = Evidence(self._passages)
        self._texts = texts

    def check(self) -> None:
        """Check every claim that has a verdict."""
        for claim in self._claims:
            if claim.verdict != "unchecked":
                self._findings.count("verdicts")
                self._check(claim)

    def _check(self, claim: Claim) -> None:
        cited = list(claim.citations)
        if not cited:
            if claim.verdict in HOLDS:
                self._wrong(claim, f"It is recorded as {claim.verdict}, but cites nothing")
            return
        if claim.code:
            self._check_code(claim, cited)
            return
        passages = sorted({self._numbers[self._cited[number]] for number in cited})
        again = self._evidence.judge(claim.text, passages)
        if claim.method == "verbatim" and claim.quoted:
            self._check_quote(claim, again, cited, passages)
        elif claim.method in ("verbatim", "words"):
            is_sentence = not claim.label or again.verdict == claim.verdict
            self._compare(claim, again if is_sentence else as_label(claim.text, again, self._passages))
        else:
            self._check_decided(claim, again, [self._passages[number] for number in passages])

    def _check_code(self, claim: Claim, cited: list[int]) -> None:
        """Check that a block of code cites one source, which contains all of it at the cited offset."""
        citation, *others = (self._report.citations[number] for number in cited)
        text = self._texts.get(citation.snapshot, "")
        span = find(claim.text, text[citation.start :])
        is_whole = span is not None and span[0] == 0 and citation.end <= citation.start + span[1]
        if others or not is_whole or (claim.verdict, claim.score, claim.method) != ("supported", 1.0, "verbatim"):
            self._wrong(claim, "It is code, but not recorded as supported by one source that contains all of it")

    def _check_quote(self, claim: Claim, again: Verdict, cited: list[int], passages: list[int]) -> None:
        """Check a quote: it has the words of its span, and no others except words of its passage or columns."""
        citations = [self._report.citations[number] for number in cited]
        quoted = [one_line(shown(citation.quote, names)) for citation in citations for names in ((), citation.columns)]
        said, aside = claim.text, f"({labels_in(self._report.language).just_before}"
        if said.startswith(aside) and said.endswith(")"):
            said = said[len(aside) : -1]
        words, spans = set(terms(said)), [set(terms(quote)) for quote in quoted if quote in said]
        cited_passages = (self._passages[number] for number in passages)
        texts = [visible(f"{passage.heading} {passage.text}") for passage in cited_passages]
        context = {word for text in texts for word in terms(text)}
        context |= {word for citation in citations for name in citation.columns for word in terms(visible(name))}
        if claim.verdict != "supported" or claim.score != 1.0:
            self._wrong(claim, "It is a quote, but not supported with the score 1")
        if said in quoted:
            return
        before = next((said.removesuffix(quote) for quote in quoted if said.endswith(quote)), None)
        if before is not None:
            known = [self._report.question.casefold(), *(one_line(text).casefold() for text in texts)]
            begins = r"(?<!\w)"
            if PLACE in before:
                known = [head for number in passages for head in _heads(self._passages[number])]
                begins = r"\A\W*"
            parts = (
                re.compile(rf"{begins}{re.escape(part)}(?!\w)") for part in _PARTS.split(before.casefold()) if part
            )
            holds = all(any(map(part.search, known)) for part in parts)
        else:
            holds = again.verdict != "contradicted" and any(span <= words <= span | context for span in spans)
        if not holds:
            self._wrong(claim, f"It is recorded as a quote, but differs from its citation{_why(again)}")

    def _compare(self, claim: Claim, again: Verdict) -> None:
        if again.verdict != claim.verdict:
            self._wrong(claim, f"It is recorded as {claim.verdict}; judged again it is {again.verdict}{_why(again)}")
        elif abs(again.score - claim.score) > NEAR:
            self._wrong(claim, f"Its score is {claim.score:g}; judged again it is {again.score:g}")
        elif again.method != claim.method:
            self._wrong(claim, f"It is recorded as {claim.verdict} by {claim.method}; judged again, by {again.method}")
        elif not set(again.reasons) <= set(claim.reasons):
            self._wrong(claim, f"Its reasons differ from those of judging it again{_why(again)}")

    def _check_decided(self, claim: Claim, again: Verdict, passages: Sequence[Passage]) -> None:
        """Check a verdict of a model: comparing words must leave the claim unsettled or give the same verdict.

        A claim that words support in part, or not at all, may be supported by several places of its passages, and one
        that they contradict, or that has or works out a fact from the question or the date, may be unsettled.
        """
        if claim.verdict == "unsettled":
            known = "" if self._report.checked else given(self._report.question, self._report.date)
            is_open = may_be_supported(claim.text, again, passages, known)
        else:
            is_held = claim.verdict in HOLDS and again.verdict in ("unsupported", "partial")
            is_open = is_held and may_be_supported(claim.text, again, passages)
        if again.verdict == "unsettled" or is_open:
            self._findings.unchecked("Verdicts of a model were compared only with the words, which do not decide them.")
        elif again.verdict != claim.verdict:
            self._wrong(
                claim, f"It is recorded as {claim.verdict} by a model; its words give {again.verdict}{_why(again)}"
            )

    def _wrong(self, claim: Claim, what: str) -> None:
        section, sentence = self._places[id(claim)]
        self._findings.wrong("verdicts", what, section=section, sentence=sentence)


def _why(verdict: Verdict) -> str:
    return f" ({'; '.join(map(str, verdict.reasons))})" if verdict.reasons else ""


def _heads(passage: Passage) -> list[str]:
    """Return the possible names of a passage's place: title, headings, and lines that are not table rows."""
    lines = [line for line in passage.text.splitlines() if not line.lstrip().startswith("|")]
    pieces = [piece for heading in passage.heading.split(HEADINGS) for piece in _PARTS.split(heading)]
    return [visible(text).casefold() for text in (*pieces, *lines)]
