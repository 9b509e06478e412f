"""Marks for superscript and line breaks in the text of a block being parsed, and the conversion of it to lines."""

import re
from collections.abc import Iterator
from typing import Final

from . import plain

RAISED, LOWERED, LINK, BREAK = MARKS = "\x02\x03\x04\x05"
"""Start and end of superscript, a link at its start, and a line break; the page's own such characters are removed."""

_BREAKS: Final = re.compile(rf"{BREAK}\s*(?:{BREAK}\s*)+")
_NOTE: Final = re.compile(rf"{RAISED}\s*(?:{LINK}[^{LOWERED}]{{0,12}}|\[[^\[\]{LOWERED}]{{1,12}}\]\s*){LOWERED}")
_POWER: Final = re.compile(rf"{RAISED}\s*([0-9+−-]{{1,6}})\s*{LOWERED}")
_EXPONENT: Final = re.compile(
    rf"{RAISED}\s*([nmkxy]|(?=[^{LOWERED}]*[0-9+−*/-])[\w+−-][\w+−*/.()-]{{0,11}})\s*{LOWERED}"
)
_SUPERSCRIPT: Final = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_UNMARKED: Final = str.maketrans({RAISED: None, LOWERED: None, LINK: None, BREAK: " "})
_ANCHOR: Final = re.compile(r"\s*[¶🔗]+$")


def lines(raw: str) -> Iterator[str]:
    """Yield the non-empty lines of a block: two breaks end a line, a single break is a space.

    Raised numbers become superscript characters, since 10 to the power of 6 is not 106, and other exponents follow a ^;
    raised marks of footnotes are removed.
    """
    for part in _BREAKS.split(raw) if BREAK in raw else (raw,):
        text = plain.line(_without_marks(part))
        if text.endswith(("¶", "🔗")):
            text = _ANCHOR.sub("", text)
        if text:
            yield text


def _without_marks(raw: str) -> str:
    if RAISED in raw:
        raw = _POWER.sub(lambda power: power[1].translate(_SUPERSCRIPT), _NOTE.sub("", raw))
        raw = _EXPONENT.sub(lambda power: f"^{power[1]}" if power[1].isalnum() else f"^({power[1]})", raw)
    return raw.translate(_UNMARKED) if any(mark in raw for mark in MARKS) else raw
