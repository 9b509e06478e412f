"""Whether a claim denies what a span asserts, asserts what it denies, or names the opposite."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .clause import Clause
from .direction import opposites
from .lexicon import lexicon
from .reason import FactMismatch

if TYPE_CHECKING:
    from .facts import Facts

_LISTS = lexicon("denial")

_ALIGNED = 0.5
"""Share of a claim's clause that the span's clause must have for the two to speak of one thing."""

_NEAR = 0.25
"""Share from which they may, and of the words of the span's clause that the claim's must have."""


def differing(told: "Facts", said: "Facts", _: "Facts") -> Iterator[FactMismatch]:
    """Yield what a claim denies and the span asserts or the other way round, and where they name opposites."""
    claim, span = told.clauses, said.clauses
    for index, part in enumerate(claim):
        if part in span:
            continue
        one, found = part, _best(part, span)
        if part.denies and not found and index and not _is_heard(part, span):
            one = part._replace(stems=part.stems | claim[index - 1].stems)
            found = _best(one, span)
        verdicts = [_compared(one, other) for other in found]
        if verdicts and all(verdicts) and verdicts[0]:
            yield verdicts[0]
            break
    else:
        yield from _unheard(told, said)
        yield from _denied(told, said)


def _denied(claim: "Facts", span: "Facts") -> Iterator[FactMismatch]:
    """Yield a denial all of whose words a claim has that denies nothing: `eat bark and fish`, `do not eat fish`."""
    if claim.denies or any(one.weak for one in claim.clauses):
        return
    said = frozenset[str]().union(*(one.stems for one in claim.clauses))
    asserted = frozenset[str]().union(*(one.stems for one in span.clauses if not one.denies))
    for one in span.clauses:
        if one.denies and len(one.scope) > 1 and one.scope <= said and not one.scope <= asserted and not one.weak:
            yield FactMismatch("negation", "", one.negator, opposed=True)
            return


def _unheard(claim: "Facts", span: "Facts") -> Iterator[FactMismatch]:
    """Yield a denial that nothing in the span agrees with, though it may not speak of the same."""
    for one in claim.clauses:
        if not one.denies or _best(one, span.clauses) or (span.denies and _is_heard(one, span.clauses)):
            continue
        near = _best(one, span.clauses, least=_NEAR)
        counted = any(stem[0].isdecimal() for other in near for stem in one.stems & other.stems)
        silent = not any(other.denies or other.weak or other.prefixed for other in near or span.clauses)
        if silent and (counted or not span.denies):
            yield FactMismatch("negation", one.negator)
            return


def _is_heard(clause: Clause, span: Sequence[Clause]) -> bool:
    """Say whether a span denies anything of what a clause denies."""
    return any(other.denies and not clause.stems.isdisjoint(other.stems) for other in span)


def _best(clause: Clause, span: Sequence[Clause], least: float = _ALIGNED) -> list[Clause]:
    """Return the clauses of a span that have most of a claim's, all within a tenth; of one word, those of just it."""
    size = len(clause.stems)
    if size == 1:
        return [other for other in span if other.stems == clause.stems]
    shares = [(len(clause.stems & other.stems), other) for other in span]
    most = max((share for share, _ in shares), default=0)
    if most < max(2, least * size):
        return []
    return [other for share, other in shares if share > 1 and share >= most - 0.1 * size]


def _compared(one: Clause, other: Clause) -> FactMismatch | None:
    """Return in what a clause of a claim opposes one of the span that speaks of the same.

    What turns a clause into its opposite (a denial, a prefix, an opposite word) does so once; twice is none.
    """
    alike = len(one.stems & other.stems) >= _NEAR * len(other.stems)
    turned = opposites(one.terms, other.terms) if alike else []
    prefixed = [pair for pair in _prefixed(one, other) if alike and not any(map(set(pair).intersection, turned))]
    denied = one.denies != other.denies and bool(one.denies or (alike and (turned or one.stems & other.scope)))
    flips = len(turned) + denied + bool(prefixed)
    if not flips % 2 or (denied and not turned and _excused(one, other)):
        return _miscounted(one, other)
    what, found = (turned or prefixed or [("", "")])[0]
    if denied and not turned:
        what, found = _denial(one) or what, _denial(other) or found
    return FactMismatch("negation", what, found, opposed=True)


def _prefixed(one: Clause, other: Clause) -> list[tuple[str, str]]:
    """Return each word that a prefix turns in one of two clauses only, with the stem of the other's."""
    mine = [(word, stem) for stem, word in one.prefixed.items() if stem in other.stems - other.prefixed.keys()]
    return mine + [(stem, word) for stem, word in other.prefixed.items() if stem in one.stems - one.prefixed.keys()]


def _denial(clause: Clause) -> str:
    return clause.negator if clause.denies else ""


def _excused(one: Clause, other: Clause) -> bool:
    """Say whether the one of two clauses that does not deny may do so in words of its own."""
    silent, loud = (other, one) if one.denies else (one, other)
    return bool(silent.weak - loud.weak or silent.prefixed.keys() - loud.prefixed.keys())


def _miscounted(one: Clause, other: Clause) -> FactMismatch | None:
    """Return where one says all and the other some, or one most and the other few."""
    for mine, theirs in (("universal", "partial"), ("mostly", "few"), ("few", "mostly"), ("few", "universal")):
        ours, said = one.words & _LISTS[mine], other.words & _LISTS[theirs]
        if ours and said and not other.words & _LISTS[mine] and not one.words & _LISTS[theirs]:
            return FactMismatch("quantifier", min(ours), min(said), opposed=True)
    return None
