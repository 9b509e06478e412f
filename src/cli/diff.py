"""`spyglass diff`."""

from pathlib import Path

from ..render import Labels, labels_in
from ..verify import Change, CitedSource, ComparedClaim, Difference, diff, read_report
from .bounds import bounded
from .console import write, write_json


def compare_reports(a: Path, b: Path, *, as_json: bool) -> bool:
    """Print what the second report says otherwise than the first, and return whether that is nothing.

    Raises ReportFileError.
    """
    with bounded(b):
        after = read_report(b).report
        difference = diff(read_report(a).report, after)
    if as_json:
        write_json({"same": difference.is_empty, **difference.model_dump(mode="json")})
    else:
        write("\n".join(_lines(difference, labels_in(after.language))) + "\n")
    return difference.is_empty


def _lines(difference: Difference, words: Labels) -> list[str]:
    def judged(one: Change) -> str:
        return f"  {one.after.text}\n    {verdict(one.before)} → {verdict(one.after)}"

    def claim(sign: str, told: ComparedClaim) -> str:
        return f"{sign} {told.text} ({verdict(told)})"

    def verdict(told: ComparedClaim) -> str:
        return words.verdicts.get(told.verdict, told.verdict)

    lines: list[str] = []
    for title, blocks in (
        ("changed", [f"{claim('-', one.before)}\n{claim('+', one.after)}" for one in difference.changed]),
        ("verdicts", [judged(one) for one in difference.verdicts]),
        ("added", [claim("+", one) for one in difference.added]),
        ("dropped", [claim("-", one) for one in difference.dropped]),
        ("sources_added", [_source("+", one) for one in difference.sources_added]),
        ("sources_dropped", [_source("-", one) for one in difference.sources_dropped]),
        ("sources_updated", [_source("~", one) for one in difference.sources_updated]),
    ):
        if blocks:
            lines += [f"{words.difference[title]}: {len(blocks)}", *blocks, ""]
    return [*lines, words.same_claims.format(n=difference.same)]


def _source(sign: str, cited: CitedSource) -> str:
    title = f" ({cited.title})" if cited.title not in ("", cited.place) else ""
    return f"{sign} {cited.place}{title}"
