"""The statements of a source index that can be quoted, with the facts by which answers are ranked."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import TypeAlias

from ..evidence import Statement, roots
from ..evidence.statement import FENCED, within
from ..kernel.source import Passage
from ..markup import Cite, Sentence
from ..rag.chunk import HEADINGS, heading_at, heading_title
from ..rag.explained import explained, in_own_line, questions_in_own_line
from ..ranking import Candidate, points
from .source_index import CitedPassage, SourceEntry, SourceIndex

_HEADING = re.compile(r"^(#{1,6})[ \t]+(\S[^\n]*)", re.MULTILINE)

_SHOWN = re.compile(r"^[ \t]*(?:\||(?:[-*+]|\d{1,3}[.)])[ \t]+\S)", re.MULTILINE)
"""The first line of a table or a list. A statement that refers to what follows is no mere pointer if one follows."""

_MARKER = re.compile(r"[ \t]*(?:[-*+|]|\d{1,3}[.)])[ \t]+\Z")

Heading: TypeAlias = tuple[int, str, tuple[str, ...]]
"""The offset of a heading in its snapshot, its text, and its path: the headings above it, and itself."""

_LISTED = re.compile(rf"\s*\n{_SHOWN.pattern}", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Quotable:
    """A statement of a source index: its number in the index (`order`), its location, and itself as a candidate answer.

    `paragraph` is the snapshot and offset at which its paragraph begins, `path` the headings above it, the document's
    title first.
    """

    order: int
    entry: SourceEntry
    passage: CitedPassage
    statement: Statement
    candidate: Candidate
    paragraph: tuple[str, int]
    path: tuple[str, ...]

    @property
    def roots(self) -> frozenset[str]:
        """The roots of the statement's content words."""
        return self.statement.roots

    @property
    def cite(self) -> Cite:
        """A citation of the statement."""
        return self.passage.cite(self.statement.start, self.statement.end)

    def sentence(self, label: str = "") -> Sentence:
        """Return the statement as a sentence of a report, after a label that names its subject."""
        return Sentence(parts=[label + self.statement.text, self.cite], asserts=True)


def quotable(index: SourceIndex) -> list[Quotable]:
    """Return every statement of the index in order, once even if it is in several overlapping passages. Blocks."""
    found: dict[tuple[str, int, int], Quotable] = {}
    for entry in index.entries:
        for passage in entry.passages:
            own = passage.statements
            text = passage.passage.text
            terms = chain(explained(text), in_own_line(text))
            begun = {passage.passage.start + place: term for term, place in terms}
            headings = headings_in(passage.passage, entry.source.title)
            for place, one in enumerate(own):
                key = (entry.source.snapshot, one.start, one.end)
                if key in found:
                    continue
                term = begun.get(one.start, "")
                above, heading, path = heading_above(headings, one.start)
                opens = not place or own[place - 1].start <= above < one.start
                candidate = Candidate(
                    text=one.text,
                    term=term,
                    before="" if opens else own[place - 1].text,
                    after=own[place + 1].text if place + 1 < len(own) else "",
                    around="\n".join(filter(None, (passage.above, heading, term))),
                    title=entry.source.title,
                    heading=heading,
                    opens=opens,
                    passage=text,
                    rank=index.ranks[passage.label],
                    row=one.kind == "row",
                    leans=one.leans,
                    leads=_LISTED.match(text, one.end - passage.passage.start) is not None,
                    path=path[1:],
                    torn=not term and _is_torn(one, text[: one.start - passage.passage.start]),
                    points=points(one.text) and not _SHOWN.search(text, one.end - passage.passage.start),
                )
                paragraph = (entry.source.snapshot, _paragraph(passage.passage, one.start))
                found[key] = Quotable(len(found), entry, passage, one, candidate, paragraph, path)
    return list(found.values())


def preceding(one: Quotable, candidates: Sequence[Quotable]) -> Quotable | None:
    """Return the statement before one in the same paragraph, None if there is none; `candidates` are all statements."""
    found = candidates[one.order - 1] if one.order else None
    return found if found is not None and found.paragraph == one.paragraph else None


def _is_torn(one: Statement, before: str) -> bool:
    """Whether a statement is the rest of a sentence cut off before it: its first word is a lower-case function word.

    Always false for a list item or a row, which may begin with such a word.
    """
    first = one.text.partition(" ")[0]
    is_small = first.isalpha() and first.islower() and not roots(first)
    return is_small and not _MARKER.search(before.rpartition("\n")[2])


def heading_above(headings: Sequence[Heading], place: int) -> Heading:
    """Return the last of the headings of a passage that is not after a place in the snapshot."""
    return headings[bisect_right(headings, place, key=itemgetter(0)) - 1]


def headings_in(passage: Passage, title: str) -> list[Heading]:
    """Return the headings of a passage in order, with their offsets in the snapshot and their paths.

    The first one is the heading above the beginning of the passage. A path begins with the title. A term on a line of
    its own counts as the heading of its explanation, such as a setting in a manual, and a question as that of its
    answer. A heading is below the earlier ones with a smaller level number. Of the headings above the passage only the
    order is known: the last one gets its level in the passage if it is repeated there, else its depth.
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
    found = [(begins, path[-1] if path else "", path)]
    own_lines = chain(in_own_line(text), questions_in_own_line(text))
    for place, heading, level in sorted([*marked, *((place, term, 0) for term, place in own_lines)]):
        if level:
            open_headings = [*(one for one in open_headings if one[0] < level), (level, heading)]
            path = tuple(one for _, one in open_headings)
        found.append((begins + place, heading, path if level else (*path, heading)))
    return [(place, heading, path if path[:1] == (title,) else (title, *path)) for place, heading, path in found]


def _begun(text: str) -> list[int]:
    return [0, *(found.end() for found in re.finditer(r"\n[ \t]*\n+", text))]


def _paragraph(passage: Passage, place: int) -> int:
    """Return the offset at which the paragraph of a `place` begins, or at which the passage does, if that is later."""
    break_at = passage.text.rfind("\n\n", 0, max(0, place - passage.start))
    return passage.start + break_at + 2 if break_at >= 0 else passage.start
