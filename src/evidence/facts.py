"""The facts of a text that can be compared: numbers with units, dates, names, denials, quotations."""

from dataclasses import dataclass, replace

from . import agreement, clause, date, denial, edit, label, limit, name, placed, quantity, quotation, roles
from .alignment import folded
from .clause import Clause
from .date import Date
from .label import Label
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
    """The words of one text and its comparable facts, in canonical forms.

    `counted` are the indexes of the words that are part of a number with its unit, a date or a label.
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
        """Whether any clause denies something, plainly or by a prefix."""
        return any(part.negator or part.prefixed for part in self.clauses)


def facts(text: str) -> Facts:
    """Return the facts that a plain text states, in any of seven languages; others degrade to numbers and dates.

    Deterministic and linear in the text, of which 50,000 characters are read: a sentence is shorter.
    """
    reading = TokenizedText(text[:_LONGEST])
    dates, labels = date.dates(reading), label.labels(reading)
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
    label.differing,
    name.differing,
    denial.differing,
    quotation.differing,
    roles.exchanged,
    placed.differing,
    limit.differing,
)
"""Rules that yield the mismatches of a claim, a span and its heading, each for one kind of fact."""

_WORD_BY_WORD = (roles.other_subject, edit.differing)
"""Rules for texts that differ in words alone; applied where no fact differs."""


def mismatches(claim: Facts, span: Facts, context: Facts = _NOTHING) -> list[FactMismatch]:
    """Return the facts in which a claim and a span disagree; empty when the span has all that are compared.

    `context` are the facts of the heading and title above the span: names may be found there, and the year of a day,
    but no numbers.
    """
    found = [mismatch for rule in _RULES for mismatch in rule(claim, span, context)]
    found = found or [mismatch for rule in _WORD_BY_WORD for mismatch in rule(claim, span, context)]
    return [replace(item, what=_written(item.what, claim), found=_written(item.found, span)) for item in found]


def _written(word: str, text: Facts) -> str:
    """Return a folded word or a stem as it is written in a text; anything else unchanged."""
    return next((other.text for other in text.words if word and word in (other.folded, other.stem)), word)
