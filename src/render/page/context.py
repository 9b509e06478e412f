"""A quote in the context of the text around it."""

import re
import unicodedata
from itertools import groupby
from typing import NamedTuple

from ...evidence import shown

ROOM = 250  # characters that are shown on each side of a quote
LONGEST = 1_200  # characters of a quote that are shown
WINDOW = 3 * ROOM
"""Characters of the stored text read on each side of a quote: more than ROOM, since addresses and markup are cut."""

_HEADING = re.compile(r"^[ ]{0,3}#{1,6}[ \t]+", re.MULTILINE)
_BLANK = re.compile(r"\n[ \t]*\n")


class Context(NamedTuple):
    """A quote as a reader sees it, and the text on both sides of it, with the white space between."""

    before: str
    quote: str
    after: str


def context(text: str, start: int, end: int) -> Context:
    """Return `text[start:end]` in its context, cut at words; only the text nearby is read, however long it is."""
    quote = cut(readable(text[start : min(end, start + 2 * LONGEST)]), LONGEST)
    before, after = text[max(0, start - WINDOW) : start], text[end : end + WINDOW]
    left, right = readable(before), readable(after)
    if len(left) > ROOM or start > WINDOW:
        left = f"… {_end(left, ROOM)}"
    if len(right) > ROOM or end + WINDOW < len(text):
        right = f"{cut(right, ROOM).removesuffix(' …')} …"
    is_row = text.startswith("|", start)
    gap_before = _gap(before[len(before.rstrip()) :], line=is_row)
    gap_after = _gap(after[: len(after) - len(after.lstrip())], line=is_row or after.lstrip().startswith("|"))
    return Context(left + gap_before if left else "", quote, gap_after + right if right else "")


def readable(raw: str) -> str:
    """Return the visible text of a stored text: one line per paragraph and table row, without markup."""
    lines: list[str] = []
    for block in _BLANK.split(_HEADING.sub("", raw)):
        for is_row, group in groupby(block.split("\n"), key=lambda line: line.startswith("|")):
            texts = list(group)
            lines += [shown(row) for row in texts if row.strip("|:- \t")] if is_row else [shown("\n".join(texts))]
    return "\n".join(line for line in lines if line)


def cut(text: str, most: int) -> str:
    """Return the beginning of a text, cut at a word, or between characters where there are no words."""
    if len(text) <= most:
        return text
    space = max(text.rfind(" ", 0, most + 1), text.rfind("\n", 0, most + 1))
    return f"{text[: space if space > most // 2 else _between(text, most)].rstrip()} …"


def _end(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    first = len(text) - most
    space = re.compile(r"\s").search(text, first - 1, first + most // 2)
    return text[space.end() if space else _between(text, first) :]


def _between(text: str, at: int) -> int:
    """Return the last position up to `at` that is not within a character of several code points."""
    while 0 < at < len(text) and (unicodedata.combining(text[at]) or "\u200d" in text[at - 1 : at + 1]):
        at -= 1
    return at


def _gap(space: str, *, line: bool) -> str:
    """Return the white space between a quote and its neighbours as it is shown."""
    return "\n" if "\n" in space and (line or _BLANK.search(space)) else " " if space else ""
