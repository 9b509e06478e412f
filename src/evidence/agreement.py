"""Compares the numbers of a claim with those of a span."""

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from .quantity import Quantity
from .reason import FactMismatch
from .word import aligned

if TYPE_CHECKING:
    from .facts import Facts

_SMALLEST_ROUNDED = 1000
"""Counts below this match a rounded number only if a word such as `about` allows it."""

_ROUNDED, _ROUGH, _CONVERTED = 0.05, 0.06, 0.02
"""Largest relative errors of a rounding, of a number behind `about`, and of a conversion to another unit."""

_FRACTION = 0.15
"""Largest relative error of a fraction in words behind `about`: 22 percent are about a fifth."""

_BEYOND = 1.3
"""Largest ratio of a number to its bound: `more than 1,000` is a fair wording of 1,243, but not of 40,000."""

_SAME = 1e-6
_BOUNDS = {"+": "at least", "-": "at most"}
_COUNTS = {"", "times"}
"""Dimensions of bare numbers and of repetitions, which may match: three retries are three times."""

_UNMEASURED = frozenset({"", "ordinal"})


def differing(claim: "Facts", span: "Facts", _: "Facts") -> Iterator[FactMismatch]:
    """Yield the numbers of a claim that no number of the span supports; the years of the span's dates count too."""
    years = {date.year for date in span.dates}
    matches = {
        claimed.first: [stated for stated in span.quantities if agree(claimed, stated)] for claimed in claim.quantities
    }
    used = {
        stated.first
        for claimed in claim.quantities
        for stated in matches[claimed.first]
        if not claimed.noun or not stated.noun or claimed.noun & stated.noun
    }
    for claimed in claim.quantities:
        if fitting := matches[claimed.first]:
            yield from _misplaced(claimed, fitting, [stated for stated in span.quantities if stated.first not in used])
        elif claimed.dimension or claimed.raw[0] not in years:
            yield from _absent(claimed, span.quantities, used)


def agree(claimed: Quantity, stated: Quantity) -> bool:
    """Whether a claim's number agrees with a span's, in any reading of both."""
    for dimension, value in claimed.readings:
        for stated_dimension, stated_value in stated.readings:
            if dimension == stated_dimension:
                fits = _near(claimed, value, stated, stated_value)
            elif {dimension, stated_dimension} == _COUNTS:
                fits = _same(claimed.raw, stated.raw)
            elif dimension and stated_dimension:
                rated = _is_rate_of(dimension, stated_dimension)
                fits = rated and _same([claimed.part or value], [stated.part or stated_value])
            else:
                bare = stated if dimension else claimed
                fits = not bare.noun and _same(claimed.raw, stated.raw)
            if fits:
                return True
    return False


def _is_rate_of(left: str, right: str) -> bool:
    """Whether one dimension is a rate of the other: `200 litres` and `200 litres a day`."""
    return ("/" in left) != ("/" in right) and left.partition("/")[0] == right.partition("/")[0]


def _same(left: Sequence[float], right: Sequence[float]) -> bool:
    return any(abs(a - b) <= _SAME * max(abs(a), abs(b)) for a in left for b in right)


def _near(claimed: Quantity, value: float, stated: Quantity, stated_value: float) -> bool:
    """Whether a claim's value in the base unit equals the span's, rounds it, or is within its bound or tolerance."""
    difference, size = abs(value - stated_value), max(abs(value), abs(stated_value))
    if difference <= _SAME * size:
        return True
    if claimed.dimension == "ordinal":
        return False
    if _is_converted(claimed, stated) and difference <= _CONVERTED * size:
        return True
    if "≈" in (claimed.hint, stated.hint):
        return difference <= _FRACTION * size
    if claimed.hint == "~" or stated.hint == "~":
        return difference <= _ROUGH * size
    if claimed.hint in _BOUNDS and claimed.hint != stated.hint:
        low, high = (value, stated_value) if claimed.hint == "+" else (stated_value, value)
        return low <= high <= _BEYOND * low
    return _rounds(claimed, value, stated, stated_value)


def _is_converted(claimed: Quantity, stated: Quantity) -> bool:
    """Whether two amounts have different units of one dimension."""
    if not claimed.dimension or not claimed.raw[0] or not stated.raw[0]:
        return False
    claimed_factor, stated_factor = claimed.readings[0][1] / claimed.raw[0], stated.readings[0][1] / stated.raw[0]
    return not _same(claimed.raw, stated.raw) and not _same([claimed_factor], [stated_factor])


def _rounds(claimed: Quantity, value: float, stated: Quantity, stated_value: float) -> bool:
    """Whether a claim's value rounds the span's to fewer digits; a small count never does."""
    if claimed.digits >= stated.digits or abs(value - stated_value) > _ROUNDED * abs(stated_value):
        return False
    if stated.raw[0].is_integer() and abs(stated.raw[0]) < _SMALLEST_ROUNDED:
        return False
    return abs(float(f"{stated_value:.{claimed.digits - 1}e}") - value) <= _SAME * abs(stated_value)


def _absent(claimed: Quantity, span: Sequence[Quantity], used: Collection[int]) -> Iterator[FactMismatch]:
    """Yield the mismatch of a number that the span lacks: a different unit, a different value, or a missing number."""
    measured = [
        stated for stated in span if stated.dimension not in _UNMEASURED and claimed.dimension not in _UNMEASURED
    ]
    same_value = [stated for stated in measured if claimed.raw[0] and _same(claimed.raw, stated.raw)]
    rivals = [stated for stated in span if stated.first not in used and _rivals(claimed, stated)]
    if same_value:
        yield FactMismatch("unit", claimed.text, same_value[0].text, opposed=True)
    elif rivals:
        best = max(rivals, key=lambda stated: (bool(claimed.noun & stated.noun), len(claimed.near & stated.near)))
        yield FactMismatch("number", claimed.text, best.text, opposed=True)
    elif not claimed.soft:
        yield FactMismatch("number", claimed.text)


def _rivals(claimed: Quantity, stated: Quantity) -> bool:
    """Whether two numbers have the same dimension and count the same noun or have similar context words."""
    if claimed.dimension != stated.dimension:
        return False
    if claimed.noun and stated.noun and not claimed.dimension:
        return not claimed.noun.isdisjoint(stated.noun)
    return aligned(claimed.near, stated.near)


def _misplaced(claimed: Quantity, agreeing: Sequence[Quantity], unused: Sequence[Quantity]) -> Iterator[FactMismatch]:
    """Yield the differences in use of a number that the span has too: another noun, another role, or another bound.

    `agreeing` are the span's numbers that agree with it; `unused` those that agree with no number of the claim.
    """
    first = agreeing[0]
    counts = claimed.noun and not claimed.dimension
    if counts and all(not it.dimension and it.noun and claimed.noun.isdisjoint(it.noun) for it in agreeing):
        rival = next((stated for stated in unused if not claimed.noun.isdisjoint(stated.noun)), None)
        if rival is not None:
            yield FactMismatch("number", claimed.text, rival.text, opposed=True)
            return
    if claimed.role and all(stated.role and stated.role != claimed.role for stated in agreeing):
        what, found = f"{claimed.role} {claimed.text}", f"{first.role} {first.text}"
        yield FactMismatch("number", what, found, opposed=True)
    if claimed.hint in _BOUNDS and all(stated.hint in _BOUNDS and stated.hint != claimed.hint for stated in agreeing):
        what, found = f"{_BOUNDS[claimed.hint]} {claimed.text}", f"{_BOUNDS[first.hint]} {first.text}"
        yield FactMismatch("quantifier", what, found, opposed=True)
