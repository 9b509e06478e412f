"""Which elements a tag ends, so that every element is closed inside the one that it was opened in.

Follows the rules of the HTML standard for what a tag ends (https://html.spec.whatwg.org/#parsing-main-inbody), but for
the adoption of misnested formatting, which changes no text. What is open is known by
its place, so no tag costs more on a page that is nested deeply.
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
"""Elements that begin a new line, and those that no end tag of a formatting element reaches over."""

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
"""Which open elements a start tag ends, unless one of the second kind was opened since."""

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
"""In which elements the parts of a table stand; what was opened inside them is ended by the next part."""

_HEADINGS: Final = frozenset(f"h{level}" for level in range(1, 7))
_SCOPES: Final = frozenset(("table", "td", "th", "caption", "template", "object"))
_PARTS: Final = frozenset(("table", "td", "th", "caption", "tbody", "thead", "tfoot", "tr"))


class OpenElements:
    """The elements that are open, outermost first, and where the last of each kind stands among them."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.places: defaultdict[str, list[int]] = defaultdict(list)
        self._blocks: list[int] = [-1]
        self._scopes: list[int] = [-1]

    def push(self, name: str) -> None:
        """Open an element inside the last one."""
        place = len(self.names)
        self.names.append(name)
        self.places[name].append(place)
        if name in BLOCK:
            self._blocks.append(place)
            if name in _SCOPES and (name not in _PARENTS or self.places["table"]):  # outside of a table it is no part
                self._scopes.append(place)

    def pop(self) -> None:
        """Close the last element."""
        name = self.names.pop()
        self.places[name].pop()
        if name in BLOCK:
            self._blocks.pop()
            if self._scopes[-1] == len(self.names):
                self._scopes.pop()

    def ended_by(self, name: str) -> int:
        """Return how many elements stay open when one of this name begins."""
        place = top = len(self.names)
        if name in _PARENTS:
            return self._last(_PARENTS[name]) + 1 if self.places["table"] else top
        if name in _ENDS:
            ended, limits = _ENDS[name]
            last = self._last(ended)
            if last > self._last(limits):
                place = last
        elif name in _HEADINGS and self.names and self.names[-1] in _HEADINGS:
            place = top - 1
        if (paragraphs := self.places["p"]) and paragraphs[-1] > self._scopes[-1] and name in _ENDS_PARAGRAPH:
            place = min(place, paragraphs[-1])
        return place

    def meant_by(self, name: str) -> int:
        """Return how many elements stay open after an end tag of this name; all when it reaches none."""
        top = len(self.names)
        if top and self.names[-1] == name:
            return top - 1
        last = self._last(_HEADINGS if name in _HEADINGS else (name,))
        if name not in BLOCK:
            reach = self._blocks[-1]
        elif name in _PARTS:
            reach = self._last(("table",)) - 1
        else:
            reach = self._scopes[-1] - (name in _SCOPES)
        return last if last > max(reach, -1) else top

    def _last(self, names: Iterable[str]) -> int:
        """Return the place of the innermost open element of these names, or -1."""
        return max((places[-1] for name in names if (places := self.places.get(name))), default=-1)
