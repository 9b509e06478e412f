"""The statements of a source index that can be quoted, with the facts by which answers are ranked."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, takewhile

from ..evidence import Relevance, Statement, roots, visible
from ..evidence.headings import heading_above, headings_in
from ..kernel.source import Passage
from ..markup import Cite, Sentence
from ..rag.explained import explained, in_own_line
from ..ranking import Candidate, points
from .source_index import ITEM, CitedPassage, SourceEntry, SourceIndex

_SHOWN = re.compile(r"^[ \t]*(?:\||(?:[-*+]|\d{1,3}[.)])[ \t]+\S)", re.MULTILINE)
"""The first line of a table or a list. A statement that refers to what follows is no mere pointer if one follows."""

_LISTED = re.compile(rf"\s*\n{_SHOWN.pattern}", re.MULTILINE)

_SENTENCES = re.compile(r"\s+[^\W\d_](?:[^\n]|\n(?!\s*\n)){0,80}(?<=[^\W_][.!])\s+")
"""Short sentences between two statements of a paragraph."""

_REST = re.compile(
    r"(?P<said>[ \t]*\n?[ \t]*[^\W\d_](?:[^\n.!]|\n(?!\s*\n)){0,60}(?<=[^\W_])[.!])"
    r"[ \t]*(?:\Z|\n[ \t]*(?:\Z|\n|(?:[-*+•]|\d{1,3}[.)])[ \t]))"
)
"""A short sentence up to the end of a paragraph or an item of a list."""

_SUBJECT = re.compile(r"[^\W_][^\n.:!?]{0,39}:\s")
"""The subject with which an item of a list begins, as in the minutes of a meeting: "Rent: settled at £4,050"."""

LONG_WORD = 8
"""Characters of a long word with the space after it."""

ABOVE = 600
"""Characters within which the opening of an explanation belongs to its later statements: “For example” below an option
says little without what the option does."""


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
    def begins_item(self) -> bool:
        """Whether it is the beginning of an item of a list."""
        return ITEM.fullmatch(self.passage.before_in_line(self.statement.start)) is not None

    @property
    def is_marked_row(self) -> bool:
        """Whether it is a row of a table with marks between its cells, as of Markdown or HTML."""
        passage = self.passage.passage
        return self.statement.kind == "row" and passage.text.startswith("|", self.statement.start - passage.start)

    def continues(self, other: "Quotable") -> bool:
        """Whether only white space within a paragraph separates it from the statement before."""
        text, begins = self.passage.passage.text, self.passage.passage.start
        between = text[max(0, other.statement.end - begins) : self.statement.start - begins]
        return self.order == other.order + 1 and self.paragraph == other.paragraph and not between.strip()

    def skipped(self, other: "Quotable") -> Sentence | None:
        """Return the short sentences of a paragraph between a statement and the one before it; None if there are none.

        They are no statements of their own, but what stands around them may say the opposite without them: “Do both!”
        """
        begins, after = self.passage.passage.start, other.statement.end
        if self.order != other.order + 1 or self.paragraph != other.paragraph or after < begins:
            return None
        between = self.passage.passage.text[after - begins : self.statement.start - begins]
        return self._short(after, between) if _SENTENCES.fullmatch(between) else None

    @property
    def rest(self) -> Sentence | None:
        """The sentence with which its paragraph ends, if that is too short to be a statement; None if there is none."""
        passage, begins = self.passage.passage, self.statement.end
        found = _REST.match(passage.text, begins - passage.start)
        if not found or any(0 <= one.start - begins < len(found["said"]) for one in self.passage.statements):
            return None
        return self._short(begins, found["said"])

    def _short(self, start: int, raw: str) -> Sentence:
        """Return a text of the snapshot, with white space around it, as a sentence of a report."""
        start += len(raw) - len(raw.lstrip())
        return Sentence(parts=[visible(raw), self.passage.cite(start, start + len(raw.strip()))], asserts=True)

    @property
    def cite(self) -> Cite:
        """A citation of the statement."""
        return self.passage.cite(self.statement.start, self.statement.end)

    def sentence(self, label: str = "") -> Sentence:
        """Return the statement as a sentence of a report, after a label that names its subject."""
        return Sentence(parts=[label + self.statement.text, self.cite], asserts=True)

    def aside(self, label: str) -> Sentence:
        """Return the statement in brackets, after a label."""
        return Sentence(parts=[f"({label}{self.statement.text}", self.cite, ")"], asserts=True)


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
                above, heading, path, is_there = heading_above(headings, one.start)
                opens = not place or (is_there and own[place - 1].start <= above < one.start)
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
                    published=entry.source.published,
                    torn=not term and _is_torn(one, passage.before_in_line(one.start)),
                    points=points(one.text) and not _SHOWN.search(text, one.end - passage.passage.start),
                )
                paragraph = (entry.source.snapshot, _paragraph(passage.passage, one.start))
                found[key] = Quotable(len(found), entry, passage, one, candidate, paragraph, path)
    return list(found.values())


def preceding(one: Quotable, candidates: Sequence[Quotable]) -> Quotable | None:
    """Return the statement before one in the same paragraph, None if there is none; `candidates` are all statements."""
    found = candidates[one.order - 1] if one.order else None
    return found if found is not None and found.paragraph == one.paragraph else None


def following(one: Quotable, candidates: Sequence[Quotable]) -> Iterator[Quotable]:
    """Yield the statements after one below its heading, in a list of several subjects up to the next one.

    An item has a subject of its own if it begins with it, and the item before has several statements: single ones are
    entries of one list, as in “Lunch: 3.50”. `candidates` are all statements.
    """
    paragraph = takewhile(lambda other: other.paragraph == one.paragraph, reversed(candidates[: one.order + 1]))
    is_in_list = any(other.begins_item for other in paragraph)
    for before, other in pairwise(candidates[one.order :]):
        is_next = is_in_list and other.begins_item and not before.begins_item
        if (other.entry, other.path) != (one.entry, one.path) or (is_next and _SUBJECT.match(other.statement.text)):
            return
        yield other


def in_full(one: Quotable, candidates: Sequence[Quotable], most: int) -> list[Quotable]:
    """Return the sentences of the paragraph of one in order or, if it is alone there, all directly below its heading.

    Empty if they have more than `most` words, or a row is among them. `candidates` are all statements: what the index
    does not have of a long text is missing.
    """
    here = [other for other in candidates if (other.entry, other.path) == (one.entry, one.path)]
    own = [other for other in here if other.paragraph == one.paragraph]
    whole = sorted(own if len(own) > 1 else here, key=lambda other: other.statement.start)
    is_short = sum(len(other.statement.text.split()) for other in whole) <= most
    return whole if is_short and all(other.statement.kind == "sentence" for other in whole) else []


def rows_beside(row: Quotable, candidates: Sequence[Quotable], most: int) -> list[Quotable]:
    """Return the other rows of the marked table of a row in order, as for `in_full`.

    Empty if it is in none, if the table begins before the passage, or if all rows have more than `most` words, or
    characters of so many words where words are not separated.
    """
    if not row.is_marked_row or row.passage.passage.columns:
        return []
    place = (row.paragraph, row.path)
    rows = [other for other in candidates if other.is_marked_row and (other.paragraph, other.path) == place]
    texts = [one.statement.text for one in rows]
    is_short = sum(max(len(text.split()), len(text) // LONG_WORD) for text in texts) <= most
    return [other for other in rows if other is not row] if is_short else []


def goes_on(one: Quotable, candidates: Sequence[Quotable]) -> bool:
    """Whether a statement begins an item of a list that has another: “Fair: 40 cakes at 2 crowns. Surplus 61.”."""
    after = next(following(one, candidates), None) if one.begins_item else None
    return after is not None and after.paragraph == one.paragraph and not after.begins_item


def closes(one: Quotable, candidates: Sequence[Quotable]) -> bool:
    """Whether a statement is the last line of a paragraph, below its sentences: a setting below what it does."""
    before = preceding(one, candidates) if one.statement.kind == "row" else None
    return before is not None and before.statement.kind == "sentence" and one.continues(before)


def opening(one: Quotable, candidates: Sequence[Quotable]) -> Quotable | None:
    """Return the first sentence of the explanation of a term, or answer to a question, that one is a later part of.

    None if it begins more than ABOVE characters before.
    """
    before = reversed(candidates[: one.order])
    here = takewhile(lambda other: (other.entry, other.path) == (one.entry, one.path), before)
    near = takewhile(lambda other: one.statement.start - other.statement.start < ABOVE, here)
    found = None if one.candidate.opens else next((other for other in near if other.candidate.opens), None)
    if found is None or found.statement.kind != "sentence":
        return None
    return found if found.candidate.term or found.path[-1].endswith(("?", "？")) else None


def _is_torn(one: Statement, before_in_line: str) -> bool:
    """Whether a statement is the rest of a sentence cut off before it: its first word is a lower-case function word.

    Always false for a list item or a row, which may begin with such a word.
    """
    first = one.text.partition(" ")[0]
    is_small = first.isalpha() and first.islower() and not roots(first)
    return is_small and not (ITEM.fullmatch(before_in_line) or before_in_line.strip() == "|")


def _paragraph(passage: Passage, place: int) -> int:
    """Return the offset at which the paragraph of a `place` begins, or at which the passage does, if that is later."""
    break_at = passage.text.rfind("\n\n", 0, max(0, place - passage.start))
    return passage.start + break_at + 2 if break_at >= 0 else passage.start


def contains(quote: Quotable, other: Quotable) -> bool:
    """Whether one statement has all text of another and is less than twice as long, and both or neither deny."""
    short, long = sorted((quote.statement.text, other.statement.text), key=len)
    denies = ["not" in each.statement.decisive for each in (quote, other)]
    return short in long and len(short) > len(long) / 2 and denies[0] == denies[1]


def differs(one: Quotable, others: Sequence[Quotable], relevance: Relevance, least: float) -> bool:
    """Whether a statement says almost the same as one of another source, but for a number, a name or a negation.

    Almost the same means a likeness of at least `least`.
    """
    return any(
        one.entry is not other.entry
        and one.statement.decisive != other.statement.decisive
        and relevance.likeness(one.roots, other.roots) >= least
        and not contains(one, other)
        for other in others
    )
