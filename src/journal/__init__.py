"""The record of a run's effects."""

from .journal import Answer, Durability, Journal, canonical, effect_key

__all__ = ["Answer", "Durability", "Journal", "canonical", "effect_key"]
