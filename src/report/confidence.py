"""The confidence level of a report, by the number and the quality of its cited sources."""

from collections.abc import Sequence
from statistics import fmean

from ..kernel.source import Source
from .comparison import deciding
from .report import Coverage, Level


def quality(source: Source) -> int:
    """Return a source's quality from 1 to 5: 4 for a local file; for a page, its recorded quality or by credibility."""
    if source.kind == "file":
        return 4
    if source.quality is not None:
        return source.quality
    score = source.credibility_score or 0
    return 5 if score >= 85 else 3 if score >= 70 else 2


def confidence(cited: Sequence[Source], coverage: Sequence[Coverage] = ()) -> Level | None:
    """Return HIGH for 3 cited sources of average quality 3.5, MEDIUM for 2 or an average of 3, else LOW.

    None if nothing is cited, or if sentences were ranked and none surely answers a sub-question (for a comparison, the
    whole question). LOW if none is more than partly answered, or one is not found. At most MEDIUM if some sub-question
    is not "plainly" answered: by a sentence with all its words and what it asks for, or by two documents.
    """
    ranked = {part.ranked for part in deciding((part.question, part) for part in coverage)} - {""}
    if not cited or (ranked and not ranked & {"plainly", "answered", "partly"}):
        return None
    if ranked and ("not found" in ranked or not ranked & {"plainly", "answered"}):
        return "LOW"
    average = fmean(map(quality, cited))
    if len(cited) >= 3 and average >= 3.5 and ranked <= {"plainly"}:
        return "HIGH"
    return "MEDIUM" if len(cited) >= 2 or average >= 3.0 else "LOW"
