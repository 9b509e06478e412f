"""Prompt templates, rendered strictly, and the block in which a text from outside enters a prompt."""

from .block import quoted
from .template import render

__all__ = ["quoted", "render"]
