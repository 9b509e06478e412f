"""The terms that a text explains: in a short line of their own above what they mean, or before a dash."""

import re
from collections.abc import Iterator

_TERM = r"[*_`]{0,3}(?P<term>[^\W_][^\n.!?:;|#*`]{0,58}?)[*_`]{0,3}[ \t]"
_ALONE = re.compile(rf"(?:\A|\n[ \t]*\n)[ \t]*{_TERM}*\n(?:[ \t]*\n|:)[ \t]*(?=[^\s#|>-])")
_BEFORE_DASH = re.compile(rf"^[ \t]*(?:[-*][ \t]+)?{_TERM}+[-–—][ \t]+\S", re.MULTILINE)
_DASH = re.compile(r"\s[-–—]\s")

MOST_WORDS = 5
"""Words of a term."""


def explained(text: str) -> Iterator[tuple[str, int]]:
    """Yield each term with where its explanation begins, in two passes over the text: lines first, then dashes."""
    for pattern in (_ALONE, _BEFORE_DASH):
        for match in pattern.finditer(text):
            if len(match["term"].split()) <= MOST_WORDS and not _DASH.search(match["term"]):
                yield match["term"], match.end() if pattern is _ALONE else match.start("term")
