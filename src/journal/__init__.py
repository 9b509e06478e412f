"""The record of a run's effects."""

from .journal import Answer, Journal, effect_key

__all__ = ["Answer", "Journal", "effect_key"]
