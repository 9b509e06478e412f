"""Removal of control and invisible characters from text, and normalisation of white space."""

import re
from typing import Final

_HIDDEN: Final = (
    r"\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f"  # control characters
    r"\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    r"\uffa0\ufeff\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e007f\ud800-\udfff"
)
_JOINERS: Final = r"\u200c\u200d"
_VARIANTS: Final = r"\ufe00-\ufe0f\U000e0100-\U000e01ef"
_SUSPECT: Final = re.compile(f"[{_HIDDEN}{_JOINERS}{_VARIANTS}]")
_VISIBLE: Final = rf"[^\s{_JOINERS}{_VARIANTS}]"
_INVISIBLE: Final = re.compile(
    f"[{_HIDDEN}]"
    rf"|(?<![\u0590-\u200b\u200e-\U0010ffff])[{_JOINERS}]|[{_JOINERS}](?!{_VISIBLE})"  # joiners that join nothing
    rf"|(?<!{_VISIBLE})[{_VARIANTS}]"  # variation selectors without a character, which can hide text
)
_BREAKS: Final = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


def line(text: str) -> str:
    """Return text as one line: runs of white space become one space, invisible characters are removed."""
    text = " ".join(text.split())
    if text.isascii() and text.isprintable():
        return text
    shown = visible(text)
    return text if shown == text else " ".join(shown.split())


def verbatim(text: str) -> str:
    """Return text with its lines and indentation: tabs become spaces, white space at line ends is removed."""
    text = visible(_BREAKS.sub("\n", text)).expandtabs(4)
    return "\n".join(row.rstrip() for row in text.split("\n")).strip("\n")


def visible(text: str) -> str:
    """Return text without control characters and without invisible characters, which may hide text."""
    return _INVISIBLE.sub("", text) if _SUSPECT.search(text) else text
