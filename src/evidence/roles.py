"""Detects events to which claim and source give different participants: who does what to whom."""

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
"""Fewest content words that two sentences about one event share, and their least share of the claim's content words: to
compare verbs, and to compare the order of all words."""

_MOST_PAIRS = 10_000
"""Most pairs of sentences of two texts that are compared, which takes about 10 ms."""

_MOVED = 3
"""Most content words of a swapped phrase."""

_REACH = 3
"""Most words between a verb and its auxiliary or agent, or a word and its preposition."""

_IndexedWord = tuple[int, Word]


class _Event(NamedTuple):
    """A verb, by its stem, and its participants: the subject right before it, and all stems before it.

    `behind` maps each stem behind the verb to the function word before it; `agent` are the stems of the agent behind
    `by`.
    """

    verb: str
    subject: tuple[Word, ...]
    before: frozenset[str]
    behind: dict[str, str]
    agent: frozenset[str]
    passive: bool


def exchanged(claim: "Facts", span: "Facts", _: "Facts") -> Iterator[FactMismatch]:
    """Yield two phrases of a sentence that are swapped in comparison with a sentence of the source."""
    candidates = [(other, stems(other)) for other in sentences(span.words)]
    claim_sentences = sentences(claim.words)
    if len(claim_sentences) * len(candidates) > _MOST_PAIRS:
        return
    for sentence in claim_sentences:
        wanted = stems(sentence)
        most = max((len(wanted & stemmed) for _, stemmed in candidates), default=0)
        if most < max(_FEWEST, _MOST_SHARED * len(wanted)):
            continue
        swaps = [_swapped(sentence, other) for other, stemmed in candidates if len(wanted & stemmed) == most]
        if all(swaps) and swaps[0]:
            yield swaps[0]
            return


def other_subject(claim: "Facts", span: "Facts", _: "Facts") -> Iterator[FactMismatch]:
    """Yield a subject of a claim that is not the subject of any event of the source with the same verb."""
    if len(claim.words) > LONGEST_CLAIM or len(span.words) > LONGEST_SPAN:
        return
    span_sentences = sentences(span.words)
    for sentence in sentences(claim.words):
        wanted = stems(sentence)
        least = max(_FEWEST, _SHARE * len(wanted))
        near = [other for other in span_sentences if len(stems(other) & wanted) >= least]
        known = [event for other in near for event in _events(other)]
        for claimed in _events(sentence):
            differences = [_differs(claimed, stated) for stated in known if stated.verb == claimed.verb]
            if differences and all(differences) and differences[0]:
                yield differences[0]
                return


def _differs(claimed: _Event, stated: _Event) -> FactMismatch | None:
    actor, actual = stems(claimed.subject), stems(stated.subject)
    if not claimed.passive and stated.agent:
        acts_not = actor & (stated.before | stated.behind.keys()) and not actor & stated.agent
        return FactMismatch("name", spelled(claimed.subject), "", opposed=True) if acts_not else None
    moved = actual & claimed.behind.keys()
    if not actor or not moved or claimed.passive != stated.passive or actor & stated.before or actual & claimed.before:
        return None
    if claimed.verb in _WORDS["copulas"] and not any(claimed.behind[stem] in _WORDS["frames"] for stem in moved):
        return None
    return FactMismatch("name", spelled(claimed.subject), spelled(stated.subject), opposed=True)


def _events(sentence: Sequence[Word]) -> list[_Event]:
    """Return the events of a sentence, one for each verb; none if a verb may be mutual (`meet`)."""
    if any(term.folded in _WORDS["mutual"] for term in sentence):
        return []
    return [_event(sentence, at) for at in range(1, len(sentence)) if is_verb(sentence[at - 1], sentence[at])]


def is_verb(before: Word | None, word: Word) -> bool:
    """Whether a word is a verb, by its form and the word before it in its part of the sentence."""
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
    """Return the content words right before a verb, without its auxiliaries."""
    last = len(before)
    while last and before[last - 1].folded in _WORDS["helping"] | _WORDS["passives"]:
        last -= 1
    if last > 1 and before[last - 1].text == ",":
        last -= 1
    subject: list[Word] = []
    for term in reversed(before[:last]):
        if not term.stem and not (subject and term.folded == "&"):
            break
        subject.insert(0, term)
    return [term for term in subject if term.stem and term.text[0].isalpha()]


def _swapped(left: Sequence[Word], right: Sequence[Word]) -> FactMismatch | None:
    if any(term.folded in _WORDS["reciprocal"] for term in left) or _voice(left) != _voice(right):
        return None
    left_words, right_words = _reordered(_shared_once(left, right), _shared_once(right, left))
    first, last = _blocks([term.stem for _, term in left_words], [term.stem for _, term in right_words])
    if not first:
        return None
    left_at, right_at = [at for at, _ in left_words], [at for at, _ in right_words]
    if _listed(left, left_at, first, last) or _listed(right, right_at, last, first):
        return None
    placed = ((left, left_at), (right, right_at))
    pauses = [sum(term.text in ",;" for term in text[at[0] : at[-1]]) for text, at in placed]
    left_frames = [_frame(left, at) for at in (left_at[0], left_at[-last])]
    right_frames = [_frame(right, at) for at in (right_at[0], right_at[-first])]
    moved = any(frame[0] != other[0] for frame, other in zip(left_frames, right_frames, strict=True))
    if moved or pauses[0] != pauses[1]:
        return None
    compared = all(any(term.folded in _WORDS["comparing"] for term in text[at[0] : at[-1]]) for text, at in placed)
    adjacent = first + last == len(left_words) and not compared
    if adjacent and not (left_frames[0][0] and left_frames[1][0] and left_frames[0][0] != left_frames[1][0]):
        return None
    cases = [article for _, article in (*left_frames, *right_frames)]
    if _WORDS["cases"].intersection(cases) and (cases[0] == cases[3] or cases[1] == cases[2]):
        return None
    claimed, stated = (f"{text[0][1].text} … {text[-1][1].text}" for text in (left_words, right_words))
    return FactMismatch("quantifier", claimed, stated, opposed=True)


def _voice(terms: Sequence[Word]) -> tuple[bool, bool]:
    """Return whether a sentence names the agent of a passive, and whether it has a verb in the passive."""
    folded = [term.folded for term in terms]
    passive = next((index for index, word in enumerate(folded) if word in _WORDS["passives"]), len(folded))
    is_passive = any(word in _WORDS["passives"] and following.endswith("ed") for word, following in pairwise(folded))
    return any(word in _WORDS["agents"] for word in folded[passive:]), is_passive


def _shared_once(left: Sequence[Word], right: Sequence[Word]) -> list[_IndexedWord]:
    """Return the content words of `left`, with their indexes, that both sentences contain exactly once."""
    counts, others = (Counter(term.stem for term in terms) for terms in (left, right))
    return [(at, term) for at, term in enumerate(left) if term.stem and counts[term.stem] == others[term.stem] == 1]


def _reordered(left: list[_IndexedWord], right: list[_IndexedWord]) -> tuple[list[_IndexedWord], list[_IndexedWord]]:
    """Return the shared words of two sentences, from the first to the last that differs in order."""
    same = [left_word.stem == right_word.stem for (_, left_word), (_, right_word) in zip(left, right, strict=True)]
    if len(same) < _FEWEST or all(same):
        return [], []
    low, high = same.index(False), len(same) - same[::-1].index(False)
    return left[low:high], right[low:high]


def _blocks(left: Sequence[str], right: Sequence[str]) -> tuple[int, int]:
    """Return how many words at the start and the end of one list are swapped in the other, around the same middle."""
    for first in range(1, _MOVED + 1):
        for last in range(1, min(_MOVED, len(left) - first) + 1):
            if (left[:first], left[first:-last], left[-last:]) == (right[-first:], right[last:-first], right[:last]):
                return first, last
    return 0, 0


def _listed(terms: Sequence[Word], places: Sequence[int], first: int, last: int) -> bool:
    """Whether the swapped phrases are members of a list: separators divide both from the words between them."""
    gaps = ((places[first - 1], places[first]), (places[-last - 1], places[-last]))
    return all(any(term.folded in _WORDS["separators"] for term in terms[low:high]) for low, high in gaps)


def _frame(terms: Sequence[Word], index: int) -> tuple[str, str]:
    """Return the preposition before a word (`'s` for a genitive) and its article; each may be empty."""
    article = ""
    for term in reversed(terms[max(0, index - _REACH) : index]):
        if term.folded in _WORDS["frames"]:
            return term.folded, article
        if term.folded not in _WORDS["articles"]:
            break
        article = article or term.folded
    return "'s" if terms[index].folded.endswith("'s") else "", article
