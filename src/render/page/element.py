"""Builds HTML from elements; every other string is escaped, so that it cannot become an element."""

import re
from collections.abc import Sequence
from html import escape

from ...kernel.one_line import COMMANDING

_UNSEEN = re.compile(rf"[{COMMANDING}\ud800-\udfff\ufffe\uffff]")
"""Control characters, characters that change the text direction, lone surrogates and noncharacters."""


class Html(str):
    """A string that is HTML; every other string is text, and is escaped."""

    __slots__ = ()


def plain(text: str) -> str:
    """Return a text without invisible characters that a page must not contain."""
    return _UNSEEN.sub("", text)


def markup(text: str) -> Html:
    """Return the HTML that shows a text as it is."""
    return text if isinstance(text, Html) else Html(escape(plain(text)))


def joined(*parts: str, by: str = "") -> Html:
    """Return the non-empty parts, joined by `by`."""
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
    """Return a table in a focusable frame: it may be wider than the page, and scrolls sideways, also by keyboard."""
    inside = element("table", element("thead", head), element("tbody", *rows) if rows else "", dir="auto")
    return element("div", inside, class_="table", role="group", tabindex=0, aria_label=name)


def heads(*texts: str) -> Html:
    """Return the header row of a table."""
    return element("tr", *(element("th", text, scope="col") for text in texts))
