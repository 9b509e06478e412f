"""What a source tells as a list, as a table or in parts: steps, what a statement leads into, and what headings part."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain

from ..answer import headed, points
from ..evidence import Relevance, visible
from ..evidence.statement import LONGEST, cells
from ..tree import Block, Cite, ListBlock, Paragraph, Row, Sentence, TableBlock
from .quotable import Quotable
from .source_index import CitedPassage

FEWEST, MOST = 2, 15
"""Items of a list that is quoted; of a longer one the first are shown."""

_TABLE = re.compile(r"^\|(?P<head>[^\n]*)\n\|[ \t]*:?-{3,}[^\n]*\n(?P<rows>(?:\|[^\n]*(?:\n|\Z))+)", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6}\s", re.MULTILINE)
_ROW = re.compile(r"\|[^\n]*")
_MARKER = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")


@dataclass(frozen=True)
class SourceList:
    """A list of a passage, which may go on behind it: where it begins and where its items lie, all in the snapshot."""

    passage: CitedPassage
    text: str
    numbered: bool
    start: int
    items: tuple[range, ...]

    @cached_property
    def raw(self) -> list[tuple[int, int]]:
        """Where the first line of each item begins behind its marker, and where it ends."""
        found = []
        for item in self.items:
            own = self.text[item.start - self.passage.passage.start : item.stop - self.passage.passage.start]
            first = own.partition("\n\n")[0].rstrip()
            marker = _MARKER.match(first)
            found.append((item.start + (marker.end() if marker else 0), item.start + len(first)))
        return found

    def led_into_by(self, one: Quotable) -> bool:
        """Say whether a statement is the last thing before the list."""
        passage = self.passage.passage
        between = self.text[max(0, one.statement.end - passage.start) : self.start - passage.start]
        return passage.start <= one.statement.end <= self.start and not between.strip(" \t\n:*_")

    def block(self, candidates: Sequence[Quotable], *, whole: bool = False) -> tuple[ListBlock, list[Quotable]] | None:
        """Return the list to be quoted and its statements, of each item the first one or, `whole`, all of them.

        What is too short for a statement is quoted as it stands. Of items that lie in no passage of the catalogue none
        is shown, and nothing behind a step that is missing. None where fewer than FEWEST are left.
        """
        own = [one for one in candidates if one.entry.source.snapshot == self.passage.source.snapshot]
        items: list[list[Block]] = []
        statements: list[Quotable] = []
        for item, raw in zip(self.items[:MOST], self.raw, strict=False):
            said = [one for one in own if one.statement.start in item][: None if whole else 1]
            sentences = self._from_its_beginning(raw[0], said, own) or list(self._as_it_stands(*raw, own))
            if whole and not sentences:
                break
            statements += said
            items += [[Paragraph(sentences=sentences)]] if sentences else []
        if len(items) < FEWEST:
            return None
        return ListBlock(items=items, first=1 if self.numbered else None), statements

    def _from_its_beginning(self, start: int, said: Sequence[Quotable], own: Sequence[Quotable]) -> list[Sentence]:
        """Return the statements of an item, the first with what stands before it: "Steam. This covers the boats"."""
        sentences = [one.sentence() for one in said]
        if said and start < said[0].statement.start:
            sentences[:1] = list(self._as_it_stands(start, said[0].statement.end, own)) or sentences[:1]
        return sentences

    def _as_it_stands(self, start: int, end: int, own: Sequence[Quotable]) -> Iterator[Sentence]:
        passages = [self.passage, *(one.passage for one in own)]
        of = next((one for one in passages if one.passage.start <= start and end <= one.passage.end), None)
        said = visible(of.verbatim(start, end)) if of and start < end else ""
        if of and said and len(said) <= LONGEST:
            yield Sentence(parts=[said, of.cite(start, end)], asserts=True)


@dataclass(frozen=True)
class SourceTable:
    """A table of a passage, which may go on behind it: the names of its columns, and where its rows lie."""

    passage: CitedPassage
    head: tuple[str, ...]
    start: int
    rows: tuple[range, ...]

    def led_into_by(self, one: Quotable) -> bool:
        """Say whether a statement announces the table: it ends in a colon just above, or points to what follows."""
        passage = self.passage.passage
        if not passage.start <= one.statement.end <= self.start:
            return False
        between = (passage.text + self.passage.after)[one.statement.end - passage.start : self.start - passage.start]
        if points(one.statement.text):
            return not _HEADING.search(between) and "\n|" not in between
        return one.statement.text.endswith((":", "：")) and not between.strip(" \t\n:*_")

    def block(self, candidates: Sequence[Quotable]) -> tuple[TableBlock, list[Quotable]] | None:
        """Return the first rows of the table and their statements.

        A row that lies in no passage of the catalogue, or has more cells than the head, is not shown; None where fewer
        than FEWEST are left.
        """
        own = [one for one in candidates if one.entry.source.snapshot == self.passage.source.snapshot]
        passages = {one.passage.label: one.passage for one in own} | {self.passage.label: self.passage}
        rows: list[Row] = []
        for at in self.rows[:MOST]:
            around = (one for one in passages.values() if one.passage.start <= at.start and at.stop <= one.passage.end)
            of = next(around, None)
            said = cells(of.verbatim(at.start, at.stop)) if of else ()
            if of and any(said) and len(said) <= len(self.head):
                rows.append(self._row(said, of.cite(at.start, at.stop)))
        if len(rows) < FEWEST:
            return None
        head = Row(cells=[[name] if name else [] for name in self.head])
        shown = [one for one in own if any(one.statement.start in at for at in self.rows)]
        return TableBlock(head=head, rows=rows), shown

    def _row(self, said: Sequence[str], cite: Cite) -> Row:
        padded = [*said, *[""] * (len(self.head) - len(said))]
        *first, last = ([cell] if cell else [] for cell in padded)
        return Row(cells=[*first, [*last, cite]], columns=list(self.head), asserts=True)


def steps_with(best: Quotable) -> SourceList | None:
    """Return the numbered list that a statement is of or leads into."""
    for one in listings(best.passage):
        if one.numbered and (any(best.statement.start in item for item in one.items) or one.led_into_by(best)):
            return one
    return None


def led_into(best: Quotable) -> SourceList | SourceTable | None:
    """Return the list, or the table, that a statement leads into."""
    found: Iterator[SourceList | SourceTable] = chain(listings(best.passage), tables(best.passage))
    return next((one for one in found if one.led_into_by(best)), None)


def table_with(best: Quotable) -> SourceTable | None:
    """Return the table that a statement is a row of."""
    found = tables(best.passage) if best.statement.kind == "row" else ()
    return next((one for one in found if any(best.statement.start in at for at in one.rows)), None)


def is_lead_in(one: Quotable) -> bool:
    """Say whether a statement says little without what it leads into, or points to."""
    return points(one.statement.text) or (one.statement.text.endswith((":", "：")) and led_into(one) is not None)


def tables(passage: CitedPassage) -> Iterator[SourceTable]:
    """Yield the tables of a passage whose first line names their columns."""
    begins = passage.passage.start
    for found in _TABLE.finditer(passage.passage.text + passage.after):
        places = (one.span() for one in _ROW.finditer(found["rows"]))
        first = begins + found.start("rows")
        rows = tuple(range(first + start, first + end) for start, end in places)
        yield SourceTable(passage, cells(f"|{found['head']}"), begins + found.start(), rows)


def listings(passage: CitedPassage) -> Iterator[SourceList]:
    """Yield the lists of a passage that are in no other list."""
    from markdown_it import MarkdownIt

    text = passage.passage.text + passage.after
    begins = passage.passage.start
    lines = [0, *accumulate(map(len, text.splitlines(keepends=True)))]
    items: list[range] = []
    for token in MarkdownIt("commonmark").parse(text):
        if token.level == 0 and token.type in ("ordered_list_open", "bullet_list_open"):
            items = []
        elif token.type == "list_item_open" and token.level == 1 and token.map:
            items.append(range(begins + lines[token.map[0]], begins + lines[token.map[1]]))
        elif token.level == 0 and token.type in ("ordered_list_close", "bullet_list_close") and len(items) >= FEWEST:
            yield SourceList(passage, text, token.type.startswith("ordered"), items[0].start, tuple(items))


def about(
    question: str, good: Sequence[Quotable], candidates: Sequence[Quotable], relevance: Relevance
) -> tuple[tuple[str, ...], list[Quotable]]:
    """Return the path of the text that is headed best by just what is asked, and the sentences of that text.

    Of the texts that the `good` statements stand in, best first; nothing where none of their headings is that.
    """
    paths = [(one, one.path[:depth]) for one in good for depth in range(1, len(one.path) + 1)]
    fits = [headed(path, question, relevance) for _, path in paths]
    if not any(fits):
        return (), []
    best, path = paths[fits.index(max(fits))]
    of = [one for one in candidates if one.entry is best.entry and one.path[: len(path)] == path]
    return path, [one for one in of if one.statement.kind == "sentence"]


def leads(pool: Sequence[Quotable], part: Callable[[Quotable], object]) -> list[Quotable]:
    """Return the first statement of each part that reads on its own, or opens the part."""
    found: dict[object, Quotable] = {}
    for one in pool:
        if not is_lead_in(one) and (one.candidate.opens or not one.statement.leans):
            found.setdefault(part(one), one)
    return list(found.values())
