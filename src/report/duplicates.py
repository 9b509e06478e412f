"""Drafts in which nothing is claimed twice, whoever wrote them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ..evidence.relevance import roots
from ..evidence.statement import decisive
from .draft import Draft, Sentence
from .removal import without

SAME: Final = 0.8
"""The share of a claim's content words that an earlier claim has which says the same."""

Place = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class _ClaimContent:
    """What one claim says and what it names, where its evidence stands, and in which section or bullet it does."""

    words: frozenset[str]
    names: frozenset[str]
    denies: bool
    spans: frozenset[Place]
    beside: int

    @classmethod
    def of(cls, claim: Sentence, beside: int) -> "_ClaimContent":
        """Return it of a claim."""
        own = decisive(claim.text)
        spans = frozenset((one.passage.source.snapshot, one.start, one.end) for one in claim.cites)
        return cls(roots(claim.text), roots(" ".join(own - {"not"})), "not" in own, spans, beside)

    def repeats(self, other: "_ClaimContent") -> bool:
        """Say whether this is what the other one says: by the same evidence elsewhere, or by four fifths of its words.

        Not when it has a number or a name that the other lacks, or only one of them denies: it may add, or disagree.
        """
        if self.denies != other.denies or not self.names <= other.words:
            return False
        same_evidence = bool(self.spans) and self.spans == other.spans and self.beside != other.beside
        return same_evidence or len(self.words & other.words) >= SAME * len(self.words)


def once(drafts: Sequence[Draft]) -> list[Draft]:
    """Return the drafts without the claims that an earlier one makes already; with a claim go its bullet or line."""
    kept: list[_ClaimContent] = []
    repeated: set[int] = set()
    for claim, content in _claims(drafts):
        if any(content.repeats(other) for other in kept):
            repeated.add(id(claim))
        else:
            kept.append(content)
    return [without(draft, lambda one: id(one) in repeated) for draft in drafts]


def _claims(drafts: Sequence[Draft]) -> Iterator[tuple[Sentence, _ClaimContent]]:
    """Yield the claims and what they say; the lines of all drafts are numbered."""
    beside = 0
    for draft in drafts:
        beside += 1
        for part in draft.parts:
            if isinstance(part, str):
                beside += "\n" in part
            elif part.asserts and not (part.code or part.labels) and roots(part.text):
                yield part, _ClaimContent.of(part, beside)
