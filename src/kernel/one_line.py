"""Text from outside without terminal commands, and on one line."""

import re
import unicodedata
from typing import Any, Final

COMMANDING: Final = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""What a terminal obeys (C0 without tab and line end, DEL, C1), and what turns the direction of text (Bidi_Control)."""

_COMMANDING = re.compile(f"[{COMMANDING}]")
_SEQUENCES = re.compile(
    r"\x1b\[[0-?]{0,40}[ -/]{0,10}[@-~]|\x1b[]PX^_][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|\x1b[ -/]{0,10}[0-~]"
)
"""Colours, the cursor, and titles, links and the clipboard (ECMA-48), in the form in which programs write them. In the
other, of one character, they are letters that were decoded wrongly more often, whose neighbours have to stay."""

_SPELT = re.compile(r"(?<!\\)&(?:#(?P<number>\d{1,8}|[xX][0-9A-Fa-f]{1,7})|(?P<name>lrm|rlm));")


def tamed(text: str) -> str:
    """Return a text without terminal control sequences and characters that change the direction of text."""
    return _COMMANDING.sub("", _SEQUENCES.sub("", text))


def tamed_markup(markdown: str) -> str:
    """Return Markdown without these characters and character references to them."""
    return _SPELT.sub(lambda found: "" if _commands(found) else found[0], tamed(markdown))


def _commands(reference: re.Match[str]) -> bool:
    if (number := reference["number"]) is None:
        return reference["name"] is not None
    code = int(number[1:], 16) if number[0] in "xX" else int(number)
    return code < 0x110000 and not tamed(chr(code))


def tamed_json(value: Any) -> Any:
    """Return a JSON value with its strings and names `tamed`."""
    if isinstance(value, dict):
        return {tamed_json(name): tamed_json(one) for name, one in value.items()}
    if isinstance(value, list):
        return [tamed_json(one) for one in value]
    return tamed(value) if isinstance(value, str) else value


def escaped_json(text: str) -> str:
    """Return the same JSON with these characters as escapes."""
    return _COMMANDING.sub(lambda found: f"\\u{ord(found[0]):04x}" if found[0] > "\x1f" else found[0], text)


def shortened(text: str, most: int) -> str:
    """Return the beginning of a text, marked where more than so many characters of it are left out."""
    return text if len(text) <= most else f"{text[:most]}…"


def shortened_line(text: str, most: int) -> str:
    """Return the beginning of a text on one line, cut at a word where more than so many characters are left out."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rsplit(' ', 1)[0]}…"


def one_line(text: str) -> str:
    """Return the text on one line: white space folded, control and direction-override characters gone."""
    folded = " ".join(text.split())
    if folded.isprintable():
        return folded
    kept = (" " if char.isspace() else char for char in text)
    visible = (char for char in kept if unicodedata.category(char) not in ("Cc", "Cf", "Cs") or char in "\u200c\u200d")
    return " ".join("".join(visible).split())
