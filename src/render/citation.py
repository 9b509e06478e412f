"""The citation markers in the text of a report: where they are, and to which of its citations each belongs."""

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..report.report import Report

_TOKEN = re.compile(
    r"(?P<fenced>^[ ]{0,3}(?P<fence>`{3,}+|~{3,}+)[^\n]*\n.*?(?:^[ ]{0,3}(?P=fence)[`~]*[ \t]*$|\Z))"
    r"|\\[!-/:-@\[-`{-~]"
    r"|(?<!`)(?P<ticks>`{1,9})(?!`)[^`\n]{1,1000}(?<!`)(?P=ticks)(?!`)"
    r"|\[(?P<number>\d{1,6})\]",
    re.MULTILINE | re.DOTALL,
)
"""What is read as a whole: code, fenced and within a line, in which numbers are no citations; an escape; a marker."""

TAGGED = re.compile(r"\[(?P<number>\d{1,6})(?:(?P<tag>[\u2e00-\u2e5d])(?P<index>\d{1,7}))?\]")
"""A marker, with the index of its citation where it has one, while Markdown is made into something else."""

SIGNS = frozenset(map(chr, range(0x2E00, 0x2E53)))
"""Characters that hardly a text has; those that it has not may tag its markers. They are punctuation, as the places are
where sentences begin and end: emphasis beside them stays what it is."""


class NumberMarker(NamedTuple):
    """A marker at `text[start:end]`, and the number in it."""

    start: int
    end: int
    number: int

    def tagged(self, tag: str, index: int) -> str:
        """Return the marker with the index of its citation in it."""
        return f"[{self.number}{tag}{index}]"


def markers(text: str) -> list[NumberMarker]:
    """Return the citation markers in the text of a section, in order; none in code or behind a backslash."""
    return [NumberMarker(*one.span(), int(one["number"])) for one in _TOKEN.finditer(text) if one["number"]]


def fenced(text: str) -> list[tuple[int, int]]:
    """Return where the fenced code of a text is."""
    return [match.span() for match in _TOKEN.finditer(text) if match["fence"]]


def unmarked(text: str) -> str:
    """Return a text without its markers, and without the blank before each."""
    kept, position = "", 0
    for marker in markers(text):
        kept += text[position : marker.start].removesuffix(" ")
        position = marker.end
    return kept + text[position:]


def cited(report: "Report") -> list[list[tuple[NumberMarker, int]]]:
    """Return the markers of each section with the index of the citation to which each belongs.

    They are counted over all sections; one with another number than the next citation, or without a reference, is left
    out.
    """
    references = {reference.number for reference in report.references}
    found: list[list[tuple[NumberMarker, int]]] = []
    index = 0
    for section in report.sections:
        own = []
        for marker in markers(section.text):
            expected = report.citations[index].number if index < len(report.citations) else 0
            if marker.number == expected and expected in references:
                own.append((marker, index))
                index += 1
        found.append(own)
    return found


def edited(text: str, edits: list[tuple[int, int, str]]) -> str:
    """Return a text with others in some of its places; those that begin in one that is replaced go behind it."""
    position, pieces = 0, []
    for start, end, other in sorted(edits):
        pieces += [text[position:start], other]
        position = max(position, end)
    return "".join([*pieces, text[position:]])
