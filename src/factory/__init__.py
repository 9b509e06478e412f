"""Names to agents and models."""

from .factory import Factory

__all__ = ["Factory"]
