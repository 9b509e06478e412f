"""Where a text has a block of code: whole, or not at all."""

import re

_WORD = re.compile(r"\S+")
_BESIDE = frozenset(" `'\"|")
"""What may stand beside code in a text; anything else would go on with it."""


def find(code: str, text: str) -> tuple[int, int] | None:
    """Return the span in which a text first has all of a block of code, whatever its white space; None without one.

    Linear in the text. A piece of a longer word is not found: `rm -r a` does not stand in `rm -r a/b`.
    """
    words = list(_WORD.finditer(text))
    wanted, given = " ".join(code.split()), " ".join(match[0] for match in words)
    place = given.find(wanted) if wanted else -1
    while place >= 0:
        end = place + len(wanted)
        if {given[place - 1 : place] or " ", given[end : end + 1] or " "} <= _BESIDE:
            return _offset(words, given, place), _offset(words, given, end - 1) + 1
        place = given.find(wanted, place + 1)
    return None


def _offset(words: list[re.Match[str]], given: str, place: int) -> int:
    """Return where in the text a character stands, by its place among the words one blank apart."""
    return words[given.count(" ", 0, place)].start() + place - (given.rfind(" ", 0, place) + 1)
