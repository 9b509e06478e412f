"""Whether the words that a claim quotes are those of whom it names."""

from collections.abc import Iterator, Sequence

from .mismatch import FactMismatch
from .term import Term, sentences
from .vocabulary import vocabulary

_SAYS = vocabulary(
    "said says say told tells wrote writes called calls declared announced added argued explained replied warned "
    "stated "
    "noted remarked asked insisted recalled admitted according sagte sagt erklarte schrieb meinte laut betonte nannte "
    "dit declare declara affirme ecrit selon dijo dice declaro escribio segun afirmo"
)
_MARKS = frozenset('"“”„«»')
_REACH = 3


def differing(claim: Sequence[Term], span: Sequence[Term], quoted: Sequence[str]) -> Iterator[FactMismatch]:
    """Yield whom a claim names as the speaker of a quotation, if the source names somebody else there."""
    if not quoted:
        return
    mine, theirs = _speakers(claim), _speakers(span)
    if not (mine and theirs):
        return
    if {term.stem for term in mine}.isdisjoint(term.stem for term in theirs):
        what, found = (" ".join(term.text for term in names) for names in (mine, theirs))
        yield FactMismatch("name", what, found, opposed=True)


def _speakers(terms: Sequence[Term]) -> list[Term]:
    """Return the names beside the verbs of saying in sentences with a quotation."""
    found: list[Term] = []
    for sentence in sentences(terms):
        if not any(term.text in _MARKS for term in sentence):
            continue
        for at, term in enumerate(sentence):
            if term.folded in _SAYS:
                around = sentence[max(0, at - _REACH) : at + 1 + _REACH]
                found += [one for one in around if one.stem and one.text[0].isupper() and one.text[0].isalpha()]
    return found
