"""What a reader should know of a source, in words: what it is, how credible and how old."""

from typing import TYPE_CHECKING

from ..line import one_line

if TYPE_CHECKING:
    from ..report.report import Reference
    from .labels import Labels

_LEVELS = {"tier1": "HIGH", "tier2": "MEDIUM", "tier3": "LOW"}


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
