"""What a reader should know of a source, in words: what it is, how credible and how old."""

from typing import TYPE_CHECKING

from ..kernel.one_line import one_line

if TYPE_CHECKING:
    from ..report import Reference, Report
    from .labels import Labels

MOST_NAMED = 3  # sources of one text that an entry of the references names
_LEVELS = {"tier1": "HIGH", "tier2": "MEDIUM", "tier3": "LOW"}


def dates(published: str, retrieved_at: str, words: "Labels") -> list[str]:
    """Return when a source was published, and when it was read."""
    return [
        *([words.published.format(date=one_line(published))] if published else []),
        *([words.retrieved.format(date=one_line(retrieved_at[:10]))] if retrieved_at else []),
    ]


def same_texts(report: "Report", words: "Labels") -> dict[str, str]:
    """Return which other sources have the text of a cited one, by its id; those that are cited by their numbers."""
    numbers: dict[str, int] = {}
    for entry in report.references:
        numbers.setdefault(entry.source_id, entry.number)
    names = {source.id: source.path or source.url for source in report.sources}
    names |= {source: f"[{number}]" for source, number in numbers.items()}
    told = {}
    for group in report.copies:
        for source in numbers.keys() & set(group):
            others = sorted((one for one in group if one != source), key=lambda one: numbers.get(one, len(names)))
            shown = [one_line(names.get(one, "")) for one in others[:MOST_NAMED]]
            more = [f"(+{len(others) - len(shown)})"] if len(others) > len(shown) else []
            told[source] = words.same_text.format(others=", ".join([*shown, *more]))
    return told


def credibility(entry: "Reference", words: "Labels") -> list[str]:
    """Return what the domain of a source counts for, as a number and in a word; nothing of a file."""
    if entry.credibility_score is None:
        return []
    level = _LEVELS.get(entry.credibility_tier)
    said = words.caution if level == "LOW" else words.levels[level] if level else ""
    number = words.credibility.format(score=entry.credibility_score)
    return [f"{number} ({said})" if said else number]
