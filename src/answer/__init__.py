"""Which statement answers a question, and whether any does: a small fitted model over plain features."""

from .candidate import entitled
from .ranker import Answered, RankedCandidate, Ranking, ranked
from .serving import serving
from .wanted import DOCUMENTS, asking_words, defined, is_broad, is_topic, set_beside, shows, wanted

__all__ = [
    "DOCUMENTS",
    "Answered",
    "RankedCandidate",
    "Ranking",
    "asking_words",
    "defined",
    "entitled",
    "is_broad",
    "is_topic",
    "ranked",
    "serving",
    "set_beside",
    "shows",
    "wanted",
]
