"""Plain text with hyphenated line ends or the layout of a manual page: joining of words and marking of headings.

Line numbers do not change, because plain text is cited by them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ..kernel.term import STOP_WORDS
from .document import Document

LEAST_JOINED: Final = 3
"""Number of words broken at line ends that must also occur unhyphenated before other broken words are joined, too."""

_LONGEST_LINE: Final = 300
_HYPHEN: Final = "‐"
"""The hyphen that groff inserts into words, U+2010; hyphens of the source are mostly ASCII."""

_BREAK: Final = re.compile(rf"(?<=[^\W_])([-{_HYPHEN}])\n[ \t]*([^\W\d_]+)(?!\w)")
_WORD: Final = re.compile(rf"[^\W\d_]+(?:[-{_HYPHEN}][^\W\d_]+)*")
_LAST_WORD: Final = re.compile(r"(?<![^\W\d_])[^\W\d_]{2,}\Z")
_FIRST_LINES: Final = re.compile(
    r"\s*(?P<title>(?P<name>[^\s()]+)\(\w+\))[ \t]++(?:[^\n]{0,300}[ \t])?(?P=title)[ \t]*+\n(?:[ \t]*+\n)++"
    r"\S[^\n]*\n[ \t]+\S"
)
"""The beginning of a manual page: "LS(1)   User Commands   LS(1)", and a heading with indented text below it."""

_HEADING: Final = re.compile(r"(?P<section>\S.{0,79})\n[ \t]|   (?P<part>\S.{0,79})\n(?:\t|    )")
_FOOTER: Final = re.compile(r"\S.*(?:\t|  ).*\S")


@dataclass(frozen=True, slots=True)
class _Broken:
    """A word that is hyphenated at the end of a line: `text[start:hyphen]`, and `text[rest:]` in the next line.

    `start` includes characters attached before the word: a bracket, or words before another hyphen.
    """

    start: int
    hyphen: int
    rest: int
    first: str
    last: str


def read_page(text: str) -> Document | None:
    """Return a manual page that was formatted for a terminal, with its headings and title; None for any other text."""
    first = _FIRST_LINES.match(text)
    if first is None:
        return None
    lines = joined(text).split("\n")
    filled = [number for number, line in enumerate(lines) if line.strip()]
    lines[filled[0]] = ""
    if _FOOTER.fullmatch(lines[filled[-1]]):
        lines[filled[-1]] = ""
    begins = True  # whether this line may be a heading
    for number, (line, below) in enumerate(pairwise(lines)):
        heading = _HEADING.match(f"{line}\n{below}") if begins else None
        if heading:
            lines[number] = f"## {heading['section']}" if heading["section"] else f"### {heading['part']}"
        begins = bool(heading) or not line.strip()
    title = first["title"]
    return Document("\n".join(lines), title.lower() if first["name"].isupper() else title, "text")


def joined(text: str) -> str:
    """Return a text with words that are hyphenated at a line end joined in the next line, if that is certain.

    It is certain for a word that also occurs elsewhere in the text, with or without the hyphen; for all words if U+2010
    occurs at line ends only; and for further words of a text that hyphenates (see LEAST_JOINED).
    """
    broken = list(_broken(text))
    if not broken:
        return text
    ends = [0, *(word.rest + len(word.last) for word in broken)]
    starts = [*(word.hyphen - len(word.first) for word in broken), len(text)]
    whole = " ".join(text[end:start] for end, start in zip(ends, starts, strict=True)).lower().replace(_HYPHEN, "-")
    words = {match[0] for match in _WORD.finditer(whole)}
    added = ""  # the hyphen by which the text breaks words
    if text.count(_HYPHEN) == text.count(_HYPHEN + "\n") > 0:
        added = _HYPHEN
    elif sum((word.first + word.last).lower() in words for word in broken) >= LEAST_JOINED:
        added = "-"
    parts, done = [], 0
    for word in broken:
        hyphen = _kept(word, text[word.hyphen], words, added)
        if hyphen is not None:
            parts += [text[done : word.start].rstrip(" \t"), text[word.hyphen + 1 : word.rest]]
            parts += [text[word.start : word.hyphen], hyphen]
            done = word.rest
    return "".join([*parts, text[done:]])


def _broken(text: str) -> Iterator[_Broken]:
    for match in _BREAK.finditer(text):
        hyphen = match.start()
        line = text[max(text.rfind("\n", 0, hyphen) + 1, hyphen - _LONGEST_LINE) : hyphen]
        words = line.split()
        first = _LAST_WORD.search(line)
        if len(words) > 1 and first:
            yield _Broken(hyphen - len(words[-1]), hyphen, match.start(2), first[0], match[2])


def _kept(word: _Broken, hyphen: str, words: set[str], added: str) -> str | None:
    """Return the hyphen to join a word with, "" to join it without, or None to leave it broken."""
    first, last = word.first.lower(), word.last.lower()
    if hyphen == added == _HYPHEN:
        return ""
    if f"{first}-{last}" in words:
        return hyphen
    if first + last in words and added != _HYPHEN:
        return ""
    if not added or last in STOP_WORDS or not word.last.islower():
        return None
    return hyphen if added != hyphen or words.issuperset((first, last)) else ""
