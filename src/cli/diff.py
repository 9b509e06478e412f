"""`spyglass diff`."""

import json
from pathlib import Path

from ..kernel.one_line import tamed
from ..verify.difference import Change, CitedSource, Difference, Told, diff
from ..verify.file import read_report
from .bounds import bounded
from .console import write


def compare_reports(a: Path, b: Path, *, as_json: bool) -> bool:
    """Print what the second report says otherwise than the first, and return whether that is nothing.

    Raises ReportFileError.
    """
    with bounded(b):
        difference = diff(read_report(a).report, read_report(b).report)
    if as_json:
        write(json.dumps({"same": difference.is_empty, **difference.model_dump(mode="json")}, indent=2) + "\n")
    else:
        write(tamed("\n".join(_told(difference))) + "\n")
    return difference.is_empty


def _told(difference: Difference) -> list[str]:
    lines: list[str] = []
    for title, blocks in (
        ("Changed claims", [_changed(one) for one in difference.changed]),
        ("Other verdicts", [_judged(one) for one in difference.verdicts]),
        ("Added claims", [_claim("+", one) for one in difference.added]),
        ("Dropped claims", [_claim("-", one) for one in difference.dropped]),
        ("Added sources", [_source("+", one) for one in difference.sources_added]),
        ("Dropped sources", [_source("-", one) for one in difference.sources_dropped]),
        ("Sources whose text has changed", [_source("~", one) for one in difference.sources_updated]),
    ):
        if blocks:
            lines += [f"{title}: {len(blocks)}", *blocks, ""]
    return [*lines, f"{difference.same} claims are the same."]


def _changed(change: Change) -> str:
    return f"{_claim('-', change.before)}\n{_claim('+', change.after)}"


def _judged(change: Change) -> str:
    return f"  {change.after.text}\n    {change.before.verdict} → {change.after.verdict}"


def _claim(sign: str, told: Told) -> str:
    return f"{sign} {told.text} ({told.verdict})"


def _source(sign: str, cited: CitedSource) -> str:
    title = f" ({cited.title})" if cited.title not in ("", cited.place) else ""
    return f"{sign} {cited.place}{title}"
