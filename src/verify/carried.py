"""Whether what a report cites is what it carries: snapshots, sources, references, citations and quotes."""

from collections.abc import Mapping

from ..evidence.header import columns
from ..kernel.source import Citation, Source, digest
from ..report.report import Reference, Report, Side, Snapshot
from .findings import Findings
from .verification import Subject

_OF_THE_SOURCE = (
    "title",
    "kind",
    "path",
    "domain",
    "credibility_score",
    "credibility_tier",
    "published",
    "retrieved_at",
)
"""What a reference says as its source does."""


class Carried:
    """The texts and sources that a report carries, and the checks that need no more than them."""

    def __init__(self, report: Report, findings: Findings) -> None:
        self._report = report
        self._findings = findings
        self.texts: Mapping[str, str] = {snapshot.hash: snapshot.text for snapshot in report.snapshots}
        self.sources: Mapping[str, Source] = {source.id: source for source in report.sources}
        self._references = {reference.number: reference for reference in report.references}
        self._of: dict[str, list[Source]] = {}
        for source in report.sources:
            self._of.setdefault(source.snapshot, []).append(source)
        self._citing: dict[int, list[Citation]] = {}
        for citation in report.citations:
            self._citing.setdefault(citation.number, []).append(citation)

    def check(self) -> None:
        """Check everything."""
        for snapshot in self._report.snapshots:
            self._check_snapshot(snapshot)
        self._expect_unique("snapshots", [snapshot.hash for snapshot in self._report.snapshots])
        for source in self._report.sources:
            self._check_source(source)
        self._expect_unique("sources", [source.id for source in self._report.sources])
        for position, reference in enumerate(self._report.references, 1):
            self._check_reference(position, reference)
        for citation in self._report.citations:
            self._check_citation(citation)
        self._check_needed()

    def _expect_unique(self, subject: Subject, ids: list[str]) -> None:
        self._findings.expect(len(set(ids)) == len(ids), subject, "Two have the same id")

    def _check_snapshot(self, snapshot: Snapshot) -> None:
        self._findings.count("snapshots")
        name = snapshot.path or snapshot.url or snapshot.title
        self._findings.expect(
            digest(snapshot.text, size=64) == snapshot.hash,
            "snapshots",
            f"The text of {name} is not the one that was read: its SHA-256 is not {snapshot.hash[:12]}…",
        )
        of = self._of.get(snapshot.hash, [])
        if not self._findings.expect(bool(of), "snapshots", f"No source has the snapshot of {name}"):
            return
        for field in ("title", "kind", "url", "path", "retrieved_at"):
            said = {getattr(source, field) for source in of}
            if field == "url" and snapshot.kind == "file":
                said.add("")
            self._findings.expect(
                getattr(snapshot, field) in said,
                "snapshots",
                f"The snapshot of {name} has another {field} than its source",
            )

    def _check_needed(self) -> None:
        """Check that something rests on each snapshot: what a report leaves out may have rested on another."""
        report = self._report
        cited = {citation.source_id for citation in report.citations}
        used = cited | {side.source_id for one in report.contradictions for side in (one.first, one.second)}
        used |= {removed.source_id for removed in report.removed}
        used |= {source for group in report.copies if cited.intersection(group) for source in group}
        hashes = {source.snapshot for source in report.sources if source.id in used}
        for snapshot in report.snapshots:
            name = snapshot.path or snapshot.url or snapshot.title
            self._findings.expect(snapshot.hash in hashes, "snapshots", f"Nothing rests on the text of {name}")

    def _check_source(self, source: Source) -> None:
        """Check the passages of a source whose text the report carries."""
        text = self.texts.get(source.snapshot)
        if text is None:
            return
        for passage in source.passages:
            self._findings.count("sources")
            self._findings.expect(
                text[passage.start : passage.end] == passage.text,
                "sources",
                f"A passage of {source.title} is not at {passage.start}-{passage.end} of its snapshot",
            )

    def _check_reference(self, position: int, reference: Reference) -> None:
        self._findings.count("references")
        number = reference.number
        before = self._report.references[position - 2].number if self._report.checked and position > 1 else 0
        fits = number > before if self._report.checked else number == position
        self._findings.expect(fits, "references", f"Entry {position} has the number {number}")
        cited = self._citing.get(number, [])
        if not self._findings.expect(bool(cited), "references", "Nothing cites it", citation=number):
            return
        self._findings.expect(
            cited[0].quote.startswith(reference.quote) and bool(reference.quote),
            "references",
            "Its quote is not that of the citation",
            citation=number,
        )
        source = self.sources.get(reference.source_id)
        if not self._findings.expect(source is not None, "references", "Its source is missing", citation=number):
            return
        assert source is not None
        for field in _OF_THE_SOURCE:
            said, found = getattr(reference, field), getattr(source, field)
            self._findings.expect(
                said == found, "references", f"Its {field} is “{said}”, that of its source “{found}”", citation=number
            )
        self._findings.expect(
            reference.url == source.url or (reference.kind == "file" and not reference.url),
            "references",
            f"Its address is “{reference.url}”, that of its source “{source.url}”",
            citation=number,
        )
        self._check_place(reference, source, cited[:1] if self._report.checked else cited)

    def _check_place(self, reference: Reference, source: Source, cited: list[Citation]) -> None:
        """Check page, lines, heading and confidence of OCR against the source's passage that the citations lie in."""
        start, end = min(one.start for one in cited), max(one.end for one in cited)
        places = [
            (passage.page, passage.line, passage.last_line, passage.heading, passage.ocr_confidence)
            for passage in source.passages
            if passage.start <= start and end <= passage.end
        ]
        place = (reference.page, reference.line, reference.last_line, reference.heading, reference.ocr_confidence)
        self._findings.expect(
            place in places,
            "references",
            "Page, lines or heading are not those of a passage that holds what is cited, or the confidence of OCR",
            citation=reference.number,
        )

    def _check_citation(self, citation: Citation) -> None:
        self._findings.count("citations")
        number = citation.number
        self.check_span("citations", citation.snapshot, citation.start, citation.end, citation.quote, citation=number)
        names = columns(self.texts.get(citation.snapshot, ""), citation.start, citation.end)
        self._findings.expect(
            names == citation.columns, "citations", "The columns of its row have other names", citation=number
        )
        reference = self._references.get(number)
        if self._findings.expect(reference is not None, "citations", "No reference has this number", citation=number):
            assert reference is not None
            self._findings.expect(
                reference.source_id == citation.source_id,
                "citations",
                "Its reference is of another source",
                citation=number,
            )
        source = self.sources.get(citation.source_id)
        if self._findings.expect(source is not None, "citations", "Its source is missing", citation=number):
            assert source is not None
            self._findings.expect(
                source.snapshot == citation.snapshot, "citations", "Its source has another snapshot", citation=number
            )

    def check_span(
        self, subject: Subject, snapshot: str, start: int, end: int, quote: str, *, citation: int | None = None
    ) -> None:
        """Check that a quote is what the snapshot has between its offsets."""
        text = self.texts.get(snapshot)
        if text is None:
            what = f"The text that it was taken from is missing (snapshot {snapshot[:12] or 'not named'}…)"
            self._findings.wrong(subject, what, citation=citation)
        elif not 0 <= start < end <= len(text):
            what = f"Its span {start}-{end} is not within the text, which has {len(text)} characters"
            self._findings.wrong(subject, what, citation=citation)
        elif text[start:end] != quote:
            what = f"“{shortened(quote)}” is not what stands there: “{shortened(text[start:end])}”"
            what += "" if quote in text else "; it stands nowhere in the source"
            self._findings.wrong(subject, what, citation=citation)

    def check_side(self, side: Side, subject_of: str) -> None:
        """Check one side of a contradiction."""
        self._findings.count("contradictions")
        self.check_span("contradictions", side.snapshot, side.start, side.end, side.quote)
        source = self.sources.get(side.source_id)
        if not self._findings.expect(
            source is not None, "contradictions", f"A source of the one about “{subject_of}” is missing"
        ):
            return
        assert source is not None
        for field in ("title", "snapshot", "path", "published", "retrieved_at", "credibility_score"):
            self._findings.expect(
                getattr(side, field) == getattr(source, field),
                "contradictions",
                f"About “{subject_of}”: the {field} is not that of the source",
            )
        self._findings.expect(
            side.url in ((source.url, "") if source.kind == "file" else (source.url,)),
            "contradictions",
            f"About “{subject_of}”: the address is not that of the source",
        )


def shortened(text: str, most: int = 80) -> str:
    """Return a text on one line, as much of it as a message shows."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
