"""Text as it is kept: no control characters, nothing invisible, white space normalised."""

import re
from typing import Final

_UNSEEN: Final = (
    r"\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f"  # control characters
    r"\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    r"\uffa0\ufeff\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e007f\ud800-\udfff"
)
_JOINERS: Final = r"\u200c\u200d"
_VARIANTS: Final = r"\ufe00-\ufe0f\U000e0100-\U000e01ef"
_SUSPECT: Final = re.compile(f"[{_UNSEEN}{_JOINERS}{_VARIANTS}]")
_SEEN: Final = rf"[^\s{_JOINERS}{_VARIANTS}]"
_INVISIBLE: Final = re.compile(
    f"[{_UNSEEN}]"
    rf"|(?<![\u0590-\u200b\u200e-\U0010ffff])[{_JOINERS}]|[{_JOINERS}](?!{_SEEN})"  # joiners that join nothing
    rf"|(?<!{_SEEN})[{_VARIANTS}]"  # variants of nothing, in which text can be hidden
)
_BREAKS: Final = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


def line(text: str) -> str:
    """Return text as one line: runs of white space are one space, nothing that cannot be seen is left."""
    text = " ".join(text.split())
    if text.isascii() and text.isprintable():
        return text
    seen = visible(text)
    return text if seen == text else " ".join(seen.split())


def verbatim(text: str) -> str:
    """Return text whose lines and indentation stay: tabs become spaces, white space at line ends goes."""
    text = visible(_BREAKS.sub("\n", text)).expandtabs(4)
    return "\n".join(row.rstrip() for row in text.split("\n")).strip("\n")


def visible(text: str) -> str:
    """Return text without control characters and without those that show nothing but may say something."""
    return _INVISIBLE.sub("", text) if _SUSPECT.search(text) else text
