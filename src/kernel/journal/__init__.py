"""The record of a run's effects."""

from .journal import Answer, Durability, Journal, Mark, Timed, canonical, effect_key

__all__ = ["Answer", "Durability", "Journal", "Mark", "Timed", "canonical", "effect_key"]
