"""Text of others, made harmless in Markdown."""

import re

from ..kernel.one_line import one_line

_ALWAYS = re.compile(r"[\\`*\[\]<>]|(?<!\w)_|_(?!\w)|\A~|~(?=~|\Z)|&(?=#?\w+;)|\$(?!\d)")
_AT_START = re.compile(r"^(?:[#>+=|:-]|(\d{1,9})(?=[.)](?:\s|$)))")
_LINKED_BARE = re.compile(r"(?<=[a-z]):(?=//)|(?<=www)\.|(?<=\w)@(?=\w)|(?<=mailto):|(?<=xmpp):", re.IGNORECASE)


def escaped(text: str) -> str:
    """Return Markdown that shows the text as it is, on one line: no link, image, heading, list or HTML comes of it.

    Guards CommonMark, and of other dialects links of bare addresses and formulas.
    """
    return at_start(within(one_line(text)))


def within(text: str) -> str:
    """Return the same of a text that stands within a line; a blank at either end stays."""
    line = one_line(text)
    if not line:
        return " " if text else ""
    safe = _LINKED_BARE.sub(r"\\\g<0>", _ALWAYS.sub(r"\\\g<0>", line))
    return f"{' ' if text[0].isspace() else ''}{safe}{' ' if text[-1].isspace() else ''}"


def at_start(markdown: str) -> str:
    """Return the beginning of a line so that it begins no heading, list, quote or table."""
    return _AT_START.sub(lambda match: f"{match[1]}\\" if match[1] else f"\\{match[0]}", markdown)


def linked(url: str) -> str:
    """Return an address as a link when it is a web address, and as plain text when it is anything else."""
    if not is_web(url):
        return escaped(url)
    quoted = "".join(char if char not in "<>\\`\"'" and not char.isspace() else f"%{ord(char):02X}" for char in url)
    return f"<{one_line(quoted)}>"


def is_web(url: str) -> bool:
    """Say whether an address is one of the web, to which a reader may be led."""
    return url[:8].lower().startswith(("https://", "http://"))
