"""What a text states that can be compared: numbers with units, dates, names, denials, quotations."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from . import (
    agreement,
    certainty,
    clause,
    date,
    denial,
    edit,
    label,
    limit,
    name,
    quantity,
    quotation,
    roles,
)
from .clause import Clauses
from .date import Date
from .label import Label
from .mismatch import FactMismatch
from .name import Names
from .quantity import Quantity
from .term import Term, terms
from .word import TokenizedText

__all__ = ["FactMismatch", "Facts", "facts", "mismatches"]

_LONGEST = 50_000
_MOST_CLAIMED, _MOST_SAID = 50, 1_000
"""Facts of one kind that are compared, of a claim and of a span."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The comparable facts of one text, in canonical forms."""

    quantities: tuple[Quantity, ...]
    dates: tuple[Date, ...]
    labels: tuple[Label, ...]
    names: Names
    clauses: Clauses
    quotations: tuple[str, ...]
    phrase: str
    terms: tuple[Term, ...]


def facts(text: str) -> Facts:
    """Return the facts that a plain text states, in any of seven languages; others degrade to numbers and dates.

    Deterministic and linear in the text, of which 50,000 characters are read: more is no sentence.
    """
    reading = TokenizedText(text[:_LONGEST])
    found = date.dates(reading)
    labelled = label.labels(reading)
    taken = {index for first, last in _places(found, labelled) for index in range(first, last + 1)}
    counted = quantity.quantities(reading, taken)
    taken.update(index for one in counted for index in range(one.first, one.last + 1))
    return Facts(
        tuple(counted),
        tuple(found),
        tuple(labelled),
        name.names(reading, taken),
        clause.clauses(reading),
        tuple(quotation.quotations(text[:_LONGEST])),
        quotation.phrase(reading),
        terms(reading),
    )


def _cut(text: Facts, most: int) -> Facts:
    """Return a text without the facts beyond what a sentence or a few can have, so that time is bounded."""
    return Facts(
        text.quantities[:most],
        text.dates[:most],
        text.labels[:most],
        replace(text.names, items=text.names.items[:most]),
        replace(text.clauses, parts=text.clauses.parts[:most], sentences=text.clauses.sentences[:most]),
        text.quotations[:most],
        text.phrase,
        text.terms,
    )


def _places(found: Sequence[Date], labelled: Sequence[Label]) -> list[tuple[int, int]]:
    return [(one.first, one.last) for one in found] + [(one.first, one.last) for one in labelled]


def _counted(text: Facts) -> set[int]:
    """Return the places of the words that are part of a number with its unit, a date or a label."""
    spans = [*((one.first, one.last) for one in text.quantities), *_places(text.dates, text.labels)]
    return {at for first, last in spans for at in range(first, last + 1)}


def mismatches(claim: Facts, span: Facts, context: Facts | None = None) -> list[FactMismatch]:
    """Return in what a claim and a span disagree; empty when the span says all that is compared.

    `context` are the facts of the heading and title that the span stands under: names may be found there, and the year
    of a day, numbers not.
    """
    claim, span = _cut(claim, _MOST_CLAIMED), _cut(span, _MOST_SAID)
    years = {one.year for one in context.dates if one.year is not None} if context else set()
    plain = {value for one in span.quantities for value in one.raw}
    said = {float(one.year) for one in span.dates if one.year is not None}
    above = context.terms if context else ()
    found = [
        *agreement.differing(claim.quantities, span.quantities, said),
        *date.differing(claim.dates, span.dates, years, plain),
        *label.differing(claim.labels, span.labels, [one.text for one in span.quantities]),
        *name.differing(claim.names, span.names, context.names if context else None),
        *denial.differing(claim.clauses, span.clauses),
        *quotation.differing(claim.quotations, span.phrase, context.phrase if context else ""),
        *roles.misattributed(claim.terms, span.terms, claim.quotations),
        *roles.exchanged(claim.terms, span.terms, (claim.quantities, span.quantities), (claim.dates, span.dates)),
        *limit.differing(claim.terms, span.terms, above),
        *certainty.differing(claim.terms, span.terms, above),
    ]
    return found or [
        *roles.other_subject(claim.terms, span.terms),
        *edit.differing(claim.terms, span.terms, above, (_counted(claim), _counted(span))),
    ]
