"""The open elements of a page, and which of them a tag ends, so that every element is closed inside its parent.

Follows the rules of the HTML standard (https://html.spec.whatwg.org/#parsing-main-inbody), except the adoption of
misnested formatting elements, which changes no text. The depths of open elements are stored by name, so that a tag
takes no more time on a deeply nested page.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

VOID: Final = frozenset((
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen", "link",
    "meta", "param", "source", "track", "wbr",
))  # fmt: skip
BLOCK: Final = frozenset((
    "address", "article", "aside", "blockquote", "body", "button", "caption", "center",
    "dd", "details", "dialog", "dir",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frameset", "h1", "h2", "h3", "h4",
    "h5", "h6", "head", "header", "hgroup", "html", "legend", "li", "listing", "main", "menu", "nav", "noscript",
    "object", "ol", "optgroup", "option", "p", "pre", "search", "section", "select", "summary", "table", "tbody",
    "td", "template", "tfoot", "th", "thead", "tr", "ul",
))  # fmt: skip
"""Elements that begin a new line, and elements that the end tag of a formatting element inside them does not close."""

_ENDS_PARAGRAPH: Final = BLOCK - frozenset((
    "body", "caption", "head", "html", "noscript", "object", "optgroup", "option", "select", "tbody", "td",
    "template", "tfoot", "th", "thead", "tr",
))  # fmt: skip
_ENDS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "li": (("li",), ("ul", "ol", "menu", "dir", "table")),
    "dt": (("dt", "dd"), ("dl", "table")),
    "dd": (("dt", "dd"), ("dl", "table")),
    "option": (("option",), ("select",)),
    "optgroup": (("optgroup", "option"), ("select",)),
}
"""For each start tag, the open elements that it ends, and the elements that prevent this if opened later."""

_GROUPS: Final = ("tbody", "thead", "tfoot", "table")
_PARENTS: Final[dict[str, tuple[str, ...]]] = {
    "caption": ("table",),
    "tbody": ("table",),
    "thead": ("table",),
    "tfoot": ("table",),
    "tr": _GROUPS,
    "td": ("tr", *_GROUPS),
    "th": ("tr", *_GROUPS),
}
"""The parents of the parts of a table; elements opened inside a parent are ended by the next part."""

HEADINGS: Final = frozenset(f"h{level}" for level in range(1, 7))
_SCOPES: Final = frozenset(("table", "td", "th", "caption", "template", "object"))
_PARTS: Final = frozenset(("table", "td", "th", "caption", "tbody", "thead", "tfoot", "tr"))


class OpenElements:
    """The open elements, outermost first, and by name the depths (indexes) at which they are open."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.depths: defaultdict[str, list[int]] = defaultdict(list)
        self._blocks: list[int] = [-1]
        self._scopes: list[int] = [-1]

    def push(self, name: str) -> None:
        """Open an element inside the last one."""
        depth = len(self.names)
        self.names.append(name)
        self.depths[name].append(depth)
        if name in BLOCK:
            self._blocks.append(depth)
            if name in _SCOPES and (name not in _PARENTS or self.depths["table"]):  # outside a table it is ignored
                self._scopes.append(depth)

    def pop(self) -> None:
        """Close the last element."""
        name = self.names.pop()
        self.depths[name].pop()
        if name in BLOCK:
            self._blocks.pop()
            if self._scopes[-1] == len(self.names):
                self._scopes.pop()

    def ended_by(self, name: str) -> int:
        """Return how many elements stay open when an element of this name begins."""
        depth = top = len(self.names)
        if name in _PARENTS:
            return self._last(_PARENTS[name]) + 1 if self.depths["table"] else top
        if name in _ENDS:
            ended, limits = _ENDS[name]
            last = self._last(ended)
            if last > self._last(limits):
                depth = last
        elif name in HEADINGS and self.names and self.names[-1] in HEADINGS:
            depth = top - 1
        if (paragraphs := self.depths["p"]) and paragraphs[-1] > self._scopes[-1] and name in _ENDS_PARAGRAPH:
            depth = min(depth, paragraphs[-1])
        return depth

    def ended_by_end_tag(self, name: str) -> int:
        """Return how many elements stay open after an end tag of this name; all if it closes none."""
        top = len(self.names)
        if top and self.names[-1] == name:
            return top - 1
        last = self._last(HEADINGS if name in HEADINGS else (name,))
        if name not in BLOCK:
            reach = self._blocks[-1]
        elif name in _PARTS:
            reach = self._last(("table",)) - 1
        else:
            reach = self._scopes[-1] - (name in _SCOPES)
        return last if last > max(reach, -1) else top

    def _last(self, names: Iterable[str]) -> int:
        """Return the depth of the innermost open element of these names, or -1."""
        return max((depths[-1] for name in names if (depths := self.depths.get(name))), default=-1)
