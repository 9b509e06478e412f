"""Detects words that a claim replaces or adds in a sentence that it otherwise repeats from its source."""

from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from ..kernel.term import misspelt
from .lexicon import GRAMMAR, lexicon, synonyms, table
from .reason import FactMismatch
from .word import LONGEST_CLAIM, LONGEST_SPAN, Word, sentences, spelled, stems

if TYPE_CHECKING:
    from .facts import Facts

_REPEATED, _ELSEWHERE = 0.6, 0.85
"""Share of a claim's words that must be repeated from the source in order: of all words, and of those not changed."""

_MOST_REPLACED = 3
"""Most content words of a phrase that replaces another."""

_FEWEST_ADDED = 2
"""Most content words that a claim may add, none next to another; more are an assertion of their own."""

_OPPOSITES = frozenset(map(frozenset, table("edit_opposites")["pairs"]))

_BEFORE_NAMES = frozenset[str]().union(*lexicon("edit").values())
"""Words that precede a noun or an adjective, rather than a verb, whose wording varies more."""


class _WordPlace(NamedTuple):
    """A word with the stems of its neighbours."""

    term: Word
    before: str
    behind: str


def differing(claim: "Facts", span: "Facts", context: "Facts") -> Iterator[FactMismatch]:
    """Yield the first replacement of, or addition to, words of the source in a claim that repeats the rest.

    A free paraphrase changes many words; a single changed word reads as if it were the source's. Numbers and dates are
    compared by value, by other rules.
    """
    claim_stems = stems(claim.words)
    if len(claim_stems & stems(span.words)) < _REPEATED * _REPEATED * len(claim_stems):
        return
    claim_words, span_words = (
        [term for at, term in enumerate(text.words) if at not in text.counted and term.text[0].isalpha()]
        for text in (claim, span)
    )
    if len(claim_words) > LONGEST_CLAIM or len(span_words) > LONGEST_SPAN:
        return
    known = {term.stem for term in (*span.words, *context.words)}
    joined = {term.folded.replace("-", "") for term in span.words}
    claim_words = [term for term in claim_words if term.stem in known or term.folded.replace("-", "") not in joined]
    texts = (_nearest(claim_words, span_words), span_words)
    yield from islice(filter(None, (_changed(claim_words, text, known) for text in texts)), 1)


def _changed(claim_words: Sequence[Word], span_words: Sequence[Word], known: Collection[str]) -> FactMismatch | None:
    """Return the first small word that the source has as its opposite, else the first change that limits support.

    No change limits a claim that repeats less than _REPEATED of its words.
    """
    claim_stems, span_stems = ([term.stem or term.folded for term in terms] for terms in (claim_words, span_words))
    changes = SequenceMatcher(None, claim_stems, span_stems, autojunk=False).get_opcodes()
    for kind, first, last, low, high in changes:
        pair = spelled(claim_words[first:last]).lower(), spelled(span_words[low:high]).lower()
        if kind == "replace" and frozenset(pair) in _OPPOSITES:
            return FactMismatch("word", *pair, opposed=True)
    distinct, repeated = set(claim_stems), sum(last - first for kind, first, last, _, _ in changes if kind == "equal")
    if repeated < _REPEATED * len(claim_stems) or len(distinct & set(span_stems)) < _REPEATED * len(distinct):
        return None
    for kind, first, last, low, high in changes:
        if kind == "equal" or first == last or repeated < _ELSEWHERE * (len(claim_stems) - (last - first)):
            continue
        replaced = [place for place in _content(claim_words, first, last) if not _has_synonym(place.term, span_words)]
        replacing = [place for place in _content(span_words, low, high) if place.term.stem not in distinct]
        added = [place for place in replaced if place.term.stem not in known]
        if _replaces(replaced, replacing, added):
            return FactMismatch("word", _written(added or replaced), _written(replacing), limits=True)
        if any(place.behind == after.term.stem for place, after in pairwise(added)) or len(added) > _FEWEST_ADDED:
            return FactMismatch("word", _written(added), limits=True)
    return None


def _nearest(claim_words: Sequence[Word], span_words: Sequence[Word]) -> Sequence[Word]:
    wanted = stems(claim_words)
    return max(sentences(span_words), key=lambda words: len(wanted & stems(words))) if span_words else span_words


def _content(terms: Sequence[Word], first: int, last: int) -> list[_WordPlace]:
    """Return the content words of a range, with their neighbours."""
    stems = ["", *(term.stem or term.folded for term in terms), ""]
    return [
        _WordPlace(terms[at], stems[at], stems[at + 2])
        for at in range(first, last)
        if terms[at].stem and terms[at].folded not in GRAMMAR
    ]


def _replaces(claimed: Sequence[_WordPlace], stated: Sequence[_WordPlace], added: Sequence[_WordPlace]) -> bool:
    """Whether a claim replaces what the source names by another thing, not by another wording."""
    if not stated or not claimed or max(len(claimed), len(stated)) > _MOST_REPLACED:
        return False
    capitalized = [all(place.term.text[0].isupper() for place in side) for side in (claimed, stated)]
    if all(capitalized):
        return True
    if not added:
        last, other = claimed[-1], stated[-1]
        return not any(capitalized) and last.before == other.before and last.behind == other.behind != ""
    if len(claimed) == len(stated) == 1 and claimed[0][1:] == stated[0][1:]:
        return not misspelt(claimed[0].term.folded, [stated[0].term.folded])
    return capitalized[0] or added[0].before in _BEFORE_NAMES


def _has_synonym(term: Word, span: Sequence[Word]) -> bool:
    """Whether a span has a synonym of a word."""
    return any(term.stem != other.stem and other.folded in synonyms(term.folded) for other in span if other.stem)


def _written(places: Sequence[_WordPlace]) -> str:
    return " ".join(place.term.text for place in places)
