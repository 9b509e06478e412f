"""Whether the numbers of a claim are those of a span."""

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from .quantity import Quantity
from .reason import FactMismatch
from .word import aligned

if TYPE_CHECKING:
    from .facts import Facts

_SMALLEST_ROUNDED = 1000
"""Counts below are not rounded without a word that says so."""

_ROUNDED, _ROUGH, _CONVERTED = 0.05, 0.06, 0.02
"""Share of a number by which a rounding, one with `about`, and one in another unit may be off."""

_FRACTION = 0.15
"""Share by which a part that is written out may be off behind `about`: 22 percent are about a fifth."""

_BEYOND = 1.3
"""How far beyond a bound what it is said of may lie: `more than 1,000` for 1,243 is fair, for 40,000 it is not."""

_SAME = 1e-6
_BOUNDS = {"+": "at least", "-": "at most"}
_COUNTS = {"", "times"}
"""Bare numbers and repetitions: three retries are three times."""

_UNMEASURED = frozenset({"", "ordinal"})


def differing(claim: "Facts", span: "Facts", _: "Facts") -> Iterator[FactMismatch]:
    """Yield what the numbers of a claim do not find in those of a span, whose dates name numbers too."""
    years = {one.year for one in span.dates}
    fits = {one.first: [other for other in span.quantities if agree(one, other)] for one in claim.quantities}
    used = {
        other.first
        for one in claim.quantities
        for other in fits[one.first]
        if not one.noun or not other.noun or one.noun & other.noun
    }
    for one in claim.quantities:
        others = fits[one.first]
        if others:
            yield from _misplaced(one, others, [other for other in span.quantities if other.first not in used])
        elif one.dimension or one.raw[0] not in years:
            yield from _absent(one, span.quantities, used)


def agree(one: Quantity, other: Quantity) -> bool:
    """Say whether a claim's number states what a span's does, in any of the readings of both."""
    for dimension, value in one.readings:
        for other_dimension, other_value in other.readings:
            if dimension == other_dimension:
                fits = _near(one, value, other, other_value)
            elif {dimension, other_dimension} == _COUNTS:
                fits = _same(one.raw, other.raw)
            elif dimension and other_dimension:
                rated = _is_rate_of(dimension, other_dimension)
                fits = rated and _same([one.part or value], [other.part or other_value])
            else:
                bare = other if dimension else one
                fits = not bare.noun and _same(one.raw, other.raw)
            if fits:
                return True
    return False


def _is_rate_of(one: str, other: str) -> bool:
    """Say whether one dimension is the other per something: `200 litres` says less than `200 litres a day`."""
    return ("/" in one) != ("/" in other) and one.partition("/")[0] == other.partition("/")[0]


def _same(one: Sequence[float], other: Sequence[float]) -> bool:
    return any(abs(a - b) <= _SAME * max(abs(a), abs(b)) for a in one for b in other)


def _near(one: Quantity, value: float, other: Quantity, found: float) -> bool:
    """Say whether a claim's value in the base unit is the span's, a rounding of it, or within what the words allow."""
    difference, size = abs(value - found), max(abs(value), abs(found))
    if difference <= _SAME * size:
        return True
    if one.dimension == "ordinal":
        return False
    if _is_converted(one, other) and difference <= _CONVERTED * size:
        return True
    if "≈" in (one.hint, other.hint):
        return difference <= _FRACTION * size
    if one.hint == "~" or other.hint == "~":
        return difference <= _ROUGH * size
    if one.hint in _BOUNDS and one.hint != other.hint:
        low, high = (value, found) if one.hint == "+" else (found, value)
        return low <= high <= _BEYOND * low
    return _rounds(one, value, other, found)


def _is_converted(one: Quantity, other: Quantity) -> bool:
    """Say whether two amounts are given in different units of one dimension."""
    if not one.dimension or not one.raw[0] or not other.raw[0]:
        return False
    mine, theirs = one.readings[0][1] / one.raw[0], other.readings[0][1] / other.raw[0]
    return not _same(one.raw, other.raw) and not _same([mine], [theirs])


def _rounds(one: Quantity, value: float, other: Quantity, found: float) -> bool:
    """Say whether a claim's value is a rounding of the span's to fewer digits; a small count never is."""
    if one.digits >= other.digits or abs(value - found) > _ROUNDED * abs(found):
        return False
    if other.raw[0].is_integer() and abs(other.raw[0]) < _SMALLEST_ROUNDED:
        return False
    return abs(float(f"{found:.{one.digits - 1}e}") - value) <= _SAME * abs(found)


def _absent(one: Quantity, span: Sequence[Quantity], used: Collection[int]) -> Iterator[FactMismatch]:
    """Yield the mismatch of a number that the span lacks: its unit is another, its value is, or there is none."""
    measured = [other for other in span if other.dimension not in _UNMEASURED and one.dimension not in _UNMEASURED]
    united = [other for other in measured if one.raw[0] and _same(one.raw, other.raw)]
    rivals = [other for other in span if other.first not in used and _rivals(one, other)]
    if united:
        yield FactMismatch("unit", one.text, united[0].text, opposed=True)
    elif rivals:
        best = max(rivals, key=lambda other: (bool(one.noun & other.noun), len(one.near & other.near)))
        yield FactMismatch("number", one.text, best.text, opposed=True)
    elif not one.soft:
        yield FactMismatch("number", one.text)


def _rivals(one: Quantity, other: Quantity) -> bool:
    """Say whether two numbers are of one kind and stand in the same place."""
    if one.dimension != other.dimension:
        return False
    if one.noun and other.noun and not one.dimension:
        return not one.noun.isdisjoint(other.noun)
    return aligned(one.near, other.near)


def _misplaced(one: Quantity, others: Sequence[Quantity], unused: Sequence[Quantity]) -> Iterator[FactMismatch]:
    """Yield what is wrong with a number that the span has: it counts something else, is a bound or a change otherwise.

    `others` are the numbers of the span that agree, `unused` those that agree with none of the claim.
    """
    elsewhere = [other for other in others if not other.dimension and other.noun and one.noun.isdisjoint(other.noun)]
    if one.noun and not one.dimension and len(elsewhere) == len(others):
        rival = next((other for other in unused if not one.noun.isdisjoint(other.noun)), None)
        if rival is not None:
            yield FactMismatch("number", one.text, rival.text, opposed=True)
            return
    if one.role and all(other.role and other.role != one.role for other in others):
        yield FactMismatch("number", f"{one.role} {one.text}", f"{others[0].role} {others[0].text}", opposed=True)
    if one.hint in _BOUNDS and all(other.hint in _BOUNDS and other.hint != one.hint for other in others):
        what, found = f"{_BOUNDS[one.hint]} {one.text}", f"{_BOUNDS[others[0].hint]} {others[0].text}"
        yield FactMismatch("quantifier", what, found, opposed=True)
