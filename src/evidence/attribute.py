"""What is measured or dated of a thing, whatever words say it: its depth, that it is deep, its deepest point."""

from dataclasses import dataclass
from typing import Final

from .agreement import agree
from .lexicon import table
from .reason import FactMismatch
from .relevance import roots
from .stated import Stated

ROUGHLY = 1.25
"""How many times the smaller one the larger of two numbers is when either is given as about so much."""

GROWN = 1.05
"""The same of numbers that change from year to year: those of people."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute, of a `dimension` ("" for a count, `date`): any of `words` names it, `fillers` may stand beside."""

    dimension: str
    words: frozenset[str]
    fillers: frozenset[str] = frozenset()
    changes: bool = False


ATTRIBUTES: Final = tuple(
    Attribute(row["dimension"], roots(row["words"]), roots(row.get("fillers", "")), row.get("changes", False))
    for row in table("attribute")["rows"]
)

_CARRIERS: Final = roots("hat besitzt mesure compte possède tiene mide posee ha misura tem mede heeft telt")
"""What ties a thing to its attribute, as `has` does."""

_ARTICLES: Final = frozenset({"a", "an", "one", "ein", "eine", "un", "une", "una", "um", "uma", "een"})
"""What reads as the number 1 and counts nothing."""

NAMING: Final = frozenset().union(*(one.words for one in ATTRIBUTES))
"""All words that name an attribute."""


def differing(one: Stated, other: Stated) -> FactMismatch | None:
    """Return in what two statements differ that give one attribute of one thing, each with nothing else in it."""
    if one.qualifiers != other.qualifiers or one.labels != other.labels or one.denials or other.denials:
        return None
    for attribute in ATTRIBUTES:
        if attribute.words & one.about and attribute.words & other.about and _same_subject(one, other, attribute):
            return _dates(one, other) if attribute.dimension == "date" else _numbers(one, other, attribute)
    return None


def _same_subject(one: Stated, other: Stated, attribute: Attribute) -> bool:
    """Say whether two statements name one thing, here or in the title above, and say no more of it."""
    first, second = (side.about - attribute.words - attribute.fillers - _CARRIERS for side in (one, other))
    if first - other.known - other.heading or second - one.known - one.heading:
        return False
    shared = first & second
    return bool(shared & (one.names | other.names)) or bool(shared and one.heading & other.heading & shared)


def _dates(one: Stated, other: Stated) -> FactMismatch | None:
    if one.facts.quantities or other.facts.quantities or len(one.facts.dates) != 1 or len(other.facts.dates) != 1:
        return None
    (first,), (second,) = one.facts.dates, other.facts.dates
    if (first.begin, first.end) == (second.begin, second.end) or first.precision != second.precision:
        return None
    if bool(first.day) != bool(second.day) or first.year is None or second.year is None:
        return None
    return FactMismatch("date", first.text, second.text, opposed=True)


def _numbers(one: Stated, other: Stated, attribute: Attribute) -> FactMismatch | None:
    counted = [[own for own in side.facts.quantities if own.text not in _ARTICLES] for side in (one, other)]
    if any(len(quantities) != 1 for quantities in counted) or one.facts.dates or other.facts.dates:
        return None
    (first,), (second,) = counted
    if {first.dimension, second.dimension} != {attribute.dimension} or first.soft or second.soft:
        return None
    bounds = {quantity.hint.strip("~") for quantity in (first, second)}
    if len(bounds) > 1 or one.is_past != other.is_past or agree(first, second) or agree(second, first):
        return None
    low, high = sorted(abs(quantity.readings[0][1]) for quantity in (first, second))
    is_rough = "~" in first.hint + second.hint
    if high < low * (ROUGHLY if is_rough else GROWN if attribute.changes else 1.0):
        return None
    return FactMismatch("number", first.text, second.text, opposed=True)
