"""What a reader should know of a source, in words: where in it a quote stands, how credible it is and how old."""

from typing import TYPE_CHECKING, Final

from ..evidence import visible
from ..kernel.one_line import one_line

if TYPE_CHECKING:
    from ..kernel.source import Passage
    from ..report import Reference, Report
    from .labels import Labels

MOST_NAMED: Final = 3  # sources of one text that an entry of the references names
LONGEST_NAME: Final = 60  # characters of a cell by which a row is named
_LEVELS: Final = {"tier1": "HIGH", "tier2": "MEDIUM", "tier3": "LOW"}


def dates(published: str, retrieved_at: str, words: "Labels") -> list[str]:
    """Return when a source was published, and when it was read."""
    return [
        *([words.published.format(date=one_line(published))] if published else []),
        *([words.retrieved.format(date=one_line(retrieved_at[:10]))] if retrieved_at else []),
    ]


def same_texts(report: "Report", words: "Labels") -> dict[str, str]:
    """Return which other sources have what is quoted of a cited one, by its id; those that are cited by their numbers.

    One of two copies may be a part of the other: that it has just this is told where its own passages show it.
    """
    numbers: dict[str, int] = {}
    for entry in report.references:
        numbers.setdefault(entry.source_id, entry.number)
    names = {source.id: source.path or source.url for source in report.sources}
    names |= {source: f"[{number}]" for source, number in numbers.items()}
    found = {source.id: "\n".join(passage.text for passage in source.passages) for source in report.sources}
    quoted: dict[str, list[str]] = {}
    for citation in report.citations:
        quoted.setdefault(citation.source_id, []).append(citation.quote)
    told = {}
    for group in report.copies:
        for source in numbers.keys() & set(group):
            same = [one for one in group if one != source and all(text in found[one] for text in quoted[source])]
            if not same:
                continue
            others = sorted(same, key=lambda one: numbers.get(one, len(names)))
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


def place(entry: "Reference", words: "Labels", text: str = "", start: int = 0, end: int = 0) -> str:
    """Return the page, the lines, or else the heading under which a cited passage stands; empty when unknown.

    With the stored text and the span of a quote they are those of the quote, and a row of a table has a name: that of
    its first cell that says something. Of what was read from a picture it says how sure OCR was. What a source says is
    not escaped.
    """
    where = page_or_lines(entry, words, text, start, end)
    if not where:
        heading = one_line(entry.heading.removeprefix(entry.title).removeprefix(" > "))
        where = f"“{heading}”" if heading else ""
    row = _row(text[start:end])
    sure = "" if entry.ocr_confidence is None else words.ocr.format(n=entry.ocr_confidence)
    return ", ".join(filter(None, (where, words.row.format(name=row) if row else "", sure)))


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
    """Return the name of the row of a Markdown table, empty for anything else."""
    if not quote.startswith("|") or "\n" in quote:
        return ""
    cells = (visible(cell) for cell in quote.replace("\\|", " ").strip("| ").split("|"))
    name = next((cell for cell in cells if any(char.isalpha() for char in cell)), "")
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME].rsplit(' ', 1)[0]}…"
