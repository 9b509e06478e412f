"""Whether a claim says more than its source: all for most, is for may be, because for and."""

from collections.abc import Iterator, Sequence

from .lexicon import labels, lexicon, vocabulary
from .mismatch import FactMismatch
from .term import Term

_LISTS = lexicon("limit")

_RANK = labels("quantifiers")
_STRONGER = {
    "all": {"most", "some", "none", "only"}, "most": {"some", "none"}, "none": {"all", "most", "some", "only"},
    "only": {"all", "most", "some", "none"}, "": {"none"},
}  # fmt: skip
"""What a source may not say of the same noun of which a claim says the first."""

_ALWAYS = _LISTS["always"]
_OFTEN = _LISTS["often"]
_ONLY = _LISTS["only"]
_MAINLY = _LISTS["mainly"]

_LIMITS = {
    kind: (_LISTS[kind], _LISTS[f"{kind}_excused"]) for kind in ("modal", "plan", "view", "refusal", "link", "some")
}
"""Words that limit what a source says, by kind, and those by which a claim says that it is limited."""

_CAUSES = _LISTS["causes"]
_DUE = frozenset({"due"})
"""What also says that something is planned: `due to open`."""

_CAUSAL = _CAUSES | _LISTS["causal"]
_RATES = labels("rates")
"""Periods and the words for what there is in each, by the English noun."""

_ADVERBS = frozenset(_RATES) - _LISTS["adverbs"]
_EACH = vocabulary("per each every pro par por /")
_WITH = vocabulary("with mit avec con com met including having")
_WITHOUT = vocabulary("without ohne sans sin senza sem zonder lacking")
_SKIPPED = _LISTS["skipped"]
_REACH = 4
_THAT = vocabulary("that dass que che dat")
_THAT_REACH = 16
_BUT = vocabulary("but while whereas aber wahrend mais pero")
_LEAST_SHARED = 2


def differing(claim: Sequence[Term], span: Sequence[Term], context: Sequence[Term]) -> Iterator[FactMismatch]:
    """Yield where a claim says more than the source, which limits it, or the opposite of it."""
    mine, theirs = {term.folded for term in claim}, {term.folded for term in span}
    stems = {term.stem for term in claim if term.stem}
    yield from _quantified(claim, span)
    yield from _accompanied(claim, span)
    always, often = mine & _ALWAYS, theirs & _OFTEN
    if always and often and not theirs & _ALWAYS and not mine & _OFTEN:
        yield FactMismatch("quantifier", min(always), min(often), limits=True)
    if mine & _ONLY and theirs & _MAINLY and not theirs & _ONLY and not mine & _MAINLY:
        yield FactMismatch("quantifier", min(mine & _ONLY), min(theirs & _MAINLY), limits=True)
    yield from _limited(mine, stems, span)
    yield from _rated(claim, span)
    caused = mine & _CAUSES - (_DUE if theirs & _LIMITS["plan"][0] else frozenset())
    if caused and not (theirs | {term.folded for term in context}) & _CAUSAL:
        yield FactMismatch("quantifier", min(caused), limits=True)


def _rated(claim: Sequence[Term], span: Sequence[Term]) -> Iterator[FactMismatch]:
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


def _rates(terms: Sequence[Term]) -> dict[str, str]:
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


def _ranked(terms: Sequence[Term]) -> dict[str, tuple[str, str]]:
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


def _quantified(claim: Sequence[Term], span: Sequence[Term]) -> Iterator[FactMismatch]:
    """Yield a quantifier that says more of a noun than the one of the source: `all dams` for `most dams`."""
    mine, theirs = _ranked(claim), _ranked(span)
    stems = {term.stem for term in claim}
    for stem, (rank, word) in mine.items():
        found = theirs.get(stem)
        if found and found[0] in _STRONGER.get(rank, ()):
            opposed = "none" in (rank, found[0])
            shared = stems & {term.stem for term in span} - {""}
            if len(shared) >= _LEAST_SHARED:
                yield FactMismatch("quantifier", word, found[1], opposed=opposed, limits=not opposed)
                return
        bare = not found and rank == "most"
        if bare and any(term.stem == stem for term in span) and not _counts(span):
            yield FactMismatch("quantifier", word, limits=True)
            return


def _counts(span: Sequence[Term]) -> bool:
    """Say whether a text has any word for how many there are."""
    return any(term.folded in _RANK or term.text in ("%", "½") or term.folded in _SHARES for term in span)


_SHARES = _LISTS["shares"]


def _accompanied(claim: Sequence[Term], span: Sequence[Term]) -> Iterator[FactMismatch]:
    """Yield `without` before what the source has `with`, or the other way round; not where either has both."""
    if any(
        {term.folded for term in terms} & _WITHOUT and {term.folded for term in terms} & _WITH
        for terms in (claim, span)
    ):
        return
    for ours, others in ((_WITH, _WITHOUT), (_WITHOUT, _WITH)):
        mine, theirs = _behind(claim, ours), _behind(span, others)
        for stem in mine.keys() & theirs.keys() - _behind(span, ours).keys() - _behind(claim, others).keys():
            yield FactMismatch("negation", mine[stem], theirs[stem], opposed=True)
            return


def _behind(terms: Sequence[Term], words: frozenset[str]) -> dict[str, str]:
    """Return the content word right behind each of some words, and which of them."""
    found: dict[str, str] = {}
    for index, term in enumerate(terms):
        if term.folded in words:
            stem = next((one.stem for one in terms[index + 1 : index + 1 + _REACH] if one.stem), "")
            if stem:
                found[stem] = term.folded
    return found


def _limited(mine: set[str], stems: set[str], span: Sequence[Term]) -> Iterator[FactMismatch]:
    """Yield a word of the source that limits what the claim says without it."""
    for words, excused in _LIMITS.values():
        if mine & excused:
            continue
        for index, term in enumerate(span):
            if term.folded not in words or (term.text[0].isupper() and term.folded == "may"):
                continue
            ahead = _ahead(span, index)
            if ahead and stems.issuperset(ahead[: 1 + (len(stems) > _LEAST_SHARED)]):
                yield FactMismatch("quantifier", "", term.folded, limits=True)
                return


def _ahead(span: Sequence[Term], index: int) -> list[str]:
    """Return the first two content words that a word limits, those behind `that` where it follows; one of a clause."""
    that = range(index + 1, min(len(span), index + _THAT_REACH))
    start = next((at for at in that if span[at].folded in _THAT), index)
    found: list[str] = []
    for term in span[start + 1 : start + 1 + 2 * _REACH]:
        if found and (term.text in ",;:" or term.folded in _BUT):
            break
        if term.stem:
            found.append(term.stem)
    return found[:2]
