"""Whether the list of claims is that of the sentences: none left out, none changed, each with its citations."""

import re
from bisect import bisect_right
from collections.abc import Iterator

from ..evidence.claim import asserts, beyond, is_claim
from ..evidence.relevance import roots
from ..evidence.statement import cells, is_heading, is_table_head, shown
from ..kernel.sentence import sentence_spans
from ..render.citation import edited, fenced, markers, unmarked
from ..render.escape import harmless
from ..render.fence import unfenced
from ..render.labels import labels, mark
from ..report.report import Claim, Report
from .carried import shortened
from .findings import Findings

_BEFORE_STOP = re.compile(r" (?=[.,;:!?…)\]。！？])")


def _within(position: int, spans: list[tuple[int, int]]) -> bool:
    index = bisect_right(spans, position, key=lambda span: span[0]) - 1
    return index >= 0 and position < spans[index][1]


class Sentences:
    """The sections of a report, with their markers and claims."""

    def __init__(self, report: Report, findings: Findings) -> None:
        self._report = report
        self._findings = findings
        self._words = labels(report.language)
        words = self._words
        self._marks = tuple(
            f"*({mark})*" for mark in (words.partly, words.unsupported, words.contradicted, words.unsourced)
        )
        asked = [report.question, *(one.question for one in report.coverage), words.no_passage]
        self._known = roots("\n".join(asked)) if report.coverage else None
        self._spans = [sentence_spans(section.text) for section in report.sections]
        self._markers = [markers(section.text) for section in report.sections]
        self._heads: dict[int, list[tuple[int, tuple[str, ...]]]] = {}
        self._first: list[int] = []
        for number in range(len(report.sections)):
            self._first.append(self._first[-1] + len(self._markers[number - 1]) if number else 0)

    def check(self) -> None:
        """Check markers, claims, and that no sentence asserts something without being a claim."""
        self._check_markers()
        covered: dict[int, list[tuple[int, int]]] = {}
        before = (-1, 0)
        for number, claim in enumerate(self._report.claims):
            self._findings.count("claims")
            if not self._is_in_place(claim):
                what = f"Claim {number + 1} is at {claim.start}-{claim.end} of section {claim.section + 1}: not there"
                self._findings.wrong("claims", what)
                continue
            if (claim.section, claim.start) < before:
                self._wrong(claim, "It begins before the one ahead of it ends")
            before = (claim.section, claim.end)
            covered.setdefault(claim.section, []).append((claim.start, claim.end))
            self._check_claim(claim)
        for section in range(len(self._report.sections)):
            self._check_harmless(section)
            self._check_code(section)
            self._check_covered(section, covered.get(section, []))

    def place(self, claim: Claim) -> tuple[int, int]:
        """Return the numbers of a claim's section and sentence, from 1."""
        starts = [start for start, _ in self._spans[claim.section]] if self._has_section(claim) else []
        return claim.section + 1, max(1, bisect_right(starts, claim.start))

    def _has_section(self, claim: Claim) -> bool:
        return 0 <= claim.section < len(self._report.sections)

    def _is_in_place(self, claim: Claim) -> bool:
        return self._has_section(claim) and 0 <= claim.start < claim.end <= len(
            self._report.sections[claim.section].text
        )

    def _wrong(self, claim: Claim, what: str) -> None:
        section, sentence = self.place(claim)
        self._findings.wrong("claims", what, section=section, sentence=sentence)

    def _check_markers(self) -> None:
        """Check that the k-th number in the text is that of the k-th citation."""
        citations = self._report.citations
        written = [(section + 1, number) for section, found in enumerate(self._markers) for _, _, number in found]
        self._findings.count("markers", len(written))
        if len(written) != len(citations):
            what = f"The text has {len(written)} citations, the list {len(citations)}"
            self._findings.wrong("markers", what)
            return
        for (section, number), citation in zip(written, citations, strict=True):
            if number != citation.number:
                what = f"The text cites [{number}] where the list has [{citation.number}]"
                self._findings.wrong("markers", what, section=section, citation=number)

    def _check_claim(self, claim: Claim) -> None:
        section = self._report.sections[claim.section]
        own = self._within(claim)
        first = self._first[claim.section]
        if section.text[claim.start].isspace() or section.text[claim.end - 1].isspace():
            self._wrong(claim, "It begins or ends beside its sentence")
        if claim.citations != [first + number for number in range(own.start, own.stop)]:
            self._wrong(claim, "Its list of citations is not that of the numbers in it")
        if claim.code != section.text.startswith("```", claim.start):
            self._wrong(claim, "It is called code, or not, where its section says otherwise")
        said = self._shown(claim)
        if _plain(said) != _plain(claim.text):
            self._wrong(claim, f"The report says “{shortened(said)}”, judged was “{shortened(claim.text)}”")
        if section.quoted != claim.quoted:
            self._wrong(claim, "It is called a quote, or not one, where its section is not")
        self._check_mark(claim, section.text)

    def _within(self, claim: Claim) -> range:
        """Return which markers of the section lie in a claim."""
        ends = [end for _, end, _ in self._markers[claim.section]]
        return range(bisect_right(ends, claim.start), bisect_right(ends, claim.end))

    def _shown(self, claim: Claim) -> str:
        """Return what a reader sees of a claim, without citations."""
        text = self._report.sections[claim.section].text
        if claim.code:
            return unfenced(unmarked(text[claim.start : claim.end]))
        said = f"*({mark(self._words, claim.verdict, cited=bool(claim.citations))})*"
        raw = unmarked(text[claim.start : claim.end]).strip().replace(said, "", 1)
        return shown(raw, self._head(claim) if raw.startswith("|") else ())

    def _head(self, claim: Claim) -> tuple[str, ...]:
        """Return the names of the columns of the table in which a claim stands."""
        if claim.section not in self._heads:
            self._heads[claim.section] = list(_heads(self._report.sections[claim.section].text))
        starts = [start for start, _ in self._heads[claim.section]]
        return self._heads[claim.section][max(0, bisect_right(starts, claim.start) - 1)][1]

    def _check_mark(self, claim: Claim, text: str) -> None:
        """Check that a claim without full support carries its mark, in words, and that policy and verdict agree."""
        policy = self._report.policy
        if claim.verdict == "unchecked" and policy != "off" and claim.citations:
            self._wrong(claim, "It cites something, and was not checked")
        if policy == "off" and claim.verdict != "unchecked":
            self._wrong(claim, f"Its verdict is “{claim.verdict}” under the policy “{policy}”")
        if policy == "strict" and claim.verdict in ("unsupported", "contradicted"):
            self._wrong(claim, f"It is {claim.verdict}, and the policy “strict” leaves no such sentence")
        said = mark(self._words, claim.verdict, cited=bool(claim.citations))
        follows = text[claim.end : claim.end + 200].lstrip("\n" if claim.code else " |")
        inside = text[claim.start : claim.end].rstrip(" |").endswith(f"*({said})*")
        if said and not inside and not follows.startswith(f"*({said})*"):
            self._wrong(claim, f"It is {claim.verdict}, and does not carry the mark “{said}”")

    def _check_harmless(self, section: int) -> None:
        """Check that there is no link, picture or HTML in a section: what a reader sees is then what was judged."""
        text = self._report.sections[section].text
        prose = unmarked(edited(text, [(start, end, "") for start, end in fenced(text)]))
        if harmless(prose) != prose:
            self._findings.wrong("claims", "There is a link, a picture or HTML in its text", section=section + 1)

    def _check_code(self, section: int) -> None:
        """Check that each block of code is one that a viewer merely shows, and is judged."""
        text = self._report.sections[section].text
        judged = {claim.start for claim in self._report.claims if claim.code and claim.section == section}
        for start, end in fenced(text):
            if not unfenced(text[start:end]):
                what = "There is a block of code of a kind that a viewer makes something else of"
                self._findings.wrong("claims", what, section=section + 1)
            elif start not in judged:
                self._findings.wrong("claims", "There is a block of code that is not judged", section=section + 1)

    def _check_covered(self, section: int, covered: list[tuple[int, int]]) -> None:
        """Check that no sentence asserts something beside the claims."""
        text = self._report.sections[section].text
        ends = [end for _, end in covered]
        for number, (start, end) in enumerate(self._asserting(section), 1):
            rest = ""
            for first, last in covered[bisect_right(ends, start) :]:
                if first >= end:
                    break
                rest += f"{text[start : max(start, first)]} "
                start = last
            rest += text[start:end]
            for own in self._marks:
                rest = rest.replace(own, "")
            if self._asserts(rest):
                what = f"“{shortened(rest)}” is not among the claims"
                self._findings.wrong("claims", what, section=section + 1, sentence=number)

    def _asserting(self, section: int) -> Iterator[tuple[int, int]]:
        """Yield the sentences of a section that assert something, as the writer of the report tells them."""
        text = self._report.sections[section].text
        code = fenced(text)
        for begin, end in self._spans[section]:
            start = _behind(text, begin, self._marks)
            if start >= end or _within(start, code) or (text[start] == "|" and is_table_head(text, end)):
                continue
            if self._asserts(text[start:end], heads=is_heading(text, start)):
                yield start, end

    def _asserts(self, raw: str, *, heads: bool = False) -> bool:
        """Say whether a source must support a text; of a stranger's report nobody knows what was asked."""
        said = shown(unmarked(raw))
        if heads and not said.endswith((".", "。")):
            return self._known is not None and bool(beyond(said, self._known))
        return is_claim(said) if self._known is None else asserts(said, self._known)


def _behind(text: str, start: int, marks: tuple[str, ...]) -> int:
    """Return where a sentence begins that the mark of the one before it may have been taken into."""
    mark = next((mark for mark in marks if text.startswith(mark, start)), "")
    behind = start + len(mark)
    return behind + len(text[behind:]) - len(text[behind:].lstrip()) if mark else start


def _heads(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield where the columns of a table get their names, and where these end."""
    yield 0, ()
    head: tuple[str, ...] = ()
    for start, end in sentence_spans(text):
        if text[start] != "|" and head:
            head = ()
            yield start, head
        elif text[start] == "|" and is_table_head(text, end):
            head = cells(text[start:end])
            yield start, head


def _plain(text: str) -> str:
    """Return a text on one line, without the blanks that a citation before a full stop leaves behind."""
    return _BEFORE_STOP.sub("", " ".join(text.split()))
