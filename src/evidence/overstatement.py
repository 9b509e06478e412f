"""Detects where a claim says more than its source: all for most, is for may be, must for may, because for and."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from .clause import opens_clause
from .lexicon import labels, lexicon, vocabulary
from .reason import FactMismatch
from .word import Word, stems

if TYPE_CHECKING:
    from .facts import Facts

_LISTS = lexicon("overstatement")

_RANK = labels("quantifiers")
_STRONGER = {
    "all": {"most", "some", "none", "only"}, "most": {"some", "none"}, "none": {"all", "most", "some", "only"},
    "only": {"all", "most", "some", "none"}, "": {"none"},
}  # fmt: skip
"""By a claim's quantifier of a noun: the source's quantifiers of it that the claim contradicts or goes beyond."""

_LIMITS = [(_LISTS[kind], _LISTS[f"{kind}_excused"]) for kind in ("modal", "plan", "view", "refusal", "link", "some")]
"""Pairs of words that limit a sentence of the source and words that limit a claim in the same way."""

BOUNDING = frozenset[str]().union(*(words for words, _ in _LIMITS), _LISTS["only"], _LISTS["mainly"])
"""Words that limit what a sentence asserts."""

_CAUSES = _LISTS["causes"]
_CAUSAL = _CAUSES | _LISTS["causal"]
_RATES = labels("rates")
"""The period of each word for a period or a rate, as its English noun: `annually` is `year`."""

_ADVERBS = frozenset(_RATES) - _LISTS["period_nouns"]
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
"""Number of letters that a superlative exceeds."""


def differing(claim: "Facts", span: "Facts", context: "Facts") -> Iterator[FactMismatch]:
    """Yield the mismatches in which a claim says more than the source or contradicts its quantifier or rate."""
    words, span_words = claim.words, span.words
    claimed, stated = {term.folded for term in words}, {term.folded for term in span_words}
    yield from _quantified(words, span_words)
    only, mainly = _LISTS["only"], _LISTS["mainly"]
    if claimed & only and stated & mainly and not stated & only | claimed & mainly:
        yield FactMismatch("quantifier", min(claimed & only), min(stated & mainly), limits=True)
    yield from _limited(claimed, stems(words), span_words)
    yield from _rated(words, span_words)
    caused = claimed & _CAUSES - ({"due"} if stated & _LISTS["plan"] else set())  # `due to open` is a plan
    if caused and not (stated | {term.folded for term in context.words}) & _CAUSAL:
        yield FactMismatch("quantifier", min(caused), limits=True)
    yield from _surer(words, span_words, {term.folded for term in (*span_words, *context.words) if term.text != "May"})


def _surer(claim: Sequence[Word], span: Sequence[Word], stated: set[str]) -> Iterator[FactMismatch]:
    """Yield a duty for a permission, always for sometimes, and `all` or a superlative without one in `stated`."""
    before = ["", *(term.folded for term in claim)]
    claimed = {term.folded for left, term in zip(before, claim, strict=False) if left != "at"}
    permissions = {term.folded for term in span if term.text != "May"} & _MAY
    duties, always, universal = claimed & _MUST, claimed & _ALWAYS, claimed & _UNIVERSAL
    made_duty = _governed(claim, _MUST) & _governed(span, _MAY) - _governed(span, _MUST)
    if made_duty or (duties and permissions and not stated & (_MUST | _LISTS["duties"])):
        yield FactMismatch("quantifier", min(duties), min(permissions), limits=True)
    sometimes = permissions | stated & _LISTS["often"]
    if always and sometimes and not stated & (_ALWAYS | _EVERY):
        yield FactMismatch("quantifier", min(always), min(sometimes), limits=True)
    if universal and not stated & (_EVERY | _ALWAYS):
        yield FactMismatch("quantifier", min(universal), limits=True)
    if not any(map(_is_most, stated)):
        highest = [term.text for left, term in zip(before, claim, strict=False) if _is_highest(left, term.folded)]
        yield from (FactMismatch("quantifier", text, limits=True) for text in highest[:1])


def _is_highest(before: str, word: str) -> bool:
    """Whether a word, given the one before it, is a superlative: `the largest`, `most popular`."""
    with_most = before == "most" and word not in _LISTS["latest"] and len(word) > _SHORTEST
    return with_most or (_is_most(word) and word != "most")


def _is_most(word: str) -> bool:
    """Whether a word alone is a superlative: `largest`, `most`."""
    word = word.partition("-")[0]
    return word in _TOP or (len(word) > _SHORTEST and word.endswith("est") and word not in _LISTS["not_most"])


def _governed(terms: Sequence[Word], words: frozenset[str]) -> set[str]:
    """Return the stems of the words that follow one of `words`: `retain` in `must retain`."""
    return {behind.stem for term, behind in pairwise(terms) if term.folded in words and behind.stem}


def _rated(claim: Sequence[Word], span: Sequence[Word]) -> Iterator[FactMismatch]:
    """Yield a rate of a claim that the source gives for another period or not as a rate."""
    claimed, stated = _rates(claim), _rates(span)
    if claimed and stated and claimed.keys().isdisjoint(stated):
        yield FactMismatch("unit", next(iter(claimed.values())), next(iter(stated.values())), opposed=True)
    elif claimed.keys() - {"second", "minute"} and _EACH.union(_RATES).isdisjoint(term.folded for term in span):
        yield FactMismatch("quantifier", next(iter(claimed.values())), limits=True)


def _rates(terms: Sequence[Word]) -> dict[str, str]:
    """Return the periods of the rates in a text, with their words in it: `200 litres a day`, `per year`."""
    periods: dict[str, str] = {}
    for index, term in enumerate(terms):
        period = _RATES.get(term.folded)
        if period is None:
            continue
        before = [word.folded for word in terms[max(0, index - 4) : index]]
        counted = any(word[0].isdecimal() for word in before)
        if term.folded in _ADVERBS or (before[-1:] == ["a"] and counted) or set(before[-2:]) & _EACH:
            periods.setdefault(period, term.text)
    return periods


def _ranked(terms: Sequence[Word]) -> dict[str, tuple[str, str]]:
    """Return the quantifier of each noun, by the noun's stem: its rank, such as `most`, and the word itself."""
    ranks: dict[str, tuple[str, str]] = {}
    for index, term in enumerate(terms):
        rank = _RANK.get(term.folded, "")
        before = terms[index - 1].folded if index else ""
        if not rank or before == "at" or (rank == "only" and before in _SKIPPED):
            continue
        has_noun = False
        for behind in terms[index + 1 : index + 1 + _REACH]:
            if behind.stem and behind.folded not in _RANK and not behind.text[0].isdigit():
                ranks.setdefault(behind.stem, (rank, term.folded))
                if has_noun or rank == "most":
                    break
                has_noun = True  # or an adjective; the noun then follows
            elif has_noun or behind.folded not in _SKIPPED:
                break
    return ranks


def _quantified(claim: Sequence[Word], span: Sequence[Word]) -> Iterator[FactMismatch]:
    """Yield a quantifier of a noun that is stronger than the source's: `all dams` for `most dams`."""
    claimed, span_ranks = _ranked(claim), _ranked(span)
    known = stems(claim) & stems(span)
    for stem, (rank, word) in claimed.items():
        stated = span_ranks.get(stem)
        if stated and stated[0] in _STRONGER.get(rank, ()):
            opposed = "none" in (rank, stated[0])
            if len(known) >= _LEAST_SHARED:
                yield FactMismatch("quantifier", word, stated[1], opposed=opposed, limits=not opposed)
                return
        is_unranked = not stated and rank == "most"
        if is_unranked and any(term.stem == stem for term in span) and not _counts(span):
            yield FactMismatch("quantifier", word, limits=True)
            return


def _counts(span: Sequence[Word]) -> bool:
    return any(term.folded in _RANK or term.text in ("%", "½") or term.folded in _LISTS["shares"] for term in span)


def _limited(claimed: set[str], known: set[str], span: Sequence[Word]) -> Iterator[FactMismatch]:
    """Yield a limiting word of the source that the claim omits."""
    for words, excused in _LIMITS:
        if claimed & excused:
            continue
        for index, term in enumerate(span):
            if term.folded not in words or (term.text[0].isupper() and term.folded == "may"):
                continue
            ahead = _ahead(span, index)
            if ahead and known.issuperset(ahead[: 1 + (len(known) > _LEAST_SHARED)]):
                yield FactMismatch("quantifier", "", term.folded, limits=True)
                return


def _ahead(span: Sequence[Word], index: int) -> list[str]:
    """Return the stems of the first two content words that a word limits; behind `that`, if one follows."""
    that = range(index + 1, min(len(span), index + _THAT_REACH))
    start = next((at for at in that if span[at].folded in _THAT), index)
    ahead: list[str] = []
    for term in span[start + 1 : start + 1 + 2 * _REACH]:
        if ahead and opens_clause(term):
            break
        if term.stem:
            ahead.append(term.stem)
    return ahead[:2]
