"""A table that the code makes of lists."""

from collections.abc import Sequence

from .element import Html, element


def table(heads: Sequence[str], rows: Sequence[Html], name: str) -> Html:
    """Return a table that can be moved sideways where it is wider than the page."""
    head = element("thead", element("tr", *(element("th", text, scope="col") for text in heads)))
    return element(
        "div",
        element("table", head, element("tbody", *rows)),
        class_="table",
        role="group",
        tabindex=0,
        aria_label=name,
    )
