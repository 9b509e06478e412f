"""Finds lists of steps, lists and tables that a statement introduces, and the parts below the headings of a source."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain

from ..evidence import Relevance, visible
from ..evidence.rows import cells
from ..evidence.statement import LONGEST
from ..markup import Block, Cite, ListBlock, Paragraph, Row, Sentence, TableBlock
from ..ranking import headed, points
from .quotable import Quotable
from .source_index import CitedPassage

FEWEST, MOST = 2, 15
"""The least and the greatest number of items in a quoted list; of a longer one, the first items are quoted."""

SMALL = 6
"""The greatest number of rows of a table that is quoted with two rows which may help."""

_TABLE = re.compile(r"^\|(?P<head>[^\n]*)\n\|[ \t]*:?-{3,}[^\n]*\n(?P<rows>(?:\|[^\n]*(?:\n|\Z))+)", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6}\s", re.MULTILINE)
_ROW = re.compile(r"\|[^\n]*")
_MARKER = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class SourceList:
    """A list in a passage, which may extend beyond it; `start` and `items` are offsets in the snapshot."""

    passage: CitedPassage
    text: str
    numbered: bool
    start: int
    items: tuple[range, ...]

    @cached_property
    def raw(self) -> list[tuple[int, int, int]]:
        """The span of the first paragraph of each item, with its marker, and the length of this."""
        spans = []
        for item in self.items:
            text = self.text[item.start - self.passage.passage.start : item.stop - self.passage.passage.start]
            first = text.partition("\n\n")[0].rstrip()
            marker = _MARKER.match(first)
            spans.append((item.start, item.start + len(first), marker.end() if marker else 0))
        return spans

    @cached_property
    def numbers(self) -> list[int]:
        """The numbers of the items as their markers have them, or by their places if the markers are all alike."""
        start = self.passage.passage.start
        found = [_NUMBER.search(self.text, item.start - start) for item in self.items]
        written = [int(number[0]) if number else 0 for number in found]
        return written if len({*written}) > 1 else [written[0] + place for place in range(len(written))]

    def has(self, quote: Quotable) -> bool:
        """Whether a statement is in an item."""
        return any(quote.statement.start in item for item in self.items)

    def is_introduced_by(self, quote: Quotable) -> bool:
        """Whether a statement is the last text before the list."""
        passage = self.passage.passage
        between = self.text[max(0, quote.statement.end - passage.start) : self.start - passage.start]
        return passage.start <= quote.statement.end <= self.start and not between.strip(" \t\n:*_")

    def block(
        self, candidates: Sequence[Quotable], *, whole: bool = False, label: str = ""
    ) -> tuple[ListBlock, list[Quotable]] | None:
        """Return the list to quote and its statements: the first of each item, or all of them if `whole` or numbered.

        The label stands before the first item.

        An item too short for a statement is quoted as it is. Items in no passage of the index are left out, and all
        after one if the items are whole. None if fewer than FEWEST remain. Items whose numbers do not follow one
        another, as those of exit codes, are quoted with their numbers.
        """
        whole = whole or self.numbered
        same_text = [one for one in candidates if one.entry.source.snapshot == self.passage.source.snapshot]
        kept: list[tuple[int, list[Quotable]]] = []
        for place, item in enumerate(self.items[:MOST]):
            statements = [quote for quote in same_text if quote.statement.start in item][: None if whole else 1]
            if self._sentences(place, statements, same_text):
                kept.append((place, statements))
            elif whole:
                break
        if len(kept) < FEWEST:
            return None
        numbers = [self.numbers[place] for place, _ in kept] if self.numbered else []
        in_order = numbers == [numbers[0] + n for n in range(len(numbers))] if numbers else True
        said = [self._sentences(place, statements, same_text, marked=not in_order) for place, statements in kept]
        for sentences, (_, statements) in zip(said, kept, strict=True):
            sentences += [quote.rest for quote in statements[-1:] if whole and quote.rest]
        first_said = said[0][0]
        said[0][0] = first_said.model_copy(update={"parts": [f"{label}{first_said.parts[0]}", *first_said.parts[1:]]})
        items: list[list[Block]] = [[Paragraph(sentences=sentences)] for sentences in said]
        first = numbers[0] if numbers and in_order else None
        return ListBlock(items=items, first=first), [quote for _, statements in kept for quote in statements]

    def _sentences(
        self, place: int, statements: Sequence[Quotable], same_text: Sequence[Quotable], *, marked: bool = False
    ) -> list[Sentence]:
        """Return what an item says, with its marker if it is to be `marked`; nothing if it cannot be quoted."""
        start, end, marker = self.raw[place]
        start += 0 if marked else marker
        sentences = self._from_its_beginning(start, statements, same_text)
        return sentences or list(self._as_it_stands(start, end, same_text))

    def _from_its_beginning(
        self, start: int, statements: Sequence[Quotable], same_text: Sequence[Quotable]
    ) -> list[Sentence]:
        """Return the statements of an item, the first with the text before it: "Steam. This covers the boats"."""
        sentences = [quote.sentence() for quote in statements]
        if statements and start < statements[0].statement.start:
            sentences[:1] = list(self._as_it_stands(start, statements[0].statement.end, same_text)) or sentences[:1]
        return sentences

    def _as_it_stands(self, start: int, end: int, same_text: Sequence[Quotable]) -> Iterator[Sentence]:
        """Yield a span of the snapshot as a sentence, if it lies in a passage of the index and is short enough."""
        around = _holding([self.passage, *(quote.passage for quote in same_text)], start, end)
        text = visible(around.verbatim(start, end)) if around and start < end else ""
        if around and text and len(text) <= LONGEST:
            yield Sentence(parts=[text, around.cite(start, end)], asserts=True)


@dataclass(frozen=True)
class SourceTable:
    """A table in a passage, which may extend beyond it: its column names, and the offsets of its rows."""

    passage: CitedPassage
    head: tuple[str, ...]
    start: int
    rows: tuple[range, ...]

    def has(self, quote: Quotable) -> bool:
        """Whether a statement is one of the rows."""
        same_text = quote.entry.source.snapshot == self.passage.source.snapshot
        return same_text and any(quote.statement.start in row for row in self.rows)

    def is_introduced_by(self, quote: Quotable) -> bool:
        """Whether a statement introduces the table: it ends in a colon just above, or refers to what follows."""
        passage = self.passage.passage
        if not passage.start <= quote.statement.end <= self.start:
            return False
        text = passage.text + self.passage.after
        between = text[quote.statement.end - passage.start : self.start - passage.start]
        if points(quote.statement.text):
            return not _HEADING.search(between) and "\n|" not in between
        return quote.statement.text.endswith((":", "：")) and not between.strip(" \t\n:*_")

    def block(self, candidates: Sequence[Quotable]) -> tuple[TableBlock, list[Quotable]] | None:
        """Return the first rows of the table and their statements.

        Rows in no passage of the index, or with more cells than the head, are left out; None if fewer than FEWEST
        remain.
        """
        same_text = [one for one in candidates if one.entry.source.snapshot == self.passage.source.snapshot]
        passages = {quote.passage.label: quote.passage for quote in same_text} | {self.passage.label: self.passage}
        rows: list[Row] = []
        for row in self.rows[:MOST]:
            passage = _holding(passages.values(), row.start, row.stop)
            texts = cells(passage.verbatim(row.start, row.stop)) if passage else ()
            if passage and any(texts) and len(texts) <= len(self.head):
                rows.append(self._row(texts, passage.cite(row.start, row.stop)))
        if len(rows) < FEWEST:
            return None
        head = Row(cells=[[name] if name else [] for name in self.head])
        quoted = [quote for quote in same_text if self.has(quote)]
        return TableBlock(head=head, rows=rows), quoted

    def _row(self, texts: Sequence[str], cite: Cite) -> Row:
        padded = [*texts, *[""] * (len(self.head) - len(texts))]
        *first, last = ([cell] if cell else [] for cell in padded)
        return Row(cells=[*first, [*last, cite]], columns=list(self.head), asserts=True)


def _holding(passages: Iterable[CitedPassage], start: int, end: int) -> CitedPassage | None:
    """Return the first passage that contains a span of the snapshot, None if there is none."""
    return next((one for one in passages if one.passage.start <= start and end <= one.passage.end), None)


def steps_with(quote: Quotable) -> SourceList | None:
    """Return the numbered list that a statement belongs to or introduces, None if there is none."""
    for listing in listings(quote.passage):
        if listing.numbered and (listing.has(quote) or listing.is_introduced_by(quote)):
            return listing
    return None


def list_of(quotes: Sequence[Quotable], fewest: int = FEWEST) -> SourceList | None:
    """Return the list with most items that statements begin, at least `fewest`; None if there is none."""
    beginning = [quote.statement.start for quote in quotes if quote.begins_item]
    passages = {quote.passage.label: quote.passage for quote in quotes}.values()
    found = {listing.start: listing for passage in passages for listing in listings(passage)}
    counts = {at: sum(any(one in item for one in beginning) for item in found[at].items) for at in found}
    most = max(counts, key=lambda at: counts[at], default=None)
    return found[most] if most is not None and counts[most] >= fewest else None


def introduced_list(quote: Quotable) -> SourceList | SourceTable | None:
    """Return the list or table that a statement introduces, None if there is none."""
    found: Iterator[SourceList | SourceTable] = chain(listings(quote.passage), tables(quote.passage))
    return next((one for one in found if one.is_introduced_by(quote)), None)


def listed_with(quote: Quotable, others: Sequence[Quotable], *, several: bool) -> SourceList | SourceTable | None:
    """Return the list or table that a statement introduces or, if `several` things may answer, the one of a row.

    Otherwise a row brings its table only if this is small and one of the `others` is another row of it. None if there
    is none.
    """
    if (found := introduced_list(quote)) or quote.statement.kind != "row":
        return found
    table = next((one for one in tables(quote.passage) if one.has(quote)), None)
    is_told = table and len(table.rows) <= SMALL and any(table.has(other) for other in others if other is not quote)
    return table if several or is_told else None


def is_introduction(quote: Quotable) -> bool:
    """Whether a statement says little without the text that it introduces or refers to."""
    ends_open = quote.statement.text.endswith((":", "："))
    return points(quote.statement.text) or (ends_open and introduced_list(quote) is not None)


def is_unfinished(quote: Quotable) -> bool:
    """Whether a statement ends within a sentence, which the list below it ends: “You may use it if”."""
    return quote.statement.text[-1:].isalpha() and isinstance(introduced_list(quote), SourceList)


def tables(passage: CitedPassage) -> Iterator[SourceTable]:
    """Yield the tables of a passage that have a header row."""
    begins = passage.passage.start
    for match in _TABLE.finditer(passage.passage.text + passage.after):
        first = begins + match.start("rows")
        spans = (row.span() for row in _ROW.finditer(match["rows"]))
        rows = tuple(range(first + start, first + end) for start, end in spans)
        yield SourceTable(passage, cells(f"|{match['head']}"), begins + match.start(), rows)


def listings(passage: CitedPassage) -> Iterator[SourceList]:
    """Yield the top-level lists of a passage that have at least FEWEST items."""
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
    """Return the heading path whose last heading best names what is asked about, and the sentences below it.

    Considers the headings above the `good` statements, which come best first. Empty if none of them names it.
    """
    paths = [(quote, quote.path[:depth]) for quote in good for depth in range(1, len(quote.path) + 1)]
    fits = [headed(path, question, relevance) for _, path in paths]
    if not any(fits):
        return (), []
    best, path = paths[fits.index(max(fits))]
    below = [quote for quote in candidates if quote.entry is best.entry and quote.path[: len(path)] == path]
    return path, [quote for quote in below if quote.statement.kind == "sentence"]


def leads(pool: Sequence[Quotable], part: Callable[[Quotable], object]) -> list[Quotable]:
    """Return the first statement of each part that depends on no other, or comes first below its heading."""
    first: dict[object, Quotable] = {}
    for quote in pool:
        if not is_introduction(quote) and (quote.candidate.opens or not quote.statement.leans):
            first.setdefault(part(quote), quote)
    return list(first.values())
