"""What can be quoted from a catalogue, as candidates for an answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from ..answer import Candidate, points
from ..evidence import Statement, roots
from ..evidence.statement import FENCED, within
from ..kernel.source import Passage
from ..rag.chunk import HEADINGS, heading_at
from ..rag.explained import explained, in_own_line, questions_in_own_line
from ..tree import Cite, Sentence
from .source_index import CitedPassage, SourceEntry, SourceIndex

_HEADING = re.compile(r"^(#{1,6})[ \t]+(\S[^\n]*)", re.MULTILINE)

_SHOWN = re.compile(r"^[ \t]*(?:\||(?:[-*+]|\d{1,3}[.)])[ \t]+\S)", re.MULTILINE)
"""The first line of a table or a list: what points to it shows it."""

_MARKER = re.compile(r"[ \t]*(?:[-*+|]|\d{1,3}[.)])[ \t]+\Z")

_LISTED = re.compile(rf"\s*\n{_SHOWN.pattern}", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Quotable:
    """A statement of a catalogue: its place in the catalogue's order, where it stands, and what it is as an answer.

    `paragraph` is where its paragraph begins, and `path` the headings that it stands below, the document's title first.
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
        """The statement's content words."""
        return self.statement.roots

    @property
    def cite(self) -> Cite:
        """A citation of the statement."""
        return self.passage.cite(self.statement.start, self.statement.end)

    def sentence(self, label: str = "") -> Sentence:
        """Return the statement as a sentence of a report, behind a label that says what it is said of."""
        return Sentence(parts=[label + self.statement.text, self.cite], asserts=True)


def quotable(index: SourceIndex) -> list[Quotable]:
    """Return every statement of the catalogue once, in order; overlapping passages share theirs. Blocks."""
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
                above, heading, path = max(found for found in headings if found[0] <= one.start)
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
    """Return the statement that stands before one in its paragraph, out of all candidates; None where none does."""
    found = candidates[one.order - 1] if one.order else None
    return found if found is not None and found.paragraph == one.paragraph else None


def _is_torn(one: Statement, before: str) -> bool:
    """Whether a statement continues a sentence cut off before it: its first word is a lower-case function word.

    The item of a list may begin so.
    """
    first = one.text.partition(" ")[0]
    is_small = first.isalpha() and first.islower() and not roots(first)
    return is_small and not _MARKER.search(before.rpartition("\n")[2])


def headings_in(passage: Passage, title: str) -> list[tuple[int, str, tuple[str, ...]]]:
    """Return the headings of a passage with their places in the snapshot and paths, first the one that it begins below.

    A path begins with the title. A term in a line of its own heads what it means, as a setting of a manual heads its
    description, and so does a question what answers it. A heading stands below those before it whose level is less; of
    those that a passage begins below only the order is known, so the last one has the level that it has in the passage,
    else as many are above it.
    """
    begins, text = passage.start, passage.text
    path = tuple(filter(None, passage.heading.split(HEADINGS)))
    code = [block.span() for block in FENCED.finditer(text)]
    headings = (place for place in _HEADING.finditer(text) if not within(code, place.start()))
    marked = [(place.start(), place[2], len(place[1])) for place in headings]
    marked += [(at, one[0], one[2]) for at in _begun(text) if (one := heading_at(text, at))]
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
    """Return where the paragraph begins that a place of the snapshot lies in, or the passage where that is later."""
    break_at = passage.text.rfind("\n\n", 0, max(0, place - passage.start))
    return passage.start + break_at + 2 if break_at >= 0 else passage.start
