"""Who does what to whom: what a claim says of one thing and its source of another."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from .lexicon import lexicon
from .reason import FactMismatch
from .word import LONGEST_CLAIM, LONGEST_SPAN, Word, sentences, spelled, stems

if TYPE_CHECKING:
    from .facts import Facts

_WORDS = lexicon("roles")

_FEWEST, _SHARE, _MOST_SHARED = 3, 0.6, 0.75
"""Content words that two sentences must share to speak of one event; the share of the claim's that they must be, where
a verb is compared and where the order of all is."""

_MOST_PAIRS = 10_000
"""Sentences of two texts that are compared, each with each: some 10 ms."""

_MOVED = 3
"""Content words of what changes places."""

_REACH = 3
"""Words between a verb and what helps it, or a verb of saying and the speaker."""

_Placed = tuple[int, Word]


class _Event(NamedTuple):
    """A verb and its sides: its stem, the words right before it, and all stems before it and behind it in its clause.

    `behind` says for each stem the last word before it that has none, `agent` who acts, where `by` says it.
    """

    verb: str
    subject: tuple[Word, ...]
    before: frozenset[str]
    behind: dict[str, str]
    agent: frozenset[str]
    passive: bool


def exchanged(claim: "Facts", span: "Facts", _: "Facts") -> Iterator[FactMismatch]:
    """Yield two things of a sentence that have changed places around what is said of them."""
    said = [(other, stems(other)) for other in sentences(span.words)]
    told = sentences(claim.words)
    if len(told) * len(said) > _MOST_PAIRS:
        return
    for one in told:
        own = stems(one)
        most = max((len(own & theirs) for _, theirs in said), default=0)
        if most < max(_FEWEST, _MOST_SHARED * len(own)):
            continue
        found = [_swapped(one, other) for other, theirs in said if len(own & theirs) == most]
        if all(found) and found[0]:
            yield found[0]
            return


def other_subject(claim: "Facts", span: "Facts", _: "Facts") -> Iterator[FactMismatch]:
    """Yield a subject of a claim that is not the one that acts in any event of the source with the same verb."""
    if len(claim.words) > LONGEST_CLAIM or len(span.words) > LONGEST_SPAN:
        return
    said = sentences(span.words)
    for one in sentences(claim.words):
        own = stems(one)
        near = [other for other in said if len(stems(other) & own) >= max(_FEWEST, _SHARE * len(own))]
        known = [event for other in near for event in _events(other)]
        for mine in _events(one):
            found = [_differs(mine, theirs) for theirs in known if theirs.verb == mine.verb]
            if found and all(found) and found[0]:
                yield found[0]
                return


def _differs(mine: _Event, theirs: _Event) -> FactMismatch | None:
    subject, actual = stems(mine.subject), stems(theirs.subject)
    if not mine.passive and theirs.agent:
        acts_not = subject & (theirs.before | theirs.behind.keys()) and not subject & theirs.agent
        return FactMismatch("name", spelled(mine.subject), "", opposed=True) if acts_not else None
    moved = actual & mine.behind.keys()
    if not subject or not moved or mine.passive != theirs.passive or subject & theirs.before or actual & mine.before:
        return None
    if mine.verb in _WORDS["copulas"] and not any(mine.behind[stem] in _WORDS["frames"] for stem in moved):
        return None
    return FactMismatch("name", spelled(mine.subject), spelled(theirs.subject), opposed=True)


def _events(sentence: Sequence[Word]) -> list[_Event]:
    """Return the verbs of a sentence, with who stands before and behind them."""
    if any(term.folded in _WORDS["mutual"] for term in sentence):
        return []
    return [_event(sentence, at) for at in range(1, len(sentence)) if is_verb(sentence[at - 1], sentence[at])]


def is_verb(before: Word | None, word: Word) -> bool:
    """Say whether a word is a verb, by its form and by the word before it in its part of a sentence."""
    if not word.text[0].islower() and not (word.opens and before is None):
        return False
    if word.folded in _WORDS["irregular"] or word.folded.endswith("ed"):
        return True
    named = before is not None and word.folded.endswith("s") and before.text[0].isupper()
    return bool(word.stem) and before is not None and (named or before.folded in _WORDS["helping"])


def _event(sentence: Sequence[Word], at: int) -> _Event:
    start = max((i for i in range(at) if sentence[i].folded in (";", ":")), default=-1) + 1
    end = next((i for i in range(at, len(sentence)) if sentence[i].folded == ";"), len(sentence))
    copula = sentence[at].folded in _WORDS["copulas"]
    agents = (i for i in range(at + 1, min(end, at + 1 + _REACH)) if sentence[i].folded in _WORDS["agents"])
    by = 0 if copula else next(agents, 0)
    helped = any(term.folded in _WORDS["passives"] for term in sentence[max(start, at - _REACH) : at])
    behind, lead = {}, ""
    for term in sentence[at + 1 :]:
        if term.stem:
            behind[term.stem] = lead
        else:
            lead = term.folded
    agent: list[Word] = []
    for term in sentence[by + 1 : end] if by else ():
        if term.folded in _WORDS["frames"] or term.folded in _WORDS["ends"]:
            break
        agent.append(term)
    before = sentence[start:at]
    return _Event(
        sentence[at].stem or sentence[at].folded,
        tuple(_subject(before)),
        frozenset(stems(before)),
        behind,
        frozenset(stems(agent)),
        (bool(by) or helped) and not copula,
    )


def _subject(before: Sequence[Word]) -> list[Word]:
    """Return the content words right before a verb, its auxiliaries left out."""
    last = len(before)
    while last and before[last - 1].folded in _WORDS["helping"] | _WORDS["passives"]:
        last -= 1
    if last > 1 and before[last - 1].text == ",":
        last -= 1
    found: list[Word] = []
    for term in reversed(before[:last]):
        if not term.stem and not (found and term.folded == "&"):
            break
        found.insert(0, term)
    return [term for term in found if term.stem and term.text[0].isalpha()]


def _swapped(one: Sequence[Word], other: Sequence[Word]) -> FactMismatch | None:
    if any(term.folded in _WORDS["reciprocal"] for term in one) or _voice(one) != _voice(other):
        return None
    mine, theirs = _apart(_once(one, other), _once(other, one))
    first, last = _blocks([term.stem for _, term in mine], [term.stem for _, term in theirs])
    if not first:
        return None
    places, found = [at for at, _ in mine], [at for at, _ in theirs]
    if _listed(one, places, first, last) or _listed(other, found, last, first):
        return None
    pauses = [sum(term.text in ",;" for term in text[at[0] : at[-1]]) for text, at in ((one, places), (other, found))]
    here = [_frame(one, at) for at in (places[0], places[-last])]
    there = [_frame(other, at) for at in (found[0], found[-first])]
    if pauses[0] != pauses[1] or any(frame[0] != its[0] for frame, its in zip(here, there, strict=True)):
        return None
    compared = all(
        any(term.folded in _WORDS["comparing"] for term in text[at[0] : at[-1]])
        for text, at in ((one, places), (other, found))
    )
    beside = first + last == len(mine) and not compared
    if beside and not (here[0][0] and here[1][0] and here[0][0] != here[1][0]):
        return None
    cases = [article for _, article in (*here, *there)]
    if _WORDS["cases"].intersection(cases) and (cases[0] == cases[3] or cases[1] == cases[2]):
        return None
    what, instead = (f"{text[0][1].text} … {text[-1][1].text}" for text in (mine, theirs))
    return FactMismatch("quantifier", what, instead, opposed=True)


def _voice(terms: Sequence[Word]) -> tuple[bool, bool]:
    """Return whether a sentence says by whom something is done, and whether it has a verb in the passive."""
    folded = [term.folded for term in terms]
    acts = next((index for index, word in enumerate(folded) if word in _WORDS["passives"]), len(folded))
    suffers = any(one in _WORDS["passives"] and two.endswith("ed") for one, two in pairwise(folded))
    return any(word in _WORDS["agents"] for word in folded[acts:]), suffers


def _once(one: Sequence[Word], other: Sequence[Word]) -> list[_Placed]:
    """Return the content words, with their places, that both sentences have once."""
    mine, theirs = (Counter(term.stem for term in terms) for terms in (one, other))
    return [(at, term) for at, term in enumerate(one) if term.stem and mine[term.stem] == theirs[term.stem] == 1]


def _apart(mine: list[_Placed], theirs: list[_Placed]) -> tuple[list[_Placed], list[_Placed]]:
    """Return the common words of two sentences from the first in which their orders differ to the last."""
    same = [one.stem == other.stem for (_, one), (_, other) in zip(mine, theirs, strict=True)]
    if len(same) < _FEWEST or all(same):
        return [], []
    low, high = same.index(False), len(same) - same[::-1].index(False)
    return mine[low:high], theirs[low:high]


def _blocks(left: Sequence[str], right: Sequence[str]) -> tuple[int, int]:
    """Return how many words at either end of one list have changed places in the other around what is between."""
    for first in range(1, _MOVED + 1):
        for last in range(1, min(_MOVED, len(left) - first) + 1):
            if (left[:first], left[first:-last], left[-last:]) == (right[-first:], right[last:-first], right[:last]):
                return first, last
    return 0, 0


def _listed(terms: Sequence[Word], places: Sequence[int], first: int, last: int) -> bool:
    """Say whether what changes places are members of a list: something sets both apart from what is between them."""
    gaps = ((places[first - 1], places[first]), (places[-last - 1], places[-last]))
    return all(any(term.folded in _WORDS["separators"] for term in terms[low:high]) for low, high in gaps)


def _frame(terms: Sequence[Word], index: int) -> tuple[str, str]:
    """Return the preposition that a word stands behind and its article, each empty where there is none."""
    article = ""
    for term in reversed(terms[max(0, index - _REACH) : index]):
        if term.folded in _WORDS["frames"]:
            return term.folded, article
        if term.folded not in _WORDS["articles"]:
            break
        article = article or term.folded
    return "'s" if terms[index].folded.endswith("'s") else "", article
