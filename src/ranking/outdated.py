"""Statements in outdated documents: the models cannot tell the rule of some years ago from the one in force."""

import math
from collections.abc import Sequence

from ..kernel.source import ISO_DATE, is_later
from .wanted import asks_of_past

OUTDATED, LIKELY = 1.2, 0.05
"""Subtracted from the score of a statement in a document that is more than a year older than the latest one with a
statement of LIKELY odds, as a share of the best one's. Of 60 questions about four folders, by which it was chosen, the
best statement is in a right file for 42 then, for 40 without; a lower or higher value changes no more than one."""


def less_if_outdated(question: str, dates: Sequence[str], scores: Sequence[float]) -> list[float]:
    """Return the scores of statements, less if their documents, of such ISO `dates` or none, are outdated.

    None is if the question is about the past, as far as `asks_of_past` tells: in English, German and Spanish.
    """
    least = max(scores, default=0.0) + math.log(LIKELY)
    likely = {date for date, score in zip(dates, scores, strict=True) if date and score >= least}
    outdated = {date for date in {*dates} if any(is_outdated(date, one) for one in likely)}
    if not outdated or asks_of_past(question):
        return list(scores)
    return [score - OUTDATED * (date in outdated) for date, score in zip(dates, scores, strict=True)]


def is_outdated(date: str, other: str) -> bool:
    """Whether an ISO date, month or year is more than a year before another; not if one is none."""
    found = ISO_DATE.match(date)
    return found is not None and is_later(other, f"{int(found[1]) + 1:04}{date[found.end(1) :]}")
