"""Finds pairs of statements of independent sources that cannot both be true.

A false contradiction costs more trust than a missed one. Two statements must therefore name the same subject and differ
in one number, date, name or negation alone: any further difference may explain it.
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
"""Share of the shorter statement's words that two statements must have in common to be compared further."""

LOOKED_AT = 20
"""Most statements that a statement is compared with, the most similar first."""

ROUGHLY = 1.25
"""Ratio below which two numbers agree if either is approximate."""

NAMED = 6
"""Most words of the subject of a contradiction."""

_ONCE = roots(" ".join(_LISTS["once"]))
"""Roots of words for events that happen once: two dates of one cannot both be right."""

_BY_ONE = roots(" ".join(_LISTS["by_one"]))
"""Roots of words for roles that one name fills (inventor, capital): two names cannot both be right."""

_SHORT = re.compile(r"[^\W\d_a-zß-ÿ](?:[\w'’%°-]|[.,](?=\d)| (?=[\w°%]))*\.")
"""A short sentence, from a capital to a full stop: too short to be quoted alone."""

_NUMBER = re.compile(r"\d+(?:\.\d+)*")


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two contradicting statements, by index: they share `subject`; the first has `what`, the second `found`."""

    first: int
    second: int
    kind: Kind
    subject: str
    what: str
    found: str


def contradictions(stated: Sequence[Stated], cited: Collection[int]) -> list[Conflict]:
    """Return the contradictions between the statements `cited`, by index, and those of other groups, in order.

    A statement has at most one contradiction with a group: with its most similar statement.
    """
    sides = [
        index
        for index, side in enumerate(stated)
        if not side.is_item and (side.statement.kind == "sentence" or _SHORT.fullmatch(side.statement.text))
    ]
    cited_sides = set(cited).intersection(sides)
    reported: set[tuple[int, str]] = set()
    found = []
    for first in sorted(cited_sides):
        others = [index for index in sides if index > first or index not in cited_sides]
        for second in _nearest(stated, first, others):
            left, right = stated[first], stated[second]
            ends = {(first, right.group), (second, left.group)}
            if reported.isdisjoint(ends) and (opposed := _opposed(left, right)) is not None:
                reported |= ends
                found.append(Conflict(first, second, opposed.kind, _subject(left, right), opposed.what, opposed.found))
    return found


def _nearest(stated: Sequence[Stated], first: int, others: Iterable[int]) -> list[int]:
    """Return the statements of other groups that share enough words with the `first`, the most similar first."""
    roots, group = stated[first].statement.roots, stated[first].group
    alike = []
    for other in others:
        other_roots = stated[other].statement.roots
        shared = len(roots & other_roots)
        if stated[other].group != group and shared > 1 and shared >= ALIKE * min(len(roots), len(other_roots)):
            alike.append((-shared / len(roots | other_roots), other))
    return [index for _, index in nsmallest(LOOKED_AT, alike)]


def _opposed(left: Stated, right: Stated) -> FactMismatch | None:
    """Return the difference that makes two statements contradict; None if there is none, or another one besides."""
    if not left.is_usable or not right.is_usable or _numbers_differ(left.above, right.above):
        return None
    if _names_differ(left, right) or left.qualifiers != right.qualifiers or not _same_subject(left, right):
        return None
    forward = mismatches(left.facts, right.facts, right.context)
    backward = mismatches(right.facts, left.facts, left.context)
    both = forward + backward
    kinds = {mismatch.kind for mismatch in both}
    if len(kinds) != 1 or max(len(forward), len(backward)) > 1 or not all(mismatch.opposed for mismatch in both):
        return None
    (kind,) = kinds
    opposed = both[0]
    if kind not in _CHECKS or not _CHECKS[kind](left, right, opposed):
        return None
    return opposed if forward else FactMismatch(kind, opposed.found, opposed.what, opposed=True)


def _names_differ(left: Stated, right: Stated) -> bool:
    """Whether each statement has a capitalized word that the other lacks, unless names may be what differs."""
    left_only = left.capitals - right.statement.roots - right.heading
    right_only = right.capitals - left.statement.roots - left.heading
    return bool(left_only and right_only) and not left.statement.roots & right.statement.roots & _BY_ONE


def _same_subject(left: Stated, right: Stated) -> bool:
    """Whether two statements name their subject, and the same one."""
    shared = (left.about & right.about) - GENERAL
    if len(shared) < 2 or left.labels != right.labels:
        return False
    return bool((left.names | right.names) & shared) or bool(left.heading & right.heading)


def _numbers_differ(left: str, right: str) -> bool:
    """Whether two titles have different numbers: versions, years, or sections."""
    first, second = set(_NUMBER.findall(left)), set(_NUMBER.findall(right))
    return bool(first and second) and first.isdisjoint(second)


def _numbers_oppose(left: Stated, right: Stated, opposed: FactMismatch) -> bool:
    if left.is_past != right.is_past or left.beyond(right) or right.beyond(left):
        return False
    first, second = _quantity(left, opposed.what), _quantity(right, opposed.found)
    if first is None or second is None or len(left.facts.quantities) != len(right.facts.quantities):
        return False
    if _has_range(left) or _has_range(right) or first.soft or second.soft:
        return False
    if not first.dimension and not (first.noun & second.noun or not first.noun | second.noun):
        return False
    low, high = sorted(abs(quantity.readings[0][1]) for quantity in (first, second))
    bounds = [quantity.hint.strip("~") for quantity in (first, second)]
    return bounds[0] == bounds[1] and ("~" not in (first.hint, second.hint) or high >= ROUGHLY * low)


def _quantity(side: Stated, text: str) -> Quantity | None:
    return next((quantity for quantity in side.facts.quantities if quantity.text == text), None)


def _has_range(side: Stated) -> bool:
    return any(following.first - quantity.last <= 2 for quantity, following in pairwise(side.facts.quantities))


def _dates_oppose(left: Stated, right: Stated, opposed: FactMismatch) -> bool:  # noqa: ARG001 one signature for all
    if left.beyond(right) or right.beyond(left) or not left.about & right.about & _ONCE:
        return False
    first, second = left.facts.dates, right.facts.dates
    return len(first) == len(second) == 1 and bool(first[0].day) == bool(second[0].day)


def _names_oppose(left: Stated, right: Stated, opposed: FactMismatch) -> bool:
    if left.is_past != right.is_past or not left.about & right.about & _BY_ONE:
        return False
    sides = ((left, right, opposed.what), (right, left, opposed.found))
    return all(_only(side, side.beyond(opposite), text) for side, opposite, text in sides)


def _only(side: Stated, extra: set[int], text: str) -> bool:
    """Whether all words in `extra`, which only this statement has, belong to the name `text`."""
    name = next((name for name in side.facts.names.items if name.text == text), None)
    return name is not None and bool(extra) and all(name.first <= index <= name.last for index in extra)


def _denials_oppose(left: Stated, right: Stated, opposed: FactMismatch) -> bool:  # noqa: ARG001 one signature for all
    """Whether two statements that name their subject differ in a negation alone."""
    if left.is_past != right.is_past or left.qualifiers & CONDITIONS or left.denials + right.denials != 1:
        return False
    return bool(left.names & right.names) and not (left.missing(right) or right.missing(left))


_CHECKS = {"number": _numbers_oppose, "date": _dates_oppose, "name": _names_oppose, "negation": _denials_oppose}


def _subject(left: Stated, right: Stated) -> str:
    """Return the words of the first statement that name the common subject, in order, at most NAMED."""
    shared = right.all_roots | right.heading
    words = [left.words[index].text for index, word_roots in left.heavy.items() if word_roots & shared]
    return " ".join(list(dict.fromkeys(words))[:NAMED])
