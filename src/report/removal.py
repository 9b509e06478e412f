"""A draft without some of its sentences, and without what only they gave a reason for."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from .draft import Draft, Sentence

Line = list[str | Sentence]
"""What stands on one line; a sentence that is wrapped stands on the line where it begins."""

_HEADING = re.compile(r"[ \t>]*#{1,6}[ \t]*")
_RULER = re.compile(r"[ \t]*\|?[ \t]*:?-+[-:| \t]*")


def without(draft: Draft, goes: Callable[[Sentence], bool]) -> Draft:
    """Return a draft without some of its sentences.

    With them go the bullet of an item, the line that they stood on, a heading with nothing below it, and the head of a
    table without rows.
    """
    if not any(map(goes, draft.sentences)):
        return draft
    kept: list[Line] = []
    for line in _lines(draft.parts):
        left = [part for part in line if not (isinstance(part, Sentence) and goes(part))]
        if len(left) == len(line):
            if not (_is_blank(line) and (not kept or _is_blank(kept[-1]))):
                kept.append(line)
        elif any(isinstance(part, Sentence) for part in left):
            kept.append(list(_closed_up(left, indented=left[0] is line[0])))
    kept = _with_rows(kept)
    kept = _with_content(kept)
    while kept and _is_blank(kept[-1]):
        kept.pop()
    return replace(draft, parts=tuple(_joined(kept)))


def _lines(parts: Iterable[str | Sentence]) -> list[Line]:
    lines: list[Line] = [[]]
    for part in parts:
        if isinstance(part, Sentence):
            lines[-1].append(part)
            continue
        first, *more = part.split("\n")
        lines[-1].append(first)
        lines += [[one] for one in more]
    return [[part for part in line if part != ""] for line in lines]


def _joined(lines: Sequence[Line]) -> Iterator[str | Sentence]:
    """Yield the parts of lines, the text between two sentences as one."""
    between = ""
    for number, line in enumerate(lines):
        between += "\n" if number else ""
        for part in line:
            if isinstance(part, str):
                between += part
                continue
            if between:
                yield between
            yield part
            between = ""
    if between:
        yield between


def _closed_up(line: Line, *, indented: bool) -> Iterator[str | Sentence]:
    """Yield the parts of a line without the blanks before and behind what went; those that indent it are kept."""
    before: str | Sentence = "" if indented else " "
    for number, part in enumerate(line):
        is_blank = isinstance(part, str) and not part.strip()
        follows = number + 1 < len(line)
        if not is_blank or (follows and not (isinstance(before, str) and before[-1:].isspace())):
            yield part
            before = part


def _is_blank(line: Line) -> bool:
    return all(isinstance(part, str) and not part.strip() for part in line)


def _asserts(line: Line) -> bool:
    return any(isinstance(part, Sentence) and part.asserts and not part.labels for part in line)


def _claims(line: Line) -> bool:
    """Say whether a line claims something, in a sentence or in a few words, as the head of a table does not."""
    return any(isinstance(part, Sentence) and part.asserts for part in line)


def _is_heading(line: Line) -> bool:
    return len(line) > 1 and isinstance(line[0], str) and bool(_HEADING.fullmatch(line[0]))


def _with_content(lines: Sequence[Line]) -> list[Line]:
    """Return the lines without the headings that nothing but another heading or the end follows."""
    kept: list[Line] = []
    has_content = False
    for line in reversed(lines):
        if _is_heading(line) and not has_content and not _asserts(line):
            continue
        if not (_is_blank(line) and (not kept or _is_blank(kept[-1]))):
            kept.append(line)
        has_content = not _is_heading(line) and (has_content or not _is_blank(line))
    return kept[::-1]


def _with_rows(lines: Sequence[Line]) -> list[Line]:
    """Return the lines without the heads of tables that have no row left."""
    kept: list[Line] = []
    for number, line in enumerate(lines):
        is_ruler = len(line) == 1 and isinstance(line[0], str) and bool(_RULER.fullmatch(line[0])) and "-" in line[0]
        has_row = number + 1 < len(lines) and not _is_blank(lines[number + 1])
        if is_ruler and not has_row and kept and not _is_blank(kept[-1]) and not _claims(kept[-1]):
            kept.pop()
        else:
            kept.append(line)
    return kept
