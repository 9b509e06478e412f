"""The headings that the statements of a passage are below."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from ..kernel.source import Passage
from ..rag.chunk import HEADINGS, heading_at, heading_title
from ..rag.explained import in_own_line, questions_in_own_line, run_in
from .statement import FENCED, within

_HEADING = re.compile(r"^(#{1,6})[ \t]+(?=[^\n]*[^\W_])(\S[^\n]*)", re.MULTILINE)


class HeadingAbove(NamedTuple):
    """A heading: the offset in its snapshot from which it applies, its text, and its path, which ends with itself.

    `is_there` is false where an earlier heading applies again, behind what a heading within the text is about.
    """

    place: int
    text: str
    path: tuple[str, ...]
    is_there: bool = True


def heading_above(headings: Sequence[HeadingAbove], place: int) -> HeadingAbove:
    """Return the last of the headings of a passage that is not after a place in the snapshot."""
    return headings[bisect_right(headings, place, key=attrgetter("place")) - 1]


def headings_in(passage: Passage, title: str) -> list[HeadingAbove]:
    """Return the headings of a passage in order, with their offsets in the snapshot and their paths.

    The first one is the heading above the beginning of the passage. A path begins with the title. A term on a line of
    its own counts as the heading of its explanation, such as a setting in a manual, and a question as that of its
    answer. A heading is below the earlier ones with a smaller level number. Of the headings above the passage only the
    order is known: the last one gets its level in the passage if it is repeated there, else its depth. One within
    the text, in bold type or capitals, applies to its paragraph, and the list below that.
    """
    begins, text = passage.start, passage.text
    path = tuple(filter(None, passage.heading.split(HEADINGS)))
    code = [block.span() for block in FENCED.finditer(text)]
    headings = (place for place in _HEADING.finditer(text) if not within(code, place.start()))
    marked = [(place.start(), heading_title(place[2]), len(place[1])) for place in headings]
    marked += [(at, heading_title(one[0]), one[2]) for at in _begun(text) if (one := heading_at(text, at))]
    own = next((level for _, heading, level in sorted(marked) if heading in path[-1:]), None)
    lowest = own or len(path) + (path[:1] != (title,))
    open_headings = [(lowest - len(path) + place, heading) for place, heading in enumerate(path, 1)]
    found = [HeadingAbove(begins, path[-1] if path else "", path)]
    own_lines = chain(in_own_line(text), questions_in_own_line(text))
    for place, heading, level in sorted([*marked, *((place, term, 0) for term, place in own_lines)]):
        if level:
            open_headings = [*(one for one in open_headings if one[0] < level), (level, heading)]
            path = tuple(one for _, one in open_headings)
        found.append(HeadingAbove(begins + place, heading, path if level else (*path, heading)))
    for term, start, end in run_in(text):
        if not within(code, start):
            above = heading_above(found, begins + start)
            again = above._replace(place=begins + end, is_there=False)
            within_text = HeadingAbove(begins + start, term, (*above.path, term))
            found = sorted([again, *found, within_text], key=lambda one: (one.place, one.is_there))
    return [one if one.path[:1] == (title,) else one._replace(path=(title, *one.path)) for one in found]


def _begun(text: str) -> list[int]:
    return [0, *(found.end() for found in re.finditer(r"\n[ \t]*\n+", text))]
