"""Cleaning of untrusted text: removal of terminal control sequences, folding onto one line, shortening."""

import re
import unicodedata
from typing import Any, Final

COMMANDING: Final = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Terminal control characters (C0 without tab and line end, DEL, C1) and text direction controls (Bidi_Control)."""

_COMMANDING = re.compile(f"[{COMMANDING}]")
_SEQUENCES = re.compile(
    r"\x1b\[[0-?]{0,40}[ -/]{0,10}[@-~]|\x1b[]PX^_][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|\x1b[ -/]{0,10}[0-~]"
)
"""Escape sequences for colours, cursor, titles, links and the clipboard (ECMA-48), in the form that programs write. The
one-character form (C1) is not matched: it is more often a wrongly decoded letter, whose neighbours must be kept."""

_SPELT = re.compile(r"(?<!\\)&(?:#(?P<number>\d{1,8}|[xX][0-9A-Fa-f]{1,7})|(?P<name>lrm|rlm));")


def sanitized(text: str) -> str:
    """Return a text without terminal control sequences and characters that change the direction of text."""
    return _COMMANDING.sub("", _SEQUENCES.sub("", text))


def sanitized_markup(markdown: str) -> str:
    """Return Markdown without control sequences and direction controls, whether literal or as character references."""
    return _SPELT.sub(lambda match: "" if _commands(match) else match[0], sanitized(markdown))


def _commands(reference: re.Match[str]) -> bool:
    if (number := reference["number"]) is None:
        return reference["name"] is not None
    code = int(number[1:], 16) if number[0] in "xX" else int(number)
    return code < 0x110000 and not sanitized(chr(code))


def sanitized_json(value: Any) -> Any:
    """Return a JSON value with `sanitized` applied to its strings and keys."""
    if isinstance(value, dict):
        return {sanitized_json(name): sanitized_json(item) for name, item in value.items()}
    if isinstance(value, list):
        return [sanitized_json(item) for item in value]
    return sanitized(value) if isinstance(value, str) else value


def escaped_json(text: str) -> str:
    """Return JSON text with direction controls, DEL and C1 controls escaped."""
    return _COMMANDING.sub(lambda match: f"\\u{ord(match[0]):04x}" if match[0] > "\x1f" else match[0], text)


def shortened(text: str, most: int) -> str:
    """Return the first `most` characters of a text, followed by an ellipsis if it is longer."""
    return text if len(text) <= most else f"{text[:most]}…"


def shortened_line(text: str, most: int) -> str:
    """Return a text on one line; if it is longer than `most` characters, it is cut at a word with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rsplit(' ', 1)[0]}…"


def one_line(text: str) -> str:
    """Return the text on one line: white space folded, control and direction characters removed."""
    folded = " ".join(text.split())
    if folded.isprintable():
        return folded
    spaced = (" " if char.isspace() else char for char in text)
    visible = (
        char for char in spaced if unicodedata.category(char) not in ("Cc", "Cf", "Cs") or char in "\u200c\u200d"
    )
    return " ".join("".join(visible).split())
