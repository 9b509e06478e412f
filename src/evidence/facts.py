"""What a text states that can be compared: numbers with units, dates, names, denials, quotations."""

from dataclasses import dataclass

from . import agreement, clause, date, denial, edit, label, limit, name, placed, quantity, quotation, roles
from .clause import Clauses
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
    clauses: Clauses
    quotations: tuple[str, ...]
    phrase: str


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
        quotation.phrase(reading),
    )


def _figures(text: Facts) -> placed.Figures:
    return placed.Figures(text.words, text.quantities, text.dates, text.names.nouns)


_NOTHING = facts("")


def mismatches(claim: Facts, span: Facts, context: Facts = _NOTHING) -> list[FactMismatch]:
    """Return in what a claim and a span disagree; empty when the span says all that is compared.

    `context` are the facts of the heading and title that the span stands under: names may be found there, and the year
    of a day, numbers not.
    """
    years = {one.year for one in context.dates if one.year is not None}
    plain = {value for one in span.quantities for value in one.raw}
    said = {float(one.year) for one in span.dates if one.year is not None}
    found = [
        *agreement.differing(claim.quantities, span.quantities, said),
        *date.differing(claim.dates, span.dates, years, plain),
        *label.differing(claim.labels, span.labels, [one.text for one in span.quantities]),
        *name.differing(claim.names, span.names, context.names),
        *denial.differing(claim.clauses, span.clauses),
        *denial.lacking(claim.words, span.words),
        *quotation.differing(claim.quotations, span.phrase, context.phrase),
        *quotation.misattributed(claim.words, span.words, claim.quotations),
        *roles.exchanged(claim.words, span.words),
        *placed.differing(_figures(claim), _figures(span)),
        *limit.differing(claim.words, span.words, context.words),
    ]
    return found or [
        *roles.other_subject(claim.words, span.words),
        *edit.differing(claim.words, span.words, context.words, (claim.counted, span.counted)),
    ]
