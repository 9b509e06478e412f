"""Prompt templates, with strict rendering, and the delimited block for untrusted text in a prompt."""

from .block import quoted
from .template import render

__all__ = ["quoted", "render"]
