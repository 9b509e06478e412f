"""Passages of one text joined where they touch, each with the whole of a numbered list that it has a part of."""

import re
from collections.abc import Sequence
from typing import Any

from ..kernel.source import Passage

MOST_JOINED = 2_400  # characters; several passages of this length fit into a writer's prompt

MOST_COMPLETED = 2_000  # characters before and behind a passage from which a numbered list is completed

MOST_BETWEEN = 600  # characters of other text between two items of a list

_ITEM = re.compile(r"^(?P<indent>[ \t]*)(?P<number>\d{1,2})[.)][ \t]", re.MULTILINE)
_HEADING = re.compile(r"^(?:#{1,6}[ \t]|={3,}$|-{3,}$)", re.MULTILINE)


def joined(passages: list[Passage], text: str) -> list[Passage]:
    """Return the passages of a text in text order, joining those that overlap or are separated only by white space.

    Each is still a verbatim span; passages that do not overlap are joined up to MOST_JOINED characters. One that begins
    or ends within a numbered list has its other items too, up to MOST_COMPLETED characters on either side, unless the
    text has pages: half of the steps mislead.
    """
    return _joined([_with_all_items(passage, text) for passage in _joined(passages, text)], text)


def _joined(passages: list[Passage], text: str) -> list[Passage]:
    joined: list[Passage] = []
    for passage in sorted(passages, key=lambda span: (span.start, span.end)):
        before = joined[-1] if joined else None
        if before is None or not _goes_on(before, passage, text):
            joined.append(passage)
            continue
        update: dict[str, Any] = {"score": max(before.score, passage.score)}
        if passage.end > before.end:
            more = text[before.end : passage.end]
            update |= {"text": before.text + more, "end": passage.end, "last_line": passage.last_line}
        joined[-1] = before.model_copy(update=update)
    return joined


def _with_all_items(passage: Passage, text: str) -> Passage:
    """Return a passage with the items of a numbered list that it begins or ends in."""
    near = list(_ITEM.finditer(text, max(0, passage.start - MOST_COMPLETED), passage.end + MOST_COMPLETED))
    within = [item for item in near if passage.start <= item.start() < passage.end]
    own = [item for item in within if item["indent"] == min(within, key=_depth)["indent"]]
    if not own or passage.page is not None:
        return passage
    before = _continuing(own[0], [item for item in reversed(near) if item.end() <= passage.start], text, -1)
    after = _continuing(own[-1], [item for item in near if item.start() >= passage.end], text, 1)
    start = before[-1].start() if before else passage.start
    ends = [_end_of(item, text) for item in after]
    end = next((end for end in reversed(ends) if end <= passage.end + MOST_COMPLETED), passage.end)
    span = {"text": text[start:end], "start": start, "end": end}
    if passage.line is not None:
        span["line"] = passage.line - text.count("\n", start, passage.start)
    if passage.last_line is not None:
        span["last_line"] = passage.last_line + text.count("\n", passage.end, end)
    return passage.model_copy(update=span)


def _continuing(item: re.Match[str], others: Sequence[re.Match[str]], text: str, step: int) -> list[re.Match[str]]:
    """Return the items of the same list that follow an item, or with a `step` of -1 precede it, the nearest first.

    Between two items there may be deeper lists and MOST_BETWEEN characters of other text, but no heading.
    """
    found = [item]
    for other in others:
        if _depth(other) > _depth(item) and len(other[0]) != len(item[0]):
            continue  # an item of a deeper list
        first, second = sorted((found[-1], other), key=re.Match.start)
        gap = text[_end_of(first, text) : second.start()]
        is_next = int(other["number"]) == int(found[-1]["number"]) + step
        if not is_next or len(gap) > MOST_BETWEEN or _HEADING.search(text, first.end(), second.start()):
            break
        found.append(other)
    return found[1:]


def _end_of(item: re.Match[str], text: str) -> int:
    """Return where an item ends: at a blank line that no deeper text follows, a heading or another item."""
    blank = rf"\n(?:[ \t]*\n)+(?![ \t]{{{_depth(item) + 1}}})"
    limit = min(len(text), item.end() + MOST_COMPLETED + 1)
    end = re.compile(rf"{blank}|\n(?={_HEADING.pattern}|{_ITEM.pattern})", re.MULTILINE)
    if found := end.search(text, item.end(), limit):
        return found.start()
    return limit if limit < len(text) else item.end() + len(text[item.end() :].rstrip())


def _depth(item: re.Match[str]) -> int:
    return len(item["indent"])


def _goes_on(before: Passage, passage: Passage, text: str) -> bool:
    """Return whether a passage continues the one before it."""
    if passage.start < before.end:
        return passage.page == before.page
    touches = not text[before.end : passage.start].strip() and passage.end - before.start <= MOST_JOINED
    return touches and (passage.page, passage.heading) == (before.page, before.heading)
