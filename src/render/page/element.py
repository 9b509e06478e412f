"""HTML by elements: whatever is not an element is text, and cannot become one."""

import re
from collections.abc import Sequence
from html import escape

from ...kernel.one_line import COMMANDING

_UNSEEN = re.compile(rf"[{COMMANDING}\ud800-\udfff\ufffe\uffff]")
"""Control characters, those that turn the direction of what follows, and halves of characters."""


class Html(str):
    """HTML that was made here; every other string is text."""

    __slots__ = ()


def plain(text: str) -> str:
    """Return a text without the characters that a page must not have: nobody sees them."""
    return _UNSEEN.sub("", text)


def markup(text: str) -> Html:
    """Return the HTML that shows a text as it is."""
    return text if isinstance(text, Html) else Html(escape(plain(text)))


def joined(*parts: str, by: str = "") -> Html:
    """Return the parts that are not empty side by side."""
    return Html(markup(by).join(markup(part) for part in parts if part))


def element(name: str, *inside: str, **attributes: str | int | None) -> Html:
    """Return an element. `class_` and `aria_label` stand for `class` and `aria-label`; None leaves an attribute out."""
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{markup(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{pairs}>{joined(*inside)}</{name}>")


def table(head: Html, rows: Sequence[Html], name: str) -> Html:
    """Return a table in a frame: it may be wider than the page, and can be moved sideways, also by keys."""
    inside = element("table", element("thead", head), element("tbody", *rows) if rows else "", dir="auto")
    return element("div", inside, class_="table", role="group", tabindex=0, aria_label=name)


def heads(*texts: str) -> Html:
    """Return the row of a table that names its columns."""
    return element("tr", *(element("th", text, scope="col") for text in texts))
