"""Ranks the statements that may answer a question, and decides whether any does, by a small linear model.

A candidate is a statement with its context. Its features, such as the share of the question's words, have fitted
weights. Questions are classified by what they ask for: a date, a definition, an overview.
"""

from .candidate import Candidate, headed
from .outdated import is_outdated
from .ranker import Answered, DetailedVerdict, RankedCandidate, Ranking, ranked
from .serving import serving
from .wanted import (
    DOCUMENTS,
    asking_words,
    asks_of_past,
    defined,
    is_broad,
    is_topic,
    points,
    set_beside,
    tells_default,
    tells_fact,
    topic,
    wanted,
    wants_fact,
    wants_overview,
    wants_several,
)

__all__ = [
    "DOCUMENTS",
    "Answered",
    "Candidate",
    "DetailedVerdict",
    "RankedCandidate",
    "Ranking",
    "asking_words",
    "asks_of_past",
    "defined",
    "headed",
    "is_broad",
    "is_outdated",
    "is_topic",
    "points",
    "ranked",
    "serving",
    "set_beside",
    "tells_default",
    "tells_fact",
    "topic",
    "wanted",
    "wants_fact",
    "wants_overview",
    "wants_several",
]
