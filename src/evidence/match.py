"""A claim held against one window of the passages: how they align and in what they disagree."""

from dataclasses import dataclass
from functools import cached_property

from .alignment import Alignment, Words, folded
from .alike import GRAMMAR
from .claim import phrases
from .facts import Facts, facts
from .mismatch import FactMismatch
from .window import Window

ALIGNED = 0.5
"""Coverage from which claim and window speak of the same: what they disagree in is a contradiction, and a name or a
denial that is missing is not one more word in which a paraphrase differs."""

HARD = frozenset({"number", "date", "unit", "quote"})
"""What must be in the source however it puts things."""


FEWEST_UNHEARD = 3
"""Content words of a phrase that says something of its own."""


class ClaimFeatures:
    """A claim as it is compared: its words, and what it states."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = folded(text)

    @cached_property
    def words(self) -> Words:
        """Its words."""
        return Words(self.text)

    def unheard(self, seen: int) -> tuple[str, ...]:
        """Return the phrases with several content words of which none is among those seen, given as bits."""
        return tuple(text for text in phrases(self.text) if self._is_unheard(text, seen))

    def _is_unheard(self, phrase: str, seen: int) -> bool:
        words = [word for word in Words(phrase).unique if word not in GRAMMAR]
        bits = self.words.bits(frozenset(words))
        return len(words) >= FEWEST_UNHEARD and not bits & seen

    @cached_property
    def facts(self) -> Facts:
        """Its numbers, dates, names, denials and quotations."""
        return facts(self.text)


@dataclass(frozen=True, slots=True)
class Match:
    """A window, how the claim lies in it, the probability that it supports it, and what speaks against that.

    `unheard` are the phrases of the claim of which no passage has a word.
    """

    window: Window
    alignment: Alignment
    probability: float
    mismatches: tuple[FactMismatch, ...] = ()
    unheard: tuple[str, ...] = ()

    @property
    def against(self) -> tuple[FactMismatch, ...]:
        """What forbids support: a number, a date or a quotation always, a name or a denial where both say the same."""
        aligned = self.alignment.coverage >= ALIGNED
        return tuple(one for one in self.mismatches if not one.limits and (aligned or one.kind in HARD))

    @property
    def refutes(self) -> bool:
        """Whether the window says something else in the same place."""
        return self.alignment.coverage >= ALIGNED and any(one.opposed for one in self.mismatches)
