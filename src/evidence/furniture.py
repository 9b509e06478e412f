"""Words that say nothing of their own in what is no sentence: in a heading, a question, a caption, a lead-in."""

from importlib.resources import files

from .alike import GRAMMAR
from .relevance import roots


def _words() -> str:
    lines = files(__package__).joinpath("furniture.txt").read_text(encoding="utf-8").splitlines()
    return " ".join(line for line in lines if not line.startswith("#"))


FURNITURE = roots(f"{_words()} {' '.join(GRAMMAR)}")
"""Cut to their roots, in seven languages."""
