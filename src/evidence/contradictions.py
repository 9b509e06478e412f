"""Pairs of statements, of sources that are no copies of one another, that cannot both be true.

A contradiction that is none costs more trust than one that is missed. So two statements must say the same but for one
number, date, name or denial, of what stands in both by name; anything else in which they differ may be the reason.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import pairwise

from .facts import mismatches
from .lexicon import lexicon
from .quantity import Quantity
from .reason import FactMismatch, Kind
from .relevance import roots
from .stated import CONDITIONS, GENERAL, Stated

_LISTS = lexicon("contradictions")

ALIKE = 0.5
"""The share of the words of the one with fewer that two statements have in common before more is asked of them."""

LOOKED_AT = 20
"""Statements that one is compared with at most, the most alike."""

ROUGHLY = 1.25
"""How many times the smaller one the larger of two numbers is when either is given as about so much."""

NAMED = 6
"""Words that name what a contradiction is about."""

_ONCE = roots(" ".join(_LISTS["once"]))
"""What happens once, so that two dates of it cannot both be right."""

_BY_ONE = roots(" ".join(_LISTS["by_one"]))
"""What one name has, so that two names of it cannot both be right."""

_SHORT = re.compile(r"[^\W\d_a-zß-ÿ](?:[\w'’%°-]|[.,](?=\d)| (?=[\w°%]))*\.")
"""Words from a capital to a full stop, of a sentence that is too short to be quoted alone."""

_NUMBER = re.compile(r"\d+(?:\.\d+)*")


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two statements, by their places, that cannot both be true: in `subject` they agree, in `what` and `found` not."""

    first: int
    second: int
    kind: Kind
    subject: str
    what: str
    found: str


def contradictions(stated: Sequence[Stated], cited: Collection[int]) -> list[Conflict]:
    """Return the contradictions between the statements `cited`, by their places, and all of other groups, in order.

    A statement contradicts a group once: of several of its statements the most alike counts.
    """
    sides = [
        place
        for place, one in enumerate(stated)
        if not one.is_item and (one.statement.kind == "sentence" or _SHORT.fullmatch(one.statement.text))
    ]
    known = set(cited).intersection(sides)
    told: set[tuple[int, str]] = set()
    found = []
    for first in sorted(known):
        others = [place for place in sides if place > first or place not in known]
        for second in _nearest(stated, first, others):
            one, other = stated[first], stated[second]
            ends = {(first, other.group), (second, one.group)}
            if told.isdisjoint(ends) and (opposed := _opposed(one, other)) is not None:
                told |= ends
                found.append(Conflict(first, second, opposed.kind, _subject(one, other), opposed.what, opposed.found))
    return found


def _nearest(stated: Sequence[Stated], first: int, others: Iterable[int]) -> list[int]:
    """Return the statements of other groups that share enough words with one, the most alike first."""
    own, group = stated[first].statement.roots, stated[first].group
    alike = []
    for place in others:
        theirs = stated[place].statement.roots
        shared = len(own & theirs)
        if stated[place].group != group and shared > 1 and shared >= ALIKE * min(len(own), len(theirs)):
            alike.append((-shared / len(own | theirs), place))
    return [place for _, place in nsmallest(LOOKED_AT, alike)]


def _opposed(one: Stated, other: Stated) -> FactMismatch | None:
    """Return the one thing in which two statements cannot both be true, None when there is none or more than that."""
    if not one.is_usable or not other.is_usable or _numbers_apart(one.above, other.above):
        return None
    if _named_apart(one, other) or one.qualifiers != other.qualifiers or not _same_subject(one, other):
        return None
    ways = (mismatches(one.facts, other.facts, other.context), mismatches(other.facts, one.facts, one.context))
    kinds = {mismatch.kind for way in ways for mismatch in way}
    if len(kinds) != 1 or not all(mismatch.opposed for way in ways for mismatch in way) or max(map(len, ways)) > 1:
        return None
    (kind,) = kinds
    opposed = (ways[0] or ways[1])[0]
    if kind not in _CHECKS or not _CHECKS[kind](one, other, opposed):
        return None
    return opposed if ways[0] else FactMismatch(kind, opposed.found, opposed.what, opposed=True)


def _named_apart(one: Stated, other: Stated) -> bool:
    """Say, by a look at the words alone, whether each names what the other does not, and names are not in question."""
    apart = one.capitals - other.statement.roots - other.heading and other.capitals - one.statement.roots - one.heading
    return bool(apart) and not one.statement.roots & other.statement.roots & _BY_ONE


def _same_subject(one: Stated, other: Stated) -> bool:
    """Say whether two statements name what they are about, and it is the same."""
    shared = (one.about & other.about) - GENERAL
    if len(shared) < 2 or one.labels != other.labels:
        return False
    return bool((one.names | other.names) & shared) or bool(one.heading & other.heading)


def _numbers_apart(one: str, other: str) -> bool:
    """Say whether two titles have different numbers: other versions, years, or sections."""
    first, second = set(_NUMBER.findall(one)), set(_NUMBER.findall(other))
    return bool(first and second) and first.isdisjoint(second)


def _numbers_oppose(one: Stated, other: Stated, opposed: FactMismatch) -> bool:
    if one.is_past != other.is_past or one.beyond(other) or other.beyond(one):
        return False
    first, second = _quantity(one, opposed.what), _quantity(other, opposed.found)
    if first is None or second is None or len(one.facts.quantities) != len(other.facts.quantities):
        return False
    if _has_range(one) or _has_range(other) or first.soft or second.soft:
        return False
    if not first.dimension and not (first.noun & second.noun or not first.noun | second.noun):
        return False
    low, high = sorted(abs(quantity.readings[0][1]) for quantity in (first, second))
    bounds = [quantity.hint.strip("~") for quantity in (first, second)]
    return bounds[0] == bounds[1] and ("~" not in (first.hint, second.hint) or high >= ROUGHLY * low)


def _quantity(side: Stated, text: str) -> Quantity | None:
    return next((one for one in side.facts.quantities if one.text == text), None)


def _has_range(side: Stated) -> bool:
    return any(other.first - one.last <= 2 for one, other in pairwise(side.facts.quantities))


def _dates_oppose(one: Stated, other: Stated, opposed: FactMismatch) -> bool:  # noqa: ARG001 one signature for all
    if one.beyond(other) or other.beyond(one) or not one.about & other.about & _ONCE:
        return False
    first, second = one.facts.dates, other.facts.dates
    return len(first) == len(second) == 1 and bool(first[0].day) == bool(second[0].day)


def _names_oppose(one: Stated, other: Stated, opposed: FactMismatch) -> bool:
    if one.is_past != other.is_past or not one.about & other.about & _BY_ONE:
        return False
    texts = ((one, other, opposed.what), (other, one, opposed.found))
    return all(_only(side, side.beyond(against), text) for side, against, text in texts)


def _only(side: Stated, extra: set[int], text: str) -> bool:
    """Say whether what is extra in a statement is this name, and all of it."""
    name = next((one for one in side.facts.names.items if one.text == text), None)
    return name is not None and bool(extra) and all(name.first <= place <= name.last for place in extra)


def _denials_oppose(one: Stated, other: Stated, opposed: FactMismatch) -> bool:  # noqa: ARG001 one signature for all
    """A denial says so little that all else must be equal, and what it is about must be named in the statements."""
    if one.is_past != other.is_past or one.qualifiers & CONDITIONS or one.denials + other.denials != 1:
        return False
    return bool(one.names & other.names) and not (one.missing(other) or other.missing(one))


_CHECKS = {"number": _numbers_oppose, "date": _dates_oppose, "name": _names_oppose, "negation": _denials_oppose}


def _subject(one: Stated, other: Stated) -> str:
    """Return the words of the first statement that say what both are about, in their order."""
    known = other.known | other.heading
    words = [one.words[place].text for place, own in one.heavy.items() if own & known]
    return " ".join(list(dict.fromkeys(words))[:NAMED])
