"""Cuts a passage into blocks of bounded length, and these into the windows of adjacent sentences that are compared."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_

from ..kernel.sentence import sentence_spans
from .alignment import Words, folded, known_words
from .rows import MARKED, blanked, end_of_rows, head_of_lines, is_table_head, lines_of_data, table_head
from .statement import is_heading, shown

LONGEST_BLOCK = 2_400
"""Most characters of a block; longer passages are cut, which bounds the text that is compared in full."""

LONGEST_PIECE = 600
"""Most characters of a piece; a longer sentence is cut at white space."""

WIDEST = 3
"""Most adjacent pieces of a window."""

_ABOVE = 2
"""Pieces before a window that count as its context: they may have the nouns of its pronouns."""

_CUTS = ("\n\n", "\n", ". ", "。", " ")


@dataclass(frozen=True)
class Piece:
    """A sentence, line or table row at `[start:end]` of a block; `text` is its visible text.

    The text of a row includes the column names, which are outside the span. `heads` marks a heading.
    """

    start: int
    end: int
    text: str
    heads: bool = False

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words."""
        return known_words(self.text)


@dataclass(frozen=True, eq=False)
class PassageBlock:
    """A section of a passage, beginning at offset `start`; parsed when first compared."""

    passage: int
    start: int
    text: str
    heading: str
    columns: Sequence[str] = ()

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The sentences, lines and rows of the block, in order."""
        return tuple(_pieces(self.text, self.columns))

    @cached_property
    def lower(self) -> str:
        """Its text in lower case: a quick test that skips most blocks unparsed."""
        return self.text.casefold()

    @cached_property
    def places(self) -> dict[str, int]:
        """The index of each piece that is not a heading, by its folded text; of equal ones, the first."""
        pieces = reversed(list(enumerate(self.pieces)))
        return {folded(piece.text): index for index, piece in pieces if not piece.heads}

    @cached_property
    def words(self) -> frozenset[str]:
        """Its content words."""
        if "pieces" in self.__dict__:
            return frozenset().union(*(piece.words for piece in self.pieces))
        return known_words(self.text)


@dataclass(frozen=True, slots=True)
class Window:
    """Adjacent pieces `[first, last)` of a block; `bits` are the words of the claim in them, as a bit mask."""

    block: PassageBlock
    first: int
    last: int
    bits: int

    def extent(self, words: Words) -> tuple[int, int]:
        """Return the offsets in the block of its pieces, without leading ones that add no word of the claim."""
        pieces = [(piece, words.bits(piece.words)) for piece in self.block.pieces[self.first : self.last]]
        while len(pieces) > 1 and not pieces[0][1] & ~reduce(or_, (bits for _, bits in pieces[1:])):
            pieces = pieces[1:]
        return pieces[0][0].start, pieces[-1][0].end

    @property
    def text(self) -> str:
        """Its visible text."""
        return " ".join(piece.text for piece in self.block.pieces[self.first : self.last])

    @property
    def above(self) -> str:
        """Its context: the headings, the first piece of its block and the _ABOVE pieces before it."""
        pieces = self.block.pieces
        before = [*pieces[: min(1, self.first)], *pieces[max(1, self.first - _ABOVE) : self.first]]
        return "\n".join([self.block.heading, *(piece.text for piece in before)]).strip()


def windows(words: Words, block: PassageBlock) -> Iterator[Window]:
    """Yield the windows whose first piece has a word of the claim and whose last adds one, except headings alone."""
    bits = [words.bits(piece.words) for piece in block.pieces]
    for first in range(len(bits)):
        covered = 0
        for last in range(first, min(first + WIDEST, len(bits))):
            before = covered
            covered |= bits[last]
            has_text = not all(piece.heads for piece in block.pieces[first : last + 1])
            if bits[first] and covered != before and has_text:
                yield Window(block, first, last + 1, covered)


def blocks(passage: int, text: str, heading: str = "", columns: Sequence[str] = ()) -> Iterator[PassageBlock]:
    """Yield the blocks of a passage, cut at empty lines if possible, else at line ends, sentence ends or spaces.

    `columns` are those of the table in which the passage begins.
    """
    start = 0
    while len(text) - start > LONGEST_BLOCK:
        end = _cut(text, start + LONGEST_BLOCK // 2, start + LONGEST_BLOCK)
        yield PassageBlock(passage, start, text[start:end], heading, columns)
        start = end
        columns = () if text.find("\n\n", 0, end) >= 0 else columns
    if text[start:].strip():
        yield PassageBlock(passage, start, text[start:], heading, columns)


def _cut(text: str, first: int, last: int) -> int:
    """Return the offset to cut at between two offsets: behind the last of the strongest separators."""
    for separator in _CUTS:
        position = text.rfind(separator, first, last)
        if position >= 0:
            return position + len(separator)
    return last


def _pieces(text: str, columns: Sequence[str]) -> Iterator[Piece]:
    head, names, data = columns, *head_of_lines(text)
    stop = 0 if MARKED.search(text) else end_of_rows(text, 0, len(columns), is_cut=True)
    for first, last, named in lines_of_data(text[:stop], columns):
        yield Piece(first, last, shown(text[first:last], named))
    first_line = text.find("\n")  # it may be the end of a row
    for start, end in sentence_spans(blanked(text, stop)):
        is_row = text[start] == "|"
        if is_row and is_table_head(text, end):
            head, _ = table_head(text, start, end)
        elif not is_row and start > first_line:
            head = ()
        if names and not stop and start < data < end:
            for first, last, named in lines_of_data(text[start:end], names):
                yield Piece(start + first, start + last, shown(text[start + first : start + last], named))
            continue
        for first, last in _bounded(text, start, end):
            said = shown(text[first:last], head if is_row else ())
            yield Piece(first, last, said, is_heading(text, start))


def _bounded(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        is_long = end - start > LONGEST_PIECE
        cut = _cut(text, start + LONGEST_PIECE // 2, start + LONGEST_PIECE) if is_long else end
        part = text[start:cut]
        if part.strip():
            yield start + len(part) - len(part.lstrip()), start + len(part.rstrip())
        start = cut
