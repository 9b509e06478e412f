"""Whether a claim says more than its source: all for most, is for may be, must for may, because for and."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from .clause import opens_clause
from .lexicon import labels, lexicon, vocabulary
from .reason import FactMismatch
from .word import Word, stems

if TYPE_CHECKING:
    from .facts import Facts

_LISTS = lexicon("limit")

_RANK = labels("quantifiers")
_STRONGER = {
    "all": {"most", "some", "none", "only"}, "most": {"some", "none"}, "none": {"all", "most", "some", "only"},
    "only": {"all", "most", "some", "none"}, "": {"none"},
}  # fmt: skip
"""What a source may not say of the same noun of which a claim says the first."""

_LIMITS = [(_LISTS[kind], _LISTS[f"{kind}_excused"]) for kind in ("modal", "plan", "view", "refusal", "link", "some")]
"""Words that limit what a source says, and those by which a claim says that it is limited."""

BOUNDING = frozenset[str]().union(*(words for words, _ in _LIMITS), _LISTS["only"], _LISTS["mainly"])
"""Words without which a sentence says more than with them."""

_CAUSES = _LISTS["causes"]
_CAUSAL = _CAUSES | _LISTS["causal"]
_RATES = labels("rates")
"""Periods and the words for what there is in each, by the English noun."""

_ADVERBS = frozenset(_RATES) - _LISTS["adverbs"]
_EACH = vocabulary("per each every pro par por /")
_SKIPPED = _LISTS["skipped"]
_REACH = 4
_THAT = vocabulary("that dass que che dat")
_THAT_REACH = 16
_LEAST_SHARED = 2

_ALWAYS = _LISTS["always"]
_MUST = _LISTS["must"]
_MAY = _LISTS["may"]
_UNIVERSAL = _LISTS["universal"]
_EVERY = _UNIVERSAL | _LISTS["every"]
_TOP = vocabulary("most majority foremost unrivalled unsurpassed")
_SHORTEST = 5
"""Letters of a superlative, and more."""


def differing(told: "Facts", said: "Facts", above: "Facts") -> Iterator[FactMismatch]:
    """Yield where a claim says more than the source, which limits it, or the opposite of it."""
    claim, span, context = told.words, said.words, above.words
    mine, theirs = {term.folded for term in claim}, {term.folded for term in span}
    around = theirs | {term.folded for term in context}
    yield from _quantified(claim, span)
    if mine & _LISTS["only"] and theirs & _LISTS["mainly"] and not theirs & _LISTS["only"] | mine & _LISTS["mainly"]:
        yield FactMismatch("quantifier", min(mine & _LISTS["only"]), min(theirs & _LISTS["mainly"]), limits=True)
    yield from _limited(mine, stems(claim), span)
    yield from _rated(claim, span)
    caused = mine & _CAUSES - ({"due"} if theirs & _LISTS["plan"] else set())  # `due to open` tells a plan
    if caused and not around & _CAUSAL:
        yield FactMismatch("quantifier", min(caused), limits=True)
    yield from _surer(claim, span, {term.folded for term in (*span, *context) if term.text != "May"})


def _surer(claim: Sequence[Word], span: Sequence[Word], theirs: set[str]) -> Iterator[FactMismatch]:
    """Yield a duty for what is allowed, always for what can be, all or the most where `theirs` has no such word."""
    before = ["", *(term.folded for term in claim)]
    mine = {term.folded for left, term in zip(before, claim, strict=False) if left != "at"}
    freedoms = {term.folded for term in span if term.text != "May"} & _MAY
    duties, always, every = mine & _MUST, mine & _ALWAYS, mine & _UNIVERSAL
    owed = _governed(claim, _MUST) & _governed(span, _MAY) - _governed(span, _MUST)
    if owed or (duties and freedoms and not theirs & (_MUST | _LISTS["duties"])):
        yield FactMismatch("quantifier", min(duties), min(freedoms), limits=True)
    sometimes = freedoms | theirs & _LISTS["often"]
    if always and sometimes and not theirs & (_ALWAYS | _EVERY):
        yield FactMismatch("quantifier", min(always), min(sometimes), limits=True)
    if every and not theirs & (_EVERY | _ALWAYS):
        yield FactMismatch("quantifier", min(every), limits=True)
    if not any(map(_is_most, theirs)):
        highest = [term.text for left, term in zip(before, claim, strict=False) if _is_highest(left, term.folded)]
        yield from (FactMismatch("quantifier", text, limits=True) for text in highest[:1])


def _is_highest(before: str, word: str) -> bool:
    """Say whether a word, by the one before it, puts something above all others: `the largest`, `most popular`."""
    named = before == "most" and word not in _LISTS["latest"] and len(word) > _SHORTEST
    return named or (_is_most(word) and word != "most")


def _is_most(word: str) -> bool:
    """Say whether a word is a superlative: `largest`, `most`."""
    word = word.partition("-")[0]
    return word in _TOP or (len(word) > _SHORTEST and word.endswith("est") and word not in _LISTS["not_most"])


def _governed(terms: Sequence[Word], words: frozenset[str]) -> set[str]:
    """Return the verbs right behind some words: `retain` of `must retain`."""
    return {behind.stem for term, behind in pairwise(terms) if term.folded in words and behind.stem}


def _rated(claim: Sequence[Word], span: Sequence[Word]) -> Iterator[FactMismatch]:
    """Yield what a claim says of each period and the source of another, or of none."""
    mine, theirs = _rates(claim), _rates(span)
    if mine and theirs and mine.keys().isdisjoint(theirs):
        yield FactMismatch("unit", next(iter(mine.values())), next(iter(theirs.values())), opposed=True)
    elif (
        mine.keys() - {"second", "minute"}
        and not theirs
        and not any(term.folded in _RATES or term.folded in _EACH for term in span)
    ):
        yield FactMismatch("quantifier", next(iter(mine.values())), limits=True)


def _rates(terms: Sequence[Word]) -> dict[str, str]:
    """Return the periods of which a text says what there is in each, and how: `200 litres a day`, `per year`."""
    found: dict[str, str] = {}
    for index, term in enumerate(terms):
        period = _RATES.get(term.folded)
        if period is None:
            continue
        before = [one.folded for one in terms[max(0, index - 4) : index]]
        counted = any(word[0].isdecimal() for word in before)
        if term.folded in _ADVERBS or (before[-1:] == ["a"] and counted) or set(before[-2:]) & _EACH:
            found.setdefault(period, term.text)
    return found


def _ranked(terms: Sequence[Word]) -> dict[str, tuple[str, str]]:
    """Return how many of a noun are meant, by the word before it: its rank and the word; an empty rank for no word."""
    found: dict[str, tuple[str, str]] = {}
    for index, term in enumerate(terms):
        rank = _RANK.get(term.folded, "")
        before = terms[index - 1].folded if index else ""
        if not rank or before == "at" or (rank == "only" and before in _SKIPPED):
            continue
        meant = False
        for behind in terms[index + 1 : index + 1 + _REACH]:
            if behind.stem and behind.folded not in _RANK and not behind.text[0].isdigit():
                found.setdefault(behind.stem, (rank, term.folded))
                if meant or rank == "most":
                    break
                meant = True  # the word behind it may be the noun, and this its adjective
            elif meant or behind.folded not in _SKIPPED:
                break
    return found


def _quantified(claim: Sequence[Word], span: Sequence[Word]) -> Iterator[FactMismatch]:
    """Yield a quantifier that says more of a noun than the one of the source: `all dams` for `most dams`."""
    mine, theirs = _ranked(claim), _ranked(span)
    known = stems(claim) & stems(span)
    for stem, (rank, word) in mine.items():
        found = theirs.get(stem)
        if found and found[0] in _STRONGER.get(rank, ()):
            opposed = "none" in (rank, found[0])
            if len(known) >= _LEAST_SHARED:
                yield FactMismatch("quantifier", word, found[1], opposed=opposed, limits=not opposed)
                return
        bare = not found and rank == "most"
        if bare and any(term.stem == stem for term in span) and not _counts(span):
            yield FactMismatch("quantifier", word, limits=True)
            return


def _counts(span: Sequence[Word]) -> bool:
    return any(term.folded in _RANK or term.text in ("%", "½") or term.folded in _LISTS["shares"] for term in span)


def _limited(mine: set[str], known: set[str], span: Sequence[Word]) -> Iterator[FactMismatch]:
    """Yield a word of the source that limits what the claim says without it."""
    for words, excused in _LIMITS:
        if mine & excused:
            continue
        for index, term in enumerate(span):
            if term.folded not in words or (term.text[0].isupper() and term.folded == "may"):
                continue
            ahead = _ahead(span, index)
            if ahead and known.issuperset(ahead[: 1 + (len(known) > _LEAST_SHARED)]):
                yield FactMismatch("quantifier", "", term.folded, limits=True)
                return


def _ahead(span: Sequence[Word], index: int) -> list[str]:
    """Return the first two content words that a word limits, those behind `that` where it follows; one of a clause."""
    that = range(index + 1, min(len(span), index + _THAT_REACH))
    start = next((at for at in that if span[at].folded in _THAT), index)
    found: list[str] = []
    for term in span[start + 1 : start + 1 + 2 * _REACH]:
        if found and opens_clause(term):
            break
        if term.stem:
            found.append(term.stem)
    return found[:2]
