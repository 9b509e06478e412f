"""Texts for the facts about a source: the location of a quote, its credibility and its dates."""

from typing import TYPE_CHECKING, Final

from ..evidence import visible
from ..kernel.one_line import one_line

if TYPE_CHECKING:
    from ..kernel.source import Passage
    from ..report import Reference, Report
    from .labels import Labels

MOST_NAMED: Final = 3  # most copies that an entry of the references names
LONGEST_NAME: Final = 60  # most characters of the cell that names a row
_LEVELS: Final = {"tier1": "HIGH", "tier2": "MEDIUM", "tier3": "LOW"}


def dates(published: str, retrieved_at: str, words: "Labels") -> list[str]:
    """Return the dates on which a source was published and read."""
    return [
        *([words.published.format(date=one_line(published))] if published else []),
        *([words.retrieved.format(date=one_line(retrieved_at[:10]))] if retrieved_at else []),
    ]


def same_texts(report: "Report", words: "Labels") -> dict[str, str]:
    """Return a note on the copies that have the same quotes, for each cited source by id; cited ones by their numbers.

    A copy may be only a part of the other text, so it is listed only if its own passages contain the quotes.
    """
    numbers: dict[str, int] = {}
    for entry in report.references:
        numbers.setdefault(entry.source_id, entry.number)
    names = {source.id: source.path or source.url for source in report.sources}
    names |= {source: f"[{number}]" for source, number in numbers.items()}
    texts = {source.id: "\n".join(passage.text for passage in source.passages) for source in report.sources}
    quoted: dict[str, list[str]] = {}
    for citation in report.citations:
        quoted.setdefault(citation.source_id, []).append(citation.quote)
    notes = {}
    for group in report.copies:
        for source in numbers.keys() & set(group):
            quotes = quoted[source]
            same = [other for other in group if other != source and all(text in texts[other] for text in quotes)]
            if not same:
                continue
            others = sorted(same, key=lambda other: numbers.get(other, len(names)))
            shown = [one_line(names.get(other, "")) for other in others[:MOST_NAMED]]
            more = [f"(+{len(others) - len(shown)})"] if len(others) > len(shown) else []
            notes[source] = words.same_text.format(others=", ".join([*shown, *more]))
    return notes


def credibility(entry: "Reference", words: "Labels") -> list[str]:
    """Return the credibility of a source's domain, as a number and a word; empty for a file."""
    if entry.credibility_score is None:
        return []
    level = _LEVELS.get(entry.credibility_tier)
    label = words.caution if level == "LOW" else words.levels[level] if level else ""
    number = words.credibility.format(score=entry.credibility_score)
    return [f"{number} ({label})" if label else number]


def place(entry: "Reference", words: "Labels", text: str = "", start: int = 0, end: int = 0) -> str:
    """Return the page, the lines, or else the heading of a cited passage; empty when unknown.

    With the stored text and the span of a quote, the lines are those of the quote, and a table row is named by its
    first cell with letters. For text read from a picture, the OCR confidence is added. The result is not escaped.
    """
    location = page_or_lines(entry, words, text, start, end)
    if not location:
        heading = one_line(entry.heading.removeprefix(entry.title).removeprefix(" > "))
        location = f"“{heading}”" if heading else ""
    row = _row(text[start:end])
    confidence = "" if entry.ocr_confidence is None else words.ocr.format(n=entry.ocr_confidence)
    return ", ".join(filter(None, (location, words.row.format(name=row) if row else "", confidence)))


def page_or_lines(entry: "Reference | Passage", words: "Labels", text: str = "", start: int = 0, end: int = 0) -> str:
    """Return the page or the lines of a passage, or of a span of the stored text; empty when neither is known."""
    if entry.page is not None:
        return words.page.format(n=entry.page)
    if entry.line is None:
        return ""
    first, last = entry.line, entry.last_line
    if text:
        first = text.count("\n", 0, start) + 1
        last = first + text.count("\n", start, end)
    if last in (None, first):
        return words.line.format(n=first)
    return words.lines.format(n=first, m=last)


def _row(quote: str) -> str:
    """Return the name of a row in a Markdown table, empty for anything else."""
    if not quote.startswith("|") or "\n" in quote:
        return ""
    cells = (visible(cell) for cell in quote.replace("\\|", " ").strip("| ").split("|"))
    name = next((cell for cell in cells if any(char.isalpha() for char in cell)), "")
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME].rsplit(' ', 1)[0]}…"
