"""Headings of plain text, marked as in Markdown: in capitals, with a number, or short lines above long paragraphs.

The number of lines does not change.
"""

import re
from typing import Final

from ..kernel.term import STOP_WORDS, fold

_MOST, _INDENT = 70, 3  # characters of a heading, and of the space before it

_NUMBER: Final = re.compile(
    r"(?:(?P<simple>\d{1,2}|[IVX]{1,5}|[A-Z](?=\)))[.)]|\d{1,2}(?P<parts>(?:\.\d{1,2})+)\.?|§[ ]?\d{1,3}[a-z]?\.?)"
    r"[ \t]+"
)
"""The number of a heading: "4.", "IV)", "B)", "2.3", "§ 5"."""

_TITLE: Final = re.compile(r"[^\W\d_][^|\t]*[^\W_][)\"'”’»]?")
"""What may follow it: a title without an end mark."""

_CAPITALS: Final = re.compile(r"(?=[^\n]*[^\W\d_]{4})(?!\S*\d)[^\W_][^|\t.;!?]*\??")
"""A line in capitals that is more than an abbreviation or the number of an account."""

_FEWEST: Final = 3
"""Headings without capitals or numbers that a text has, if it has any: a single one may be a greeting or a name."""

_SHORT, _LONG = 60, 60  # most characters of such a heading, and fewest of the line below it
_WORDS: Final = 9

_ABOVE: Final = re.compile(r"[^\W\d_][^|\t:]*[^\W_][)\"'”’»]?\??")
"""Such a heading: a title without a colon or an end mark, or a question."""

_ITEM: Final = re.compile(r"(?:[-–—*•·+]|\(?(?:\d{1,2}|[a-z])[.)])\s")
"""The beginning of an item of a list."""

_RULE: Final = re.compile(r"[ \t]*[=~*-]{3,}[ \t]*")
"""A line below a heading, which marks it already."""


def marked(text: str, title: str = "") -> str:
    """Return a plain text whose headings are marked: the `title` with `#`, others with `##` or more.

    A heading begins a paragraph, alone or above its text: a line in capitals, or one with a number ("4. Deposit",
    "§ 5 Haftung") that is no item of a list, since neither the line before nor the one after it has such a number. So
    are short lines ("Late returns", "Clause 2 - Quantities") above a list or a much longer line, if there are several.
    """
    lines = text.split("\n")
    short: dict[int, str] = {}
    filled = [number for number, line in enumerate(lines) if line.strip()]
    for before, number, after in zip([None, *filled], filled, filled[1:], strict=False):
        line, is_first = lines[number].strip(), not number or not lines[number - 1].strip()
        if not is_first or _RULE.fullmatch(lines[after]):
            continue
        if title and before is None and line.strip("*=#~- \t") == title:
            lines[number] = f"# {title}"
        elif level := _level(lines[number], "" if before is None else lines[before].strip(), lines[after].strip()):
            lines[number] = f"{'#' * level} {line}"
        elif _is_above(lines[number], lines[after].strip()):
            short[number] = f"## {line}"
    if len({*short.values()}) >= _FEWEST:
        lines = [short.get(number, line) for number, line in enumerate(lines)]
    return "\n".join(lines)


def _is_above(line: str, below: str) -> bool:
    """Whether a line that begins a paragraph is short and has no end, above a list or a line that is much longer."""
    said = line.strip()
    if len(said) > _SHORT or len(said.split()) > _WORDS or len(line) - len(line.lstrip()) > _INDENT or "  " in said:
        return False
    if _NUMBER.match(said):  # an item of a list
        return False
    goes_on = below[0].islower() or len(below) < max(_LONG, 1.5 * len(said))
    return not said[0].islower() and bool(_ABOVE.fullmatch(said)) and (bool(_ITEM.match(below)) or not goes_on)


def _level(line: str, before: str, after: str) -> int:
    """Return the number of `#` of a heading, 0 if a line is none, given the texts of the lines before and after it."""
    said = line.strip()
    goes_on = after[0] in ".,;:)" or (after[0].islower() and after[1:2] != ")")  # "a) …" does not
    if goes_on or len(said) > _MOST or len(line) - len(line.lstrip()) > _INDENT:
        return 0
    number = _NUMBER.match(said)
    own = said[number.end() :] if number else said
    if "  " in own:  # columns of a table
        return 0
    if _is_capital(own):
        return 0 if _is_capital(after[_numbered(after) :]) else _depth(number)
    if number is None or own[:1].islower() or not _TITLE.fullmatch(own) or fold(own.split()[-1]) in STOP_WORDS:
        return 0
    return 0 if _numbered_alike(number, before) or _numbered_alike(number, after) else _depth(number)


def _is_capital(text: str) -> bool:
    return text.isupper() and _CAPITALS.fullmatch(text) is not None


def _numbered(line: str) -> int:
    """Return the length of the number that a line begins with, 0 if there is none; a longer line is no heading."""
    number = _NUMBER.match(line, 0, _MOST)
    return number.end() if number else 0


def _depth(number: re.Match[str] | None) -> int:
    return 2 + (number["parts"].count(".") if number and number["parts"] else 0)


def _numbered_alike(number: re.Match[str], line: str) -> bool:
    """Whether a line has a number of the same form, as the next item of a list has."""
    other = _NUMBER.match(line)
    return other is not None and bool(other["simple"]) is bool(number["simple"]) and _depth(other) == _depth(number)
