"""What a text states that can be compared: numbers with units, dates, names, denials, quotations."""

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
"""Facts of one kind that are compared: more are no sentence's."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The words of one text and its comparable facts, in canonical forms.

    `counted` are the places of the words that are part of a number with its unit, a date or a label.
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
        """Whether it denies anything, plainly or by a prefix."""
        return any(one.negator or one.prefixed for one in self.clauses)


def facts(text: str) -> Facts:
    """Return the facts that a plain text states, in any of seven languages; others degrade to numbers and dates.

    Deterministic and linear in the text, of which 50,000 characters are read: more is no sentence.
    """
    reading = TokenizedText(text[:_LONGEST])
    found, labelled = date.dates(reading), label.labels(reading)
    taken = {at for one in found for at in range(one.first, one.last + 1)} | {one.first for one in labelled}
    amounts = quantity.quantities(reading, taken)
    taken.update(at for one in amounts for at in range(one.first, one.last + 1))
    return Facts(
        tuple(reading.words),
        tuple(amounts[:_MOST]),
        tuple(found[:_MOST]),
        tuple(labelled[:_MOST]),
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
"""What yields the mismatches of a claim, a span and its heading, each of one kind of fact."""

_WORD_BY_WORD = (roles.other_subject, edit.differing)
"""The same of what differs in words alone; asked where no fact differs."""


def mismatches(claim: Facts, span: Facts, context: Facts = _NOTHING) -> list[FactMismatch]:
    """Return in what a claim and a span disagree; empty when the span says all that is compared.

    `context` are the facts of the heading and title that the span stands under: names may be found there, and the year
    of a day, numbers not.
    """
    found = [one for rule in _RULES for one in rule(claim, span, context)]
    found = found or [one for rule in _WORD_BY_WORD for one in rule(claim, span, context)]
    return [replace(one, what=_written(one.what, claim), found=_written(one.found, span)) for one in found]


def _written(word: str, text: Facts) -> str:
    """Return a folded word or a stem as it is written in a text; anything else as it is."""
    return next((one.text for one in text.words if word and word in (one.folded, one.stem)), word)
