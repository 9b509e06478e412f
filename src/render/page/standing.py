"""What a reader should know of a source: what it is, where in it the words stand, how credible and how old it is."""

from typing import TYPE_CHECKING

from ...line import one_line
from .element import Html, element

if TYPE_CHECKING:
    from ...report.report import Reference
    from ..labels import Labels

_LEVELS = {"tier1": "HIGH", "tier2": "MEDIUM", "tier3": "LOW"}


def place(entry: "Reference", words: "Labels") -> str:
    """Return where in its source a passage stands: the page, the lines, or else the heading; empty when unknown."""
    if entry.page is not None:
        return words.page.format(n=entry.page)
    if entry.line is None:
        heading = one_line(entry.heading.removeprefix(entry.title).removeprefix(" > "))
        return f"“{heading}”" if heading else ""
    if entry.last_line in (None, entry.line):
        return words.line.format(n=entry.line)
    return words.lines.format(n=entry.line, m=entry.last_line)


def dates(published: str, retrieved_at: str, words: "Labels") -> list[str]:
    """Return when a source was published, and when it was read."""
    return [
        *([words.published.format(date=one_line(published))] if published else []),
        *([words.retrieved.format(date=one_line(retrieved_at[:10]))] if retrieved_at else []),
    ]


def credibility(entry: "Reference", words: "Labels") -> list[str]:
    """Return what the domain of a source counts for, as a number and in a word; nothing of a file."""
    if entry.credibility_score is None:
        return []
    level = _LEVELS.get(entry.credibility_tier)
    said = words.caution if level == "LOW" else words.levels[level] if level else ""
    number = words.credibility.format(score=entry.credibility_score)
    return [f"{number} ({said})" if said else number]


def known(entry: "Reference", words: "Labels") -> list[str]:
    """Return all that is known of a cited passage beside its title: what it is and where, its standing, its dates."""
    kind = words.local if entry.kind == "file" else words.web_page
    where = [text for text in (kind, one_line(entry.path or entry.domain), place(entry, words)) if text]
    return [*where, *credibility(entry, words), *dates(entry.published, entry.retrieved_at, words)]


def facts(*texts: str) -> Html:
    """Return short facts as a line of them."""
    return element("span", *(element("span", text, class_="fact", dir="auto") for text in texts), class_="facts")
