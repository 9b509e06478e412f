"""Removes claims from drafts that an earlier claim already makes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ..evidence import Statement, roots
from ..evidence.statement import decisive
from ..markup import Block, CodeBlock, Heading, ListBlock, QuoteBlock, TableBlock, Unit, walk, without
from .asserting import is_label
from .draft import Draft

SAME: Final = 0.8
"""The least share of a claim's content words in an earlier claim that says the same."""

_LABEL = re.compile(r"^[^.:]{1,80}:\s+(?=\S)")
"""A label before a quote: "Automatic Vacuuming: These settings control …"."""

Place = tuple[str, int, int]
"""The short id of a source, and a span of its text."""


@dataclass(frozen=True, slots=True)
class _ClaimContent:
    """The content words and names of a claim, the spans it cites, and the number of its paragraph or row (`group`).

    `steps` is the number of the numbered list that it is in, None elsewhere.

    `names` include numbers; `unlabelled_names` leave out the names of a label before a quote.
    """

    words: frozenset[str]
    names: frozenset[str]
    unlabelled_names: frozenset[str]
    denies: bool
    spans: frozenset[Place]
    group: int
    steps: int | None
    is_label: bool

    @classmethod
    def of(cls, claim: Unit, group: int, steps: int | None) -> "_ClaimContent":
        """Return the content of a claim."""
        full, unlabelled = decisive(claim.text), decisive(_LABEL.sub("", claim.text))
        spans = frozenset((cite.passage.partition(".")[0], cite.start, cite.end) for cite in claim.cites)
        names, unlabelled_names = (roots(" ".join(words - {"not"})) for words in (full, unlabelled))
        return cls(roots(claim.text), names, unlabelled_names, "not" in full, spans, group, steps, is_label(claim))

    def repeats(self, other: "_ClaimContent") -> bool:
        """Whether this claim says the same as another: with the same evidence elsewhere, or four fifths of its words.

        False if it has a number or a name that the other lacks, or only one of them denies: it may add or contradict.
        With the same evidence, the names of a label do not count, and two steps of a numbered list, which one sentence
        of a source may tell, need more than half of their words in common. A label repeats only a claim with the
        same evidence.
        """
        if self.denies != other.denies or (other.is_label and not self.is_label):
            return False
        if self.spans and self.spans == other.spans and self.group != other.group:
            is_step = self.steps is not None and self.steps == other.steps
            is_another = is_step and 2 * len(self.words & other.words) <= len(self.words)
            return self.unlabelled_names <= other.words and not is_another
        return _are_in(self.words, other.words) and self.names <= other.words and not self.is_label


def repeats(statement: Statement, other: Statement) -> bool:
    """Whether a statement has four fifths of its words from another, and no number, name or denial of its own."""
    if not _are_in(statement.roots, other.roots) or "not" in statement.decisive ^ other.decisive:
        return False
    return roots(" ".join(statement.decisive - {"not"})) <= other.roots


def _are_in(words: frozenset[str], other: frozenset[str]) -> bool:
    return len(words & other) >= SAME * len(words)


def deduplicated(drafts: Sequence[Draft]) -> list[Draft]:
    """Return the drafts without claims that repeat an earlier claim; a claim's bullet or line goes with it."""
    kept: list[_ClaimContent] = []
    repeated: set[int] = set()
    for claim, content in _claims(drafts):
        if any(content.repeats(other) for other in kept):
            repeated.add(id(claim))
        else:
            kept.append(content)
    return [
        draft.model_copy(update={"blocks": without(draft.blocks, lambda unit: id(unit) in repeated)})
        for draft in drafts
    ]


def _claims(drafts: Sequence[Draft]) -> Iterator[tuple[Unit, _ClaimContent]]:
    tops = enumerate(block for draft in drafts for block in draft.blocks)
    groups = ((_steps(number, block), units) for number, block in tops for units in _groups([block]))
    for group, (steps, units) in enumerate(groups):
        for unit in units:
            is_bare = isinstance(unit, CodeBlock | Heading) or (is_label(unit) and not unit.cites)
            if unit.asserts and not is_bare and roots(unit.text):
                yield unit, _ClaimContent.of(unit, group, steps)


def _steps(number: int, block: Block) -> int | None:
    return number if isinstance(block, ListBlock) and block.first is not None else None


def _groups(blocks: Sequence[Block]) -> Iterator[Sequence[Unit]]:
    """Yield the groups of adjacent units: the sentences of a paragraph, or a row."""
    for block in blocks:
        match block:
            case ListBlock():
                for item in block.items:
                    yield from _groups(item)
            case QuoteBlock():
                yield from _groups(block.blocks)
            case TableBlock():
                yield from ([row] for row in block.rows)
            case _:
                yield list(walk([block]))
