"""Whether a claim says of one subject what its source says of another: who stands before the verb that they share."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from .mismatch import FactMismatch
from .term import Term, sentences
from .vocabulary import vocabulary

_FEWEST = 3
"""Content words that two sentences must share to speak of one event."""

_SHARE = 0.6
"""Share of a claim's content words that the sentence must have."""

_LONGEST, _LONGEST_SPAN = 100, 400
"""Words of texts that are compared; longer ones are no sentences."""

_REACH = 3
"""Words between a verb and the auxiliary before it, or the `by` behind it."""

_IS = vocabulary(
    "is are was were be been being wurde wurden wird werden ist sind war est sont fut ete es son fue fueron ha"
)
_BY = vocabulary("by von durch par por da door")
_HELPING = vocabulary(
    "will can may must should would could might did does do to has have had not also then later previously first "
    "never always often still now once only hat haben hatte soll sollte muss kann a ont avait han"
)
_IRREGULAR = vocabulary(
    "bought sold built won beat led made took gave held found sent wrote became paid brought met left lost taught "
    "fought drove broke chose drew ate fell flew forbade forgave got grew hit hurt kept knew lent put ran said sang "
    "saw shot shut sought spent spoke stole struck sued swore threw told understood withdrew wore is was are were "
    "kaufte verkaufte grundete baute gewann schlug leitete schrieb fand gab nahm acheta vendit fonda compro vendio"
)
_COPULAS = vocabulary("is was are were")
_FRAMES = vocabulary(
    "in on at to from of for with by into than as about over under against between before after since during through "
    "von vom zu zum zur mit bei aus an auf fur gegen de du des par pour avec del a con para"
)
_ENDS = frozenset(",;:()–")
_MUTUAL = vocabulary(
    "met meet married marry merged joined together both each other another respectively equals borders resembles"
)


class _Event(NamedTuple):
    """A verb of a sentence: its stem, the words right before it, all before it in its clause, all behind, its agent."""

    verb: str
    subject: tuple[Term, ...]
    before: frozenset[str]
    behind: dict[str, str]
    agent: frozenset[str]
    passive: bool


def differing(claim: Sequence[Term], span: Sequence[Term]) -> Iterator[FactMismatch]:
    """Yield a subject of a claim that in the source is not the one that acts."""
    if len(claim) > _LONGEST or len(span) > _LONGEST_SPAN:
        return
    said = sentences(span)
    for one in sentences(claim):
        stems = {term.stem for term in one if term.stem}
        near = [other for other in said if _speaks_of(stems, other)]
        found = [_exchanged(event, [known for other in near for known in _events(other)]) for event in _events(one)]
        for mismatch in filter(None, found):
            yield mismatch
            return


def _speaks_of(stems: Collection[str], other: Sequence[Term]) -> bool:
    shared = len({term.stem for term in other}.intersection(stems))
    return shared >= max(_FEWEST, _SHARE * len(stems))


def _exchanged(mine: _Event, known: Sequence[_Event]) -> FactMismatch | None:
    """Return the mismatch of an event that every event of the source with its verb gives to another subject."""
    same = [theirs for theirs in known if theirs.verb == mine.verb]
    found = [_differs(mine, theirs) for theirs in same]
    return found[0] if found and all(found) else None


def _differs(mine: _Event, theirs: _Event) -> FactMismatch | None:
    subject = {term.stem for term in mine.subject}
    actual = {term.stem for term in theirs.subject}
    what = " ".join(term.text for term in mine.subject)
    if not subject:
        return None
    if not mine.passive and theirs.agent:
        there = subject & (theirs.before | theirs.behind.keys())
        if there and not subject & theirs.agent:
            return FactMismatch("name", what, "", opposed=True)
        return None
    moved = actual & mine.behind.keys()
    if mine.passive != theirs.passive or subject & theirs.before or not moved or actual & mine.before:
        return None
    if mine.verb in _COPULAS and not any(mine.behind[stem] in _FRAMES for stem in moved):
        return None
    return FactMismatch("name", what, " ".join(term.text for term in theirs.subject), opposed=True)


def _events(sentence: Sequence[Term]) -> list[_Event]:
    """Return the verbs of a sentence, with who stands before and behind them."""
    if any(term.folded in _MUTUAL for term in sentence):
        return []
    return [_event(sentence, at) for at in range(1, len(sentence)) if _is_verb(sentence, at)]


def _is_verb(sentence: Sequence[Term], at: int) -> bool:
    word, before = sentence[at], sentence[at - 1]
    if not word.text[0].islower():
        return False
    if word.folded in _IRREGULAR or word.folded.endswith("ed"):
        return True
    return bool(word.stem) and (
        before.folded in _HELPING
        or (word.folded.endswith("s") and before.text[0].isupper() and not word.text.isupper())
    )


def _event(sentence: Sequence[Term], at: int) -> _Event:
    start = max((i for i in range(at) if sentence[i].folded in (";", ":")), default=-1) + 1
    end = next((i for i in range(at, len(sentence)) if sentence[i].folded == ";"), len(sentence))
    copula = sentence[at].folded in _COPULAS
    by = 0 if copula else next((i for i in range(at + 1, min(end, at + 1 + _REACH)) if sentence[i].folded in _BY), 0)
    passive = bool(by) or any(term.folded in _IS for term in sentence[max(start, at - _REACH) : at])
    behind = {
        sentence[i].stem: next((term.folded for term in reversed(sentence[at:i]) if not term.stem), "")
        for i in range(at + 1, len(sentence))
        if sentence[i].stem
    }
    return _Event(
        sentence[at].stem or sentence[at].folded,
        tuple(_subject(sentence, start, at)),
        frozenset(term.stem for term in sentence[start:at] if term.stem),
        behind,
        frozenset(term.stem for term in _phrase(sentence, by + 1, end)) if by else frozenset(),
        passive and not copula,
    )


def _subject(sentence: Sequence[Term], start: int, at: int) -> list[Term]:
    """Return the content words right before a verb, its auxiliaries left out."""
    last = at
    while last > start and sentence[last - 1].folded in _HELPING | _IS:
        last -= 1
    found: list[Term] = []
    if last > start + 1 and sentence[last - 1].text == ",":
        last -= 1
    for term in reversed(sentence[start:last]):
        if not term.stem and not (found and term.folded == "&"):
            break
        found.insert(0, term)
    return [term for term in found if term.stem and term.text[0].isalpha()]


def _phrase(sentence: Sequence[Term], first: int, end: int) -> list[Term]:
    """Return the content words from a place to the next preposition or mark."""
    found: list[Term] = []
    for term in sentence[first:end]:
        if term.folded in _FRAMES or term.folded in _ENDS:
            break
        if term.stem:
            found.append(term)
    return found
