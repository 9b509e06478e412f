"""How far a report can be trusted, by the number and the quality of the sources that it cites."""

from collections.abc import Sequence
from statistics import fmean

from ..kernel.source import Source
from .comparison import deciding
from .report import Coverage, Level


def quality(source: Source) -> int:
    """Return a source's quality from 1 to 5: a local file 4, a page as its record says or by its credibility score."""
    if source.kind == "file":
        return 4
    if source.quality is not None:
        return source.quality
    score = source.credibility_score or 0
    return 5 if score >= 85 else 3 if score >= 70 else 2


def confidence(cited: Sequence[Source], coverage: Sequence[Coverage] = ()) -> Level | None:
    """Return HIGH for 3 cited sources of average quality 3.5, MEDIUM for 2 or an average of 3, else LOW.

    None when nothing is cited, and when sentences were ranked and none is sure to answer a sub-question, of a
    comparison the whole; no more than MEDIUM when some sub-question is not plainly answered: by what has all its words
    and what it wants, or told by two documents.
    """
    ranked = {one.ranked for one in deciding((one.question, one) for one in coverage)} - {""}
    if not cited or (ranked and not ranked & {"plainly", "answered"}):
        return None
    average = fmean(map(quality, cited))
    if len(cited) >= 3 and average >= 3.5 and ranked <= {"plainly"}:
        return "HIGH"
    return "MEDIUM" if len(cited) >= 2 or average >= 3.0 else "LOW"
