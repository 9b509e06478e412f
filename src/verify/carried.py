"""Whether what a report carries is what it says: snapshots, and sources whose passages stand in them."""

from collections.abc import Mapping

from ..kernel.source import Source, digest
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


def shortened(text: str, most: int = 80) -> str:
    """Return a text on one line, as much of it as a message shows."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
