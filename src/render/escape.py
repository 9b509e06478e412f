"""Text of others, made harmless in Markdown."""

import re

from ..kernel.one_line import one_line

_ALWAYS = re.compile(r"[\\`*\[\]<>]|(?<!\w)_|_(?!\w)|~(?=~)|&(?=#?\w+;)|\$(?!\d)")
_AT_START = re.compile(r"^(?:[#>+=|:-]|(\d{1,9})(?=[.)](?:\s|$)))")
_LINKED_BARE = re.compile(r"(?<=[a-z]):(?=//)|(?<=www)\.|(?<=\w)@(?=\w)|(?<=mailto):|(?<=xmpp):", re.IGNORECASE)
_INLINE = re.compile(
    r"(?P<kept>\\[!-/:-@\[-`{-~]|(?<!`)(?P<ticks>`{1,9})(?!`)[^`\n|]{1,1000}(?<!`)(?P=ticks)(?!`))"
    r"|(?P<name>(?<!\w)__\w{1,100}__(?!\w))|(?P<guarded>[`\[\]]|~(?=~~)|\$(?!\d))|(?P<tag><(?=[a-zA-Z/!?]))"
    r"|(?P<bare>" + _LINKED_BARE.pattern + ")",
    re.IGNORECASE,
)
_UNDERLINE = re.compile(r"^[ \t]*(?:=+|-+)[ \t]*$", re.MULTILINE)
_SCHEME = re.compile(r"https?://", re.IGNORECASE)


def escaped(text: str) -> str:
    """Return Markdown that shows the text as it is, on one line: no link, image, heading, list or HTML comes of it.

    Guards CommonMark, and of other dialects links of bare addresses and formulas.
    """
    safe = _ALWAYS.sub(r"\\\g<0>", one_line(text))
    safe = _LINKED_BARE.sub(r"\\\g<0>", safe)
    return _AT_START.sub(lambda match: f"{match[1]}\\" if match[1] else f"\\{match[0]}", safe)


def linked(url: str) -> str:
    """Return an address as a link when it is a web address, and as plain text when it is anything else."""
    if not _SCHEME.match(url):
        return escaped(url)
    quoted = "".join(char if char not in "<>\\`\"'" and not char.isspace() else f"%{ord(char):02X}" for char in url)
    return f"<{one_line(quoted)}>"


def harmless(markdown: str) -> str:
    """Return the Markdown without links, pictures and HTML: their marks show as plain characters.

    Emphasis, lists, tables, headings with `#` and code within a line stay; no fence and no formula comes of it. Fenced
    blocks are not for this function.
    """
    return _INLINE.sub(_guarded, markdown)


def without_underlines(markdown: str) -> str:
    """Return the Markdown without rules, and without the lines that make a heading of the one above."""
    return _UNDERLINE.sub("", markdown)


def _guarded(match: re.Match[str]) -> str:
    if match["kept"]:
        return match["kept"]
    if match["name"]:
        return match["name"].replace("_", "\\_")
    return "&lt;" if match["tag"] else f"\\{match[0]}"
