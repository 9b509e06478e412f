"""The journal of a run: its effects (external calls) and answers, for resumption and replay."""

from .effect import Answer, Mark, Recorded, Timed, canonical, effect_key
from .journal import Durability, Journal
from .tables import FORMAT, other_format

__all__ = [
    "FORMAT",
    "Answer",
    "Durability",
    "Journal",
    "Mark",
    "Recorded",
    "Timed",
    "canonical",
    "effect_key",
    "other_format",
]
