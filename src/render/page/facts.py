"""What is known of a source, as a line of short facts."""

from typing import TYPE_CHECKING

from ...kernel.one_line import one_line
from ..source_labels import credibility, dates
from .element import Html, element

if TYPE_CHECKING:
    from ...report.report import Reference
    from ..labels import Labels


def known(entry: "Reference", place: str, words: "Labels") -> list[str]:
    """Return all that is known of a cited passage beside its title: what it is and where, its standing, its dates."""
    kind = words.local if entry.kind == "file" else words.web_page
    where = [text for text in (kind, one_line(entry.path or entry.domain), place) if text]
    return [*where, *credibility(entry, words), *dates(entry.published, entry.retrieved_at, words)]


def facts(*texts: str) -> Html:
    """Return short facts as a line of them."""
    return element("span", *(element("span", text, class_="fact", dir="auto") for text in texts), class_="facts")
