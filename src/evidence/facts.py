"""Extracts and compares the facts of a text: numbers with units, dates, names, negations, quotations."""

from dataclasses import dataclass, replace

from . import (
    agreement,
    clause,
    date,
    denial,
    edit,
    identifier,
    misplaced,
    name,
    overstatement,
    quantity,
    quotation,
    roles,
)
from .alignment import folded
from .clause import Clause
from .date import Date
from .identifier import Label
from .name import Names
from .quantity import Quantity
from .reason import FactMismatch
from .word import TokenizedText, Word

__all__ = ["FactMismatch", "Facts", "facts", "mismatches"]

_LONGEST = 50_000
_MOST = 300
"""Most facts of one kind that are compared; a sentence has fewer."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The words of a text and its comparable facts, in canonical forms.

    `counted` are the indexes of words in a number with its unit, a date or a label; `phrase` are all words, folded.
    """

    words: tuple[Word, ...]
    quantities: tuple[Quantity, ...]
    dates: tuple[Date, ...]
    labels: tuple[Label, ...]
    counted: frozenset[int]
    names: Names
    clauses: tuple[Clause, ...]
    quotations: tuple[str, ...]
    phrase: str

    @property
    def denies(self) -> bool:
        """Whether any clause has a negator or a negative prefix."""
        return any(part.negator or part.prefixed for part in self.clauses)


def facts(text: str) -> Facts:
    """Return the facts of a plain text in any of seven languages; in other languages, mostly numbers and dates.

    Deterministic and linear in the text, of which the first 50,000 characters are read: a sentence is shorter.
    """
    reading = TokenizedText(text[:_LONGEST])
    dates, labels = date.dates(reading), identifier.labels(reading)
    taken = {at for fact in dates for at in range(fact.first, fact.last + 1)} | {fact.first for fact in labels}
    amounts = quantity.quantities(reading, taken)
    taken.update(at for amount in amounts for at in range(amount.first, amount.last + 1))
    return Facts(
        tuple(reading.words),
        tuple(amounts[:_MOST]),
        tuple(dates[:_MOST]),
        tuple(labels[:_MOST]),
        frozenset(taken),
        name.names(reading, taken, _MOST),
        clause.clauses(reading, _MOST),
        tuple(quotation.quotations(text[:_LONGEST])[:_MOST]),
        folded(text[:_LONGEST]),
    )


_NOTHING = facts("")

_RULES = (
    agreement.differing,
    date.differing,
    identifier.differing,
    name.differing,
    denial.differing,
    quotation.differing,
    roles.exchanged,
    misplaced.differing,
    overstatement.differing,
)
"""Rules that yield the mismatches of claim and span, given the span's headings; each compares one kind of fact."""

_WORD_BY_WORD = (roles.other_subject, edit.differing)
"""Rules that compare word by word; applied only if the other rules find no mismatch."""


def mismatches(claim: Facts, span: Facts, context: Facts = _NOTHING) -> list[FactMismatch]:
    """Return the mismatches between a claim and a span; empty if the span has all facts of the claim.

    `context` are the facts of the title and headings above the span: they may supply names and the year of a date, but
    no numbers.
    """
    found = [mismatch for rule in _RULES for mismatch in rule(claim, span, context)]
    found = found or [mismatch for rule in _WORD_BY_WORD for mismatch in rule(claim, span, context)]
    return [replace(item, what=_written(item.what, claim), found=_written(item.found, span)) for item in found]


def _written(word: str, text: Facts) -> str:
    """Return a folded word or a stem as a text spells it; anything else unchanged."""
    return next((other.text for other in text.words if word and word in (other.folded, other.stem)), word)
