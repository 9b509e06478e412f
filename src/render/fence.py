"""Blocks of code in Markdown, written so that a viewer shows them and does nothing else with them."""

import re
from types import MappingProxyType
from typing import Final

_KINDS = (
    "bash c console cpp csharp css diff dockerfile go java javascript json kotlin lua makefile perl php powershell "
    "python r ruby rust scala sql swift text toml typescript yaml"
)
KINDS: Final = frozenset(_KINDS.split())
"""Kinds of code that viewers colour. A block of another kind has none: of a diagram, a map, a formula, a query or a
page a viewer makes something else, and may fetch what it names."""

_ALSO: Final = MappingProxyType(
    {"c++": "cpp", "c#": "csharp", "cs": "csharp", "golang": "go", "js": "javascript", "kt": "kotlin", "py": "python"}
    | {"plaintext": "text", "ps1": "powershell", "python3": "python", "rb": "ruby", "rs": "rust", "sh": "bash"}
    | {"shell": "bash", "ts": "typescript", "txt": "text", "yml": "yaml", "zsh": "bash"}
)
"""Other names of kinds."""


def fence(code: str, name: str = "") -> str:
    """Return a block of code under a fence that is longer than any in it; of what it is said to be, a kind of KINDS."""
    ticks = "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))
    return f"{ticks}{kind_of(name)}\n{code.rstrip()}\n{ticks}"


def kind_of(name: str) -> str:
    """Return the kind of KINDS that a block of code is said to be, nothing for another."""
    kind = _ALSO.get(name.lower(), name.lower())
    return kind if kind in KINDS else ""
