"""The text in the comments of configuration files, without the marks at the beginnings of its lines.

With the marks, each line would be read as a heading of Markdown, and settings between them as sentences.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

_MARKED: Final = re.compile(r"[ \t]*[#;]")
_COMMENT: Final = re.compile(r"([ \t]*)(?:#+:?|;+)(?:[ \t]|$)")
LEAST: Final = 0.2
"""The least share of comments that are adjacent, as headings are not, in the lines of a file that is read so: it is .4
to .9 in examples of configuration files. Programs and catalogues of messages with as many are read so, too."""


def uncommented(text: str) -> str:
    """Return a text without the marks of its comments, and with what is between them as code, if it is a commented one.

    Its lines keep their numbers: a block of code is fenced where blank lines surround it, and a comment directly below
    a setting begins an item, with what follows it. A line with a mark directly before its first letter, such as a
    setting that is commented out, is no comment.
    """
    lines = text.split("\n")
    marked = (run for is_marked, run in _runs(lines, _MARKED) if is_marked and len(run) > 1)
    adjacent = sum(1 for run in marked for line in run if _COMMENT.match(line))
    if adjacent < max(2, LEAST * sum(1 for line in lines if line.strip())):
        return text
    shown: list[str] = []
    for is_comment, run in _runs(lines, _COMMENT):
        if is_comment:
            is_below = shown and shown[-1].strip(" \t`")  # a setting, which the comment is not about
            first = _COMMENT.sub(r"\1- " if is_below else r"\1", run[0], count=1)
            shown += [first, *(_COMMENT.sub(r"\1", line, count=1) for line in run[1:])]
        else:
            shown += _as_code(run)
    return "\n".join(shown)


def _runs(lines: Iterable[str], pattern: re.Pattern[str]) -> Iterator[tuple[bool, list[str]]]:
    """Yield the runs of lines that match a pattern, and of those that do not."""
    return ((matches, list(run)) for matches, run in groupby(lines, lambda line: bool(pattern.match(line))))


def _as_code(lines: list[str]) -> list[str]:
    """Return lines with fences in the place of the blank lines before and after them, if there are any."""
    filled = [number for number, line in enumerate(lines) if line.strip()]
    if not filled or filled[0] == 0 or filled[-1] == len(lines) - 1 or any("```" in line for line in lines):
        return lines
    first, last = filled[0] - 1, filled[-1] + 1
    return [*lines[:first], "```", *lines[first + 1 : last], "```", *lines[last + 1 :]]
