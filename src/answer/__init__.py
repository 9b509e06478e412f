"""Which statement answers a question, and whether any does: a small fitted model over plain features."""

from .candidate import headed
from .ranker import Answered, RankedCandidate, Ranking, ranked
from .serving import serving
from .wanted import (
    DOCUMENTS,
    asking_words,
    defined,
    is_broad,
    is_topic,
    set_beside,
    shows,
    topic,
    wanted,
    wants_fact,
    wants_overview,
    wants_several,
)

__all__ = [
    "DOCUMENTS",
    "Answered",
    "RankedCandidate",
    "Ranking",
    "asking_words",
    "defined",
    "headed",
    "is_broad",
    "is_topic",
    "ranked",
    "serving",
    "set_beside",
    "shows",
    "topic",
    "wanted",
    "wants_fact",
    "wants_overview",
    "wants_several",
]
