"""Which statement answers a question, and whether any does: a small fitted model over plain features."""

from .candidate import Candidate, headed
from .ranker import Answered, RankedCandidate, Ranking, Told, ranked
from .serving import serving
from .wanted import (
    DOCUMENTS,
    asking_words,
    defined,
    is_broad,
    is_topic,
    numbered,
    points,
    set_beside,
    shows,
    tells_default,
    topic,
    version_in,
    wanted,
    wants_fact,
    wants_overview,
    wants_several,
    wants_version,
)

__all__ = [
    "DOCUMENTS",
    "Answered",
    "Candidate",
    "RankedCandidate",
    "Ranking",
    "Told",
    "asking_words",
    "defined",
    "headed",
    "is_broad",
    "is_topic",
    "numbered",
    "points",
    "ranked",
    "serving",
    "set_beside",
    "shows",
    "tells_default",
    "topic",
    "version_in",
    "wanted",
    "wants_fact",
    "wants_overview",
    "wants_several",
    "wants_version",
]
