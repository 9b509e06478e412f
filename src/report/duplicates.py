"""Drafts in which nothing is claimed twice, whoever wrote them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ..evidence import roots
from ..evidence.statement import decisive
from ..tree import Block, CodeBlock, Heading, ListBlock, QuoteBlock, TableBlock, Unit, walk, without
from .asserting import is_label
from .draft import Draft

SAME: Final = 0.8
"""The share of a claim's content words that an earlier claim has which says the same."""

_LABEL = re.compile(r"^[^.:]{1,80}:\s+(?=\S)")
"""What a quote stands behind: "Automatic Vacuuming: These settings control …"."""

Place = tuple[str, int, int]
"""The short id of a source, and a span of its text."""


@dataclass(frozen=True, slots=True)
class _ClaimContent:
    """What one claim says and what it names, where its evidence stands, and in which section or bullet it does."""

    words: frozenset[str]
    names: frozenset[str]
    own_names: frozenset[str]
    denies: bool
    spans: frozenset[Place]
    beside: int
    is_label: bool

    @classmethod
    def of(cls, claim: Unit, beside: int) -> "_ClaimContent":
        """Return it of a claim."""
        own, unlabelled = decisive(claim.text), decisive(_LABEL.sub("", claim.text))
        spans = frozenset((one.passage.partition(".")[0], one.start, one.end) for one in claim.cites)
        names, own_names = (roots(" ".join(found - {"not"})) for found in (own, unlabelled))
        return cls(roots(claim.text), names, own_names, "not" in own, spans, beside, is_label(claim))

    def repeats(self, other: "_ClaimContent") -> bool:
        """Say whether this is what the other one says: by the same evidence elsewhere, or by four fifths of its words.

        Not when it has a number or a name that the other lacks, or only one of them denies: it may add, or disagree.
        Of the same evidence a label before it adds nothing. What is no sentence repeats only what has its evidence.
        """
        if self.denies != other.denies or (other.is_label and not self.is_label):
            return False
        if self.spans and self.spans == other.spans and self.beside != other.beside:
            return self.own_names <= other.words
        same_words = len(self.words & other.words) >= SAME * len(self.words)
        return same_words and self.names <= other.words and not self.is_label


def once(drafts: Sequence[Draft]) -> list[Draft]:
    """Return the drafts without the claims that an earlier one makes already; with a claim go its bullet or line."""
    kept: list[_ClaimContent] = []
    repeated: set[int] = set()
    for claim, content in _claims(drafts):
        if any(content.repeats(other) for other in kept):
            repeated.add(id(claim))
        else:
            kept.append(content)
    return [
        draft.model_copy(update={"blocks": without(draft.blocks, lambda one: id(one) in repeated)}) for draft in drafts
    ]


def _claims(drafts: Sequence[Draft]) -> Iterator[tuple[Unit, _ClaimContent]]:
    for beside, units in enumerate(group for draft in drafts for group in _groups(draft.blocks)):
        for unit in units:
            is_bare = isinstance(unit, CodeBlock | Heading) or (is_label(unit) and not unit.cites)
            if unit.asserts and not is_bare and roots(unit.text):
                yield unit, _ClaimContent.of(unit, beside)


def _groups(blocks: Sequence[Block]) -> Iterator[Sequence[Unit]]:
    """Yield what stands side by side: the sentences of a paragraph, a row."""
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
