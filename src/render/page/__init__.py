"""The report as a page: its parts as HTML, and how they look."""

from .card import Cards
from .doubts import contradictions, coverage, removed
from .element import Html, element, plain
from .front import contents, head
from .prose import Prose
from .sources import lines, references, searched

__all__ = [
    "Cards",
    "Html",
    "Prose",
    "contents",
    "contradictions",
    "coverage",
    "element",
    "head",
    "lines",
    "plain",
    "references",
    "removed",
    "searched",
]
