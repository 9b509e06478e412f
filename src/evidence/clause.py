"""Splits a text into clauses, with their content words and negations."""

from collections.abc import Iterator, Sequence, Set
from functools import lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from .lexicon import NEGATORS, lexicon, vocabulary
from .word import NONE, STEM, TokenizedText, Word, rooted

_LISTS = lexicon("clause")

_NEGATOR_OF = lexicon("negators")
_WEAK = _LISTS["weak"]
"""Words that negate implicitly (`lack`, `refuse`): a negation in the other text may paraphrase them."""

_NO_DENIAL_BEFORE = lexicon("cancels_negation")
"""Words that cancel the negator before them: `not only`, `no later than`."""
_CONTRASTS = vocabulary("or if whether , – and but oder ob et ( rather")
"""Words before a negator that only contrasts two things: `the former, not the latter`."""

_CONDITIONS = vocabulary("if unless wenn falls sofern si se indien als")
"""Words that open a condition, where a negator does not negate the assertion."""

DENYING = NEGATORS | _WEAK | _CONDITIONS
"""Words that negate an assertion or make it conditional."""

_CLAUSE_OPENERS = _LISTS["clause_openers"]
_NO_CONTENT = _CLAUSE_OPENERS | NEGATORS | vocabulary("above below under over before after until up down at")
"""Words that connect or negate clauses and do not tell what a clause is about."""

_RELATIVES = vocabulary("which who whose where dont qui welche welcher welches")
"""Words that open a relative clause, behind which the outer clause may continue."""

_PREFIXES = ("un", "non", "in", "im", "il", "ir", "dis")
_NO_PREFIX = ("under", "uni", "unanim", "until", "unless", "upon", "uncle", "union", "none")
_SHORTEST_STEM = 4
_SCOPE, _FARTHEST = 4, 13
"""Most content words in the scope of a negator, and the number of words behind it that are searched for them."""

_LEAST_CLAUSE = 3
_LEAST_DENYING = 2
"""Fewest content words of a clause, and of a clause with a negator."""


class Clause(NamedTuple):
    """A clause or sentence: the stems of its content words and numbers, and its negations.

    `denies` says that its number of negators is odd, `negator` is the first of them or empty, `scope` the stems that
    they apply to. `weak` are its implicit negators; `prefixed` maps a stem to the word that negates it by a prefix.
    """

    stems: frozenset[str]
    negator: str
    denies: bool
    scope: frozenset[str]
    weak: frozenset[str]
    prefixed: dict[str, str]
    terms: Sequence[Word]
    words: frozenset[str]


def clauses(reading: TokenizedText, most: int) -> tuple[Clause, ...]:
    """Return at most `most` clauses of a text; `not only` and `no later than` are not negations."""
    negators = _negators(reading)
    return tuple(_clause(reading, part, negators) for part in islice(_split(reading, negators.keys()), most))


def parts(words: Sequence[Word]) -> list[range]:
    """Return the parts of sentences, as ranges of word indexes; a mark or conjunction begins the part that follows it.

    A comma between two figures does not begin a part; a figure right behind another figure does.
    """
    cuts = [0]
    figures = [*(word.text[0].isdecimal() for word in words), False]
    for at in range(1, len(words)):
        in_row = words[at].text in ",;" and figures[at - 1] and figures[at + 1]
        is_cut = opens_clause(words[at]) or (figures[at - 1] and figures[at])
        if (is_cut and not in_row) or words[at].sentence != words[at - 1].sentence:
            cuts.append(at)
    return [range(low, high) for low, high in pairwise([*cuts, len(words)]) if low < high]


def _split(reading: TokenizedText, negators: Set[int]) -> Iterator[range]:
    """Yield the clauses; a part too short for one is joined to the part before it in its sentence, else behind it."""
    pending: list[range] = []
    size, denies = 0, False
    for part in parts(reading.words):
        first = reading.words[part.start]
        part_size = sum(bool(reading.roots[at]) or reading.words[at].kind == "number" for at in part)
        denying = not negators.isdisjoint(part)
        if not pending or first.text == ";" or reading.words[pending[-1].start].sentence != first.sentence:
            yield from pending
            pending, size, denies = [part], part_size, denying
        elif _is_long_enough(part_size, denying) and _is_long_enough(size, denies):
            pending.append(part)
            size, denies = part_size, denying
        else:
            size, denies = size + part_size, denies or denying
            if len(pending) > 1 and _is_relative(reading.words, pending[-1].start):
                pending.pop()
            pending[-1] = range(pending[-1].start, part.stop)
    yield from pending


def _is_long_enough(size: int, denies: bool) -> bool:
    return size >= (_LEAST_DENYING if denies else _LEAST_CLAUSE)


def _is_relative(words: Sequence[Word], first: int) -> bool:
    """Whether the clause that begins at a word is a relative clause: `, which Moody's rated Baa2,`."""
    return any(word.folded in _RELATIVES for word in words[first : first + 2])


def opens_clause(word: Word) -> bool:
    """Whether a word begins a part of a sentence: a conjunction or a separating mark."""
    return word.folded in _CLAUSE_OPENERS or (word.kind == "mark" and word.text in ",;:–()")


def _clause(reading: TokenizedText, part: range, negators: dict[int, str]) -> Clause:
    first, last = part.start, part.stop
    words = reading.words[first:last]
    folded = [word.folded for word in words]
    content = (at for at, word in enumerate(folded, first) if word not in _NO_CONTENT)
    roots = NONE.union(*(reading.roots[at] for at in content))
    stems = {root[:STEM] for root in roots} | {word.text for word in words if word.kind in ("number", "version")}
    denying = [index for index in range(first, last) if index in negators]
    known = _NEGATOR_OF[reading.code]
    return Clause(
        frozenset(stems),
        negators[denying[0]] if denying else "",
        len(denying) % 2 == 1,
        frozenset(root[:STEM] for index in denying for root in _scope(reading, index, last)),
        frozenset(
            word for at, word in enumerate(folded, first) if word in _WEAK or (word in known and at not in negators)
        ),
        {stem: word.text for word in words for stem in _stem(word.folded)},
        words,
        frozenset(folded),
    )


def _scope(reading: TokenizedText, index: int, last: int) -> list[str]:
    """Return the roots in the scope of a negator: four content words behind it and, except in English, one before."""
    behind: list[frozenset[str]] = []
    for at in range(index + 1, min(last, index + _FARTHEST)):
        if len(behind) == _SCOPE or (behind and opens_clause(reading.words[at])):
            break
        if reading.roots[at]:
            behind.append(reading.roots[at])
    before = [roots for roots in reading.roots[max(0, index - _SCOPE) : index] if roots][-1:]
    if behind and reading.code == "en":
        before = []
    return [root for roots in (*behind, *before) for root in roots]


def _negators(reading: TokenizedText) -> dict[int, str]:
    known = _NEGATOR_OF[reading.code]
    negators: dict[int, str] = {}
    for index, word in enumerate(reading.words):
        if (word.folded in known or word.folded.endswith("n't")) and _denies(reading, index):
            negators[index] = word.text
    return negators


def _denies(reading: TokenizedText, index: int) -> bool:
    word, after, before = reading.folded(index), reading.folded(index + 1), reading.folded(index - 1)
    if before == "," and reading.folded(index - 2) in _LISTS["asides"]:
        before = ""
    compares = "than" in (reading.folded(index + 2), reading.folded(index + 3))
    if compares and word in ("no", "not", "nicht", "pas", "non"):
        return False
    if any(word.folded in _CONDITIONS for word in reading.words[max(0, index - 3) : index]):
        return False
    if word.startswith("fail"):
        return after == "to"
    if word in ("not", "nicht", "pas", "non", "niet") and before in _CONTRASTS:
        return False
    if word in ("ni", "nor"):
        return not any(word.folded in ("ni", "nor", "neither") for word in reading.words[max(0, index - 8) : index])
    if word.endswith("n't"):
        word = "not"
    return after not in _NO_DENIAL_BEFORE.get(word, ())


@lru_cache(maxsize=50_000)
def _stem(folded: str) -> tuple[str, ...]:
    """Return the stem of a word with a negative prefix or the suffix `less`: `unsafe`, `illegal`, `wingless`."""
    stem = ""
    if folded in _LISTS["prefixed"]:
        prefix = next(prefix for prefix in _PREFIXES if folded.startswith(prefix))
        stem = folded.removeprefix(prefix)
    elif folded.startswith(("un", "non")) and not folded.startswith(_NO_PREFIX):
        stem = folded.removeprefix("non").removeprefix("un").lstrip("-")
    elif folded.endswith("less"):
        stem = folded.removesuffix("less")
    if len(stem) < _SHORTEST_STEM:
        return ()
    return tuple(root[:STEM] for root in sorted(rooted(stem)))
