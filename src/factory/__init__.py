"""Creates agents and models by name."""

from .factory import Factory

__all__ = ["Factory"]
