"""`spyglass diff`: compares two reports."""

from pathlib import Path

from ..render import Labels, labels_in
from ..verify import Change, CitedSource, ComparedClaim, Difference, diff, read_report
from .bounds import bounded
from .console import write_result


def compare_reports(a: Path, b: Path, *, as_json: bool) -> bool:
    """Print the differences between two reports, and return whether there are none.

    Raises ReportFileError.
    """
    with bounded(b):
        after = read_report(b).report
        difference = diff(read_report(a).report, after)
    record = {"same": difference.is_empty, **difference.model_dump(mode="json")}
    write_result(record, "\n".join(_lines(difference, labels_in(after.language))), as_json=as_json)
    return difference.is_empty


def _lines(difference: Difference, words: Labels) -> list[str]:
    def verdict_change(change: Change) -> str:
        return f"  {change.after.text}\n    {verdict(change.before)} → {verdict(change.after)}"

    def claim_line(sign: str, claim: ComparedClaim) -> str:
        return f"{sign} {claim.text} ({verdict(claim)})"

    def verdict(claim: ComparedClaim) -> str:
        return words.verdicts.get(claim.verdict, claim.verdict)

    lines: list[str] = []
    for title, blocks in (
        (
            "changed",
            [f"{claim_line('-', change.before)}\n{claim_line('+', change.after)}" for change in difference.changed],
        ),
        ("verdicts", [verdict_change(change) for change in difference.verdicts]),
        ("added", [claim_line("+", claim) for claim in difference.added]),
        ("dropped", [claim_line("-", claim) for claim in difference.dropped]),
        ("sources_added", [_source("+", source) for source in difference.sources_added]),
        ("sources_dropped", [_source("-", source) for source in difference.sources_dropped]),
        ("sources_updated", [_source("~", source) for source in difference.sources_updated]),
    ):
        if blocks:
            lines += [f"{words.difference[title]}: {len(blocks)}", *blocks, ""]
    return [*lines, words.same_claims.format(n=difference.same)]


def _source(sign: str, cited: CitedSource) -> str:
    title = f" ({cited.title})" if cited.title not in ("", cited.place) else ""
    return f"{sign} {cited.place}{title}"
