"""The address of each quote of a report, at which a browser scrolls to the quoted sentence."""

from typing import TYPE_CHECKING

from .fragment import LinkTarget

if TYPE_CHECKING:
    from ..kernel.source import Citation
    from ..report import Report, Side


class Links:
    """The addresses of a report's quotes; each stored text is prepared once, for its first quote."""

    def __init__(self, report: "Report") -> None:
        self._snapshots = {snapshot.hash: snapshot for snapshot in report.snapshots}
        self._references = {reference.number: reference for reference in report.references}
        self._targets: dict[str, LinkTarget] = {}

    def citation(self, citation: "Citation") -> str:
        """Return the web address at which a browser shows the quote, empty for a file.

        For a paged document, it is the address of the numbered page; without the stored text, that of the web page.
        """
        reference = self._references.get(citation.number)
        if reference is None or reference.kind == "file":
            return ""
        if reference.page is not None:
            return f"{reference.url.partition('#')[0]}#page={reference.page}"
        return self._to(citation, reference.url)

    def side(self, side: "Side") -> str:
        """Return the same for one side of a contradiction."""
        return self._to(side, side.url) if side.url else ""

    def _to(self, quoted: "Citation | Side", url: str) -> str:
        snapshot = self._snapshots.get(quoted.snapshot)
        if snapshot is None or snapshot.text[quoted.start : quoted.end] != quoted.quote:
            return url
        if quoted.snapshot not in self._targets:
            self._targets[quoted.snapshot] = LinkTarget(snapshot.text)
        return self._targets[quoted.snapshot].link(quoted.start, quoted.end, url)
