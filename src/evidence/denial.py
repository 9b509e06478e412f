"""Detects where one of claim and span negates what the other asserts, or uses an antonym."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .antonyms import antonym_pairs
from .clause import Clause
from .lexicon import lexicon
from .reason import FactMismatch

if TYPE_CHECKING:
    from .facts import Facts

_LISTS = lexicon("denial")

_ALIGNED = 0.5
"""Share of the stems of a claim's clause that a span's clause must have for both to be about the same thing."""

_NEAR = 0.25
"""Share from which both may be about the same thing; also the share of the span's stems the claim's clause needs."""


def differing(claim: "Facts", span: "Facts", _: "Facts") -> Iterator[FactMismatch]:
    """Yield the first negation or antonym by which claim and span oppose each other, or a negation that one lacks."""
    for index, clause in enumerate(claim.clauses):
        if clause in span.clauses:
            continue
        compared, matches = clause, _best(clause, span.clauses)
        if clause.denies and not matches and index and not _is_heard(clause, span.clauses):
            compared = clause._replace(stems=clause.stems | claim.clauses[index - 1].stems)
            matches = _best(compared, span.clauses)
        verdicts = [_compared(compared, match) for match in matches]
        if verdicts and all(verdicts) and verdicts[0]:
            yield verdicts[0]
            break
    else:
        yield from _unheard(claim, span)
        yield from _denied(claim, span)


def _denied(claim: "Facts", span: "Facts") -> Iterator[FactMismatch]:
    """Yield a negation of the span whose scope is asserted by the claim: `eat bark and fish` for `do not eat fish`."""
    if claim.denies or any(clause.weak for clause in claim.clauses):
        return
    claim_stems = frozenset[str]().union(*(clause.stems for clause in claim.clauses))
    asserted = frozenset[str]().union(*(clause.stems for clause in span.clauses if not clause.denies))
    for clause in span.clauses:
        is_within = clause.scope <= claim_stems and not clause.scope <= asserted
        if clause.denies and len(clause.scope) > 1 and is_within and not clause.weak:
            yield FactMismatch("negation", "", clause.negator, opposed=True)
            return


def _unheard(claim: "Facts", span: "Facts") -> Iterator[FactMismatch]:
    """Yield a negation of the claim without a counterpart in the span, even if no clause is about the same thing."""
    for clause in claim.clauses:
        if not clause.denies or _best(clause, span.clauses) or (span.denies and _is_heard(clause, span.clauses)):
            continue
        near = _best(clause, span.clauses, least=_NEAR)
        counted = any(stem[0].isdecimal() for match in near for stem in clause.stems & match.stems)
        silent = not any(other.denies or other.weak or other.prefixed for other in near or span.clauses)
        if silent and (counted or not span.denies):
            yield FactMismatch("negation", clause.negator)
            return


def _is_heard(clause: Clause, span: Sequence[Clause]) -> bool:
    """Whether the span has a negated clause that shares a stem with a clause."""
    return any(other.denies and not clause.stems.isdisjoint(other.stems) for other in span)


def _best(clause: Clause, span: Sequence[Clause], least: float = _ALIGNED) -> list[Clause]:
    """Return the span's clauses that share most stems with a clause of the claim, all within a tenth of its size.

    A clause with a single stem matches only equal clauses.
    """
    size = len(clause.stems)
    if size == 1:
        return [other for other in span if other.stems == clause.stems]
    shares = [(len(clause.stems & other.stems), other) for other in span]
    most = max((share for share, _ in shares), default=0)
    if most < max(2, least * size):
        return []
    return [other for share, other in shares if share > 1 and share >= most - 0.1 * size]


def _compared(claimed: Clause, stated: Clause) -> FactMismatch | None:
    """Return how a clause of the claim opposes a clause of the span about the same thing; None if it does not.

    A negator, a negative prefix and an antonym each reverse a clause; two of them cancel out.
    """
    alike = len(claimed.stems & stated.stems) >= _NEAR * len(stated.stems)
    turned = antonym_pairs(claimed.terms, stated.terms) if alike else []
    prefixed = [pair for pair in _prefixed(claimed, stated) if alike and not any(map(set(pair).intersection, turned))]
    denied = claimed.denies != stated.denies and bool(
        claimed.denies or (alike and (turned or claimed.stems & stated.scope))
    )
    flips = len(turned) + denied + bool(prefixed)
    if not flips % 2 or (denied and not turned and _excused(claimed, stated)):
        return _miscounted(claimed, stated)
    if denied and not turned:  # exactly one of them has a negation
        claim_word, span_word = (clause.negator if clause.denies else "" for clause in (claimed, stated))
    else:
        claim_word, span_word = (turned or prefixed)[0]
    return FactMismatch("negation", claim_word, span_word, opposed=True)


def _prefixed(left: Clause, right: Clause) -> list[tuple[str, str]]:
    """Return each word that a prefix negates in only one of two clauses, paired with the stem in the other."""
    left_only = [(word, stem) for stem, word in left.prefixed.items() if stem in right.stems - right.prefixed.keys()]
    return left_only + [
        (stem, word) for stem, word in right.prefixed.items() if stem in left.stems - left.prefixed.keys()
    ]


def _excused(left: Clause, right: Clause) -> bool:
    """Whether the clause without a negator negates in other words: by an implicit negator or a prefix."""
    asserting, denying = (right, left) if left.denies else (left, right)
    return bool(asserting.weak - denying.weak or asserting.prefixed.keys() - denying.prefixed.keys())


def _miscounted(claimed: Clause, stated: Clause) -> FactMismatch | None:
    """Return the mismatch of quantifiers if one clause says all and the other some, or one most and the other few."""
    for kind, opposite in (("universal", "partial"), ("mostly", "few"), ("few", "mostly"), ("few", "universal")):
        words, others = claimed.words & _LISTS[kind], stated.words & _LISTS[opposite]
        if words and others and not stated.words & _LISTS[kind] and not claimed.words & _LISTS[opposite]:
            return FactMismatch("quantifier", min(words), min(others), opposed=True)
    return None
