"""The record of a run's effects."""

from .effect import Answer, Mark, Timed, canonical, effect_key
from .journal import Durability, Journal

__all__ = ["Answer", "Durability", "Journal", "Mark", "Timed", "canonical", "effect_key"]
