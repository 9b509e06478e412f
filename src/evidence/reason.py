"""Mismatches between a claim and a span of a source, and the reasons of a verdict as notices."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from ..kernel.notice import Notice
from ..kernel.one_line import shortened_line

Kind = Literal["number", "date", "unit", "name", "negation", "quantifier", "quote", "word"]


@dataclass(frozen=True, slots=True)
class FactMismatch:
    """One difference between a claim and a span.

    `what` is the claim's version, `found` the span's, each empty if it has none. `opposed` means that the span states
    something else in its place (5 ms for 7 ms) and does not merely lack it. `limits` means that the span says less than
    the claim (most for all, may for does): the claim is at most partly supported.
    """

    kind: Kind
    what: str
    found: str = ""
    opposed: bool = False
    limits: bool = False


_MOST_WORDS: Final = 6
_LONGEST: Final = 80

NOTHING: Final = Notice("nothing_of_it")
OTHERWISE: Final = Notice("otherwise")
TOO_LONG: Final = Notice("too_long")
TWO_LANGUAGES: Final = Notice("two_languages")
BESIDE: Final = Notice("beside")
UNREAD: Final = Notice("nothing_read")
NO_CODE: Final = Notice("code_in_none")

_CODES: Final[dict[Kind, tuple[str, str]]] = {
    "number": ("number_missing", "number_differs"),
    "date": ("date_missing", "date_differs"),
    "unit": ("unit_missing", "unit_differs"),
    "name": ("name_missing", "name_differs"),
    "quote": ("quote_missing", "quote_differs"),
    "negation": ("denial_missing", "says_otherwise"),
    "quantifier": ("quantifier_missing", "says_otherwise"),
    "word": ("word_missing", "says_otherwise"),
}
"""The codes of the notices by kind of mismatch: for a fact the source lacks, and for one that differs."""


def against(mismatch: FactMismatch) -> Notice:
    """Return the notice for a mismatch."""
    what, found = shortened_line(mismatch.what, _LONGEST), shortened_line(mismatch.found, _LONGEST)
    missing, code = _CODES[mismatch.kind]
    if not found:
        return Notice(missing, what=what)
    if what == found:
        return Notice("says_opposite", what=what)
    if code == "says_otherwise" and not what:
        return Notice("says_instead", found=found)
    return Notice(code, what=what, found=found)


def lacking(words: Sequence[str]) -> Notice:
    """Return the notice for words that the evidence lacks."""
    more = f" (+{len(words) - _MOST_WORDS})" if len(words) > _MOST_WORDS else ""
    return Notice("words_missing", words=", ".join(words[:_MOST_WORDS]) + more)


def unsupported_part(part: str) -> Notice:
    """Return the notice for an unsupported assertion of a sentence with several."""
    return Notice("part_unsupported", part=shortened_line(part, _LONGEST))
