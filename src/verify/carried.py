"""Whether what a report cites is what it carries: snapshots, sources, citations and quotes."""

from collections.abc import Mapping

from ..kernel.source import Citation, Source, digest
from ..report.report import Report, Snapshot
from .findings import Findings
from .verification import Subject


class Carried:
    """The texts and sources that a report carries, and the checks that need no more than them."""

    def __init__(self, report: Report, findings: Findings) -> None:
        self._report = report
        self._findings = findings
        self.texts: Mapping[str, str] = {snapshot.hash: snapshot.text for snapshot in report.snapshots}
        self.sources: Mapping[str, Source] = {source.id: source for source in report.sources}

    def check(self) -> None:
        """Check everything."""
        for snapshot in self._report.snapshots:
            self._check_snapshot(snapshot)
        self._expect_unique("snapshots", [snapshot.hash for snapshot in self._report.snapshots])
        for source in self._report.sources:
            self._check_source(source)
        self._expect_unique("sources", [source.id for source in self._report.sources])
        for citation in self._report.citations:
            self._check_citation(citation)

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

    def _check_citation(self, citation: Citation) -> None:
        self._findings.count("citations")
        number, start, end = citation.number, citation.start, citation.end
        self._check_span(citation)
        source = self.sources.get(citation.source_id)
        if source is None:
            self._findings.wrong("citations", "Its source is missing", citation=number)
            return
        passage = source.passages[citation.passage] if citation.passage < len(source.passages) else None
        held = passage is not None and passage.start <= start <= end <= passage.end
        self._findings.expect(held, "citations", "It does not lie in the passage that it names", citation=number)

    def _check_span(self, citation: Citation) -> None:
        """Check that a quote is what the snapshot has between its offsets."""
        number, start, end, quote = citation.number, citation.start, citation.end, citation.quote
        text = self.texts.get(citation.snapshot)
        if text is None:
            what = f"The text that it was taken from is missing (snapshot {citation.snapshot[:12] or 'not named'}…)"
            self._findings.wrong("citations", what, citation=number)
        elif not 0 <= start < end <= len(text):
            what = f"Its span {start}-{end} is not within the text, which has {len(text)} characters"
            self._findings.wrong("citations", what, citation=number)
        elif text[start:end] != quote:
            what = f"“{shortened(quote)}” is not what stands there: “{shortened(text[start:end])}”"
            what += "" if quote in text else "; it stands nowhere in the source"
            self._findings.wrong("citations", what, citation=number)


def shortened(text: str, most: int = 80) -> str:
    """Return a text on one line, as much of it as a message shows."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
