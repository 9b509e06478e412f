"""The record of a run's effects."""

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
