"""What a claim changes or adds in a sentence that it otherwise repeats from its source, word by word."""

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
"""Share of its words that a claim has in the order of the source, of all and of those around what it changed."""

_MOST_REPLACED = 3
"""Content words that one thing put in the place of another has."""

_FEWEST_ADDED = 2
"""Content words from which an addition says something of its own."""

_OPPOSITES = frozenset(map(frozenset, table("opposites")["pairs"]))

_BEFORE_NAMES = frozenset[str]().union(*lexicon("edit").values())
"""Words before the name of a thing or a quality; before a verb, which has more forms, stands something else."""


class _WordPlace(NamedTuple):
    """A word and its neighbours."""

    term: Word
    before: str
    behind: str


def differing(claim: "Facts", span: "Facts", context: "Facts") -> Iterator[FactMismatch]:
    """Yield what a claim puts in the place of a word of its source, or adds to it, where it repeats the rest.

    Who writes freely changes many words; a thing that is changed alone is what a reader would take for the source's.
    Numbers and dates are compared by what they mean.
    """
    said = stems(claim.words)
    if len(said & stems(span.words)) < _REPEATED * _REPEATED * len(said):
        return
    mine, theirs = (
        [term for at, term in enumerate(text.words) if at not in text.counted and term.text[0].isalpha()]
        for text in (claim, span)
    )
    if len(mine) > LONGEST_CLAIM or len(theirs) > LONGEST_SPAN:
        return
    known = {term.stem for term in (*span.words, *context.words)}
    joined = {term.folded.replace("-", "") for term in span.words}
    mine = [term for term in mine if term.stem in known or term.folded.replace("-", "") not in joined]
    texts = (_nearest(mine, theirs), theirs)
    yield from islice(filter(None, (_changed(mine, text, known) for text in texts)), 1)


def _changed(mine: Sequence[Word], theirs: Sequence[Word], known: Collection[str]) -> FactMismatch | None:
    """Return the first small word for which the source has its opposite, or else the first change that limits.

    Nothing limits what repeats less than most of the source.
    """
    one, other = ([term.stem or term.folded for term in terms] for terms in (mine, theirs))
    changes = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    for kind, first, last, low, high in changes:
        pair = spelled(mine[first:last]).lower(), spelled(theirs[low:high]).lower()
        if kind == "replace" and frozenset(pair) in _OPPOSITES:
            return FactMismatch("word", *pair, opposed=True)
    said, repeated = set(one), sum(last - first for kind, first, last, _, _ in changes if kind == "equal")
    if repeated < _REPEATED * len(one) or len(said & set(other)) < _REPEATED * len(said):
        return None
    for kind, first, last, low, high in changes:
        if kind == "equal" or first == last or repeated < _ELSEWHERE * (len(one) - (last - first)):
            continue
        ours = [found for found in _content(mine, first, last) if not _is_told(found.term, theirs)]
        instead = [found for found in _content(theirs, low, high) if found.term.stem not in said]
        added = [found for found in ours if found.term.stem not in known]
        if _replaces(ours, instead, added):
            return FactMismatch("word", _written(added or ours), _written(instead), limits=True)
        if any(found.behind == after.term.stem for found, after in pairwise(added)) or len(added) > _FEWEST_ADDED:
            return FactMismatch("word", _written(added), limits=True)
    return None


def _nearest(mine: Sequence[Word], theirs: Sequence[Word]) -> Sequence[Word]:
    own = stems(mine)
    return max(sentences(theirs), key=lambda one: len(own & stems(one))) if theirs else theirs


def _content(terms: Sequence[Word], first: int, last: int) -> list[_WordPlace]:
    """Return the words of a range that say something."""
    stems = ["", *(term.stem or term.folded for term in terms), ""]
    return [
        _WordPlace(terms[at], stems[at], stems[at + 2])
        for at in range(first, last)
        if terms[at].stem and terms[at].folded not in GRAMMAR
    ]


def _replaces(mine: Sequence[_WordPlace], theirs: Sequence[_WordPlace], added: Sequence[_WordPlace]) -> bool:
    """Say whether a claim names something else in a place of the source, not the same in another way."""
    if not theirs or not mine or max(len(mine), len(theirs)) > _MOST_REPLACED:
        return False
    large = [all(found.term.text[0].isupper() for found in side) for side in (mine, theirs)]
    if all(large):
        return True
    if not added:
        ours, instead = mine[-1], theirs[-1]
        return not any(large) and ours.before == instead.before and ours.behind == instead.behind != ""
    if len(mine) == len(theirs) == 1 and mine[0][1:] == theirs[0][1:]:
        return not misspelt(mine[0].term.folded, [theirs[0].term.folded])
    return large[0] or added[0].before in _BEFORE_NAMES


def _is_told(term: Word, span: Sequence[Word]) -> bool:
    """Say whether a text has another word that says the same."""
    return any(term.stem != other.stem and other.folded in synonyms(term.folded) for other in span if other.stem)


def _written(found: Sequence[_WordPlace]) -> str:
    return " ".join(one.term.text for one in found)
