"""Escapes untrusted text and code for Markdown, so that a viewer only displays it."""

import re
from types import MappingProxyType
from typing import Final

from ..kernel.one_line import one_line

_ALWAYS = re.compile(r"[\\`*\[\]<>]|(?<!\w)_|_(?!\w)|\A~|~(?=~|\Z)|&(?=#?\w+;)|\$(?!\d)")
_AT_START = re.compile(r"^(?:[#>|:]|[+-](?=\s|$)|[=-](?=[=-]*\s*$)|(\d{1,9})(?=[.)](?:\s|$)))")
_LINKED_BARE = re.compile(r"(?<=[a-z]):(?=//)|(?<=www)\.|(?<=\w)@(?=\w)|(?<=mailto):|(?<=xmpp):", re.IGNORECASE)

_KINDS = (
    "bash c console cpp csharp css diff dockerfile go java javascript json kotlin lua makefile perl php powershell "
    "python r ruby rust scala sql swift text toml typescript yaml"
)
KINDS: Final = frozenset(_KINDS.split())
"""Languages of code that viewers only highlight. Any other language name is dropped: a viewer may turn a diagram,
a map, a formula, a query or a page into something else, and fetch what it names."""

_ALSO: Final = MappingProxyType(
    {"c++": "cpp", "c#": "csharp", "cs": "csharp", "golang": "go", "js": "javascript", "kt": "kotlin", "py": "python"}
    | {"plaintext": "text", "ps1": "powershell", "python3": "python", "rb": "ruby", "rs": "rust", "sh": "bash"}
    | {"shell": "bash", "ts": "typescript", "txt": "text", "yml": "yaml", "zsh": "bash"}
)
"""Aliases of languages in KINDS."""


def escaped(text: str) -> str:
    """Return Markdown that shows the text literally, on one line, without a link, image, heading, list or HTML.

    Escapes the syntax of CommonMark, and of other dialects links from bare addresses, and formulas.
    """
    return at_start(within(one_line(text)))


def within(text: str) -> str:
    """Return a text escaped for use within a line; a space at either end is kept."""
    line = one_line(text)
    if not line:
        return " " if text else ""
    safe = _LINKED_BARE.sub(r"\\\g<0>", _ALWAYS.sub(r"\\\g<0>", line))
    return f"{' ' if text[0].isspace() else ''}{safe}{' ' if text[-1].isspace() else ''}"


def at_start(markdown: str) -> str:
    """Return Markdown escaped at the start of a line, so that it begins no heading, list, quote or table."""
    return _AT_START.sub(lambda match: f"{match[1]}\\" if match[1] else f"\\{match[0]}", markdown)


def linked(url: str) -> str:
    """Return a web address as a link, and anything else as plain text."""
    if not is_web(url):
        return escaped(url)
    quoted = "".join(char if char not in "<>\\`\"'" and not char.isspace() else f"%{ord(char):02X}" for char in url)
    return f"<{one_line(quoted)}>"


def is_web(url: str) -> bool:
    """Whether an address is a web address, to which a report may link."""
    return url[:8].lower().startswith(("https://", "http://"))


def fence(code: str, name: str = "") -> str:
    """Return a block of code in a fence longer than any in it, with its language only if it is one of KINDS."""
    ticks = "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))
    return f"{ticks}{kind_of(name)}\n{code.rstrip()}\n{ticks}"


def kind_of(name: str) -> str:
    """Return the language of a code block if it or its alias is one of KINDS, else an empty string."""
    kind = _ALSO.get(name.lower(), name.lower())
    return kind if kind in KINDS else ""
