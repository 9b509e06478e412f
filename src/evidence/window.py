"""The part of a passage that a claim is compared with: adjacent sentences."""

from collections.abc import Iterator
from dataclasses import dataclass

from .alignment import Words
from .block import PassageBlock

WIDEST = 3
"""Adjacent pieces that a window holds at most."""

_ABOVE = 2
"""Pieces before a window that say what its pronouns mean."""


@dataclass(frozen=True, slots=True)
class Window:
    """Adjacent pieces `[first, last)` of a block, and which words of the claim they have, as bits."""

    block: PassageBlock
    first: int
    last: int
    bits: int

    @property
    def start(self) -> int:
        """Where it begins in the text of its block."""
        return self.block.pieces[self.first].start

    @property
    def end(self) -> int:
        """Where it ends in the text of its block."""
        return self.block.pieces[self.last - 1].end

    @property
    def text(self) -> str:
        """What a reader sees of it."""
        return " ".join(piece.text for piece in self.block.pieces[self.first : self.last])

    @property
    def above(self) -> str:
        """What it stands under: the headings, the first piece of its block and those just before it."""
        pieces = self.block.pieces
        before = [*pieces[: min(1, self.first)], *pieces[max(1, self.first - _ABOVE) : self.first]]
        return "\n".join([self.block.heading, *(piece.text for piece in before)]).strip()


def windows(words: Words, block: PassageBlock) -> Iterator[Window]:
    """Yield the windows of a block each of whose ends adds a word of the claim; a heading alone says nothing."""
    bits = [words.bits(piece.known) for piece in block.pieces]
    for first in range(len(bits)):
        held = 0
        for last in range(first, min(first + WIDEST, len(bits))):
            before = held
            held |= bits[last]
            says = not all(piece.heads for piece in block.pieces[first : last + 1])
            if bits[first] and held != before and says:
                yield Window(block, first, last + 1, held)
