"""Which of several opposite sides words are on: up or down, on or off, north or south."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from .lexicon import lexicon, synonyms, table
from .word import Word, rooted

_PARTICLES = lexicon("particle")
"""Small words that are on a side only where they govern nothing: `is off by default`, not `off the coast`."""

_SHORTEST_REST, _CUT = 4, 6
"""Letters that two words share beside prefixes or suffixes that are opposites, and by how many they are compared."""

_INNER = re.compile("^-?(?:ge|zu)?(?=.{4})|s$")
"""What stands between a prefix and the rest, or ends it, in some forms of a word: `ausgeschaltet`, `downloads`."""

_TABLE = table("direction")

_Sides = tuple[tuple[str, int], ...]
"""What a word is on a side of, and on which."""


def _listed(kind: str) -> dict[str, _Sides]:
    """Return the sides of the words, or what words begin or end with, of a table: a list of sides a set."""
    found: dict[str, _Sides] = {}
    for number, members in enumerate(_TABLE[kind]):
        for side, words in enumerate(members):
            found |= {word: (*found.get(word, ()), (f"{kind} {number}", side)) for word in words.split()}
    return found


_SETS, _PAIRS, _PREFIXES, _SUFFIXES = map(_listed, ("sets", "pairs", "prefixes", "suffixes"))
_FORMS: dict[frozenset[str], list[str]] = {}
for _word in _PAIRS:
    _FORMS.setdefault(rooted(_word) or frozenset([_word]), []).append(_word)

_REVERSED = re.compile(
    rf"(?!{'|'.join(_TABLE['not_reversed'].split())})"
    r"(?:d[ei]s(?=[a-z]{5})|de(?=[a-z]{3,}(?:at|i[sz]|ifi|ier)(?:e[dsn]?|ing|ions?|te?n?|ung|ungen)$))"
)
"""A verb turned round, by `dis-` and `des-` in all languages, by `de-` where it is derived: `dezentralisiert`."""

_WIDE = re.compile("|".join(sorted((word for word in _PAIRS if word[0] > "\u3000"), key=len, reverse=True)))


def _told(words: Sequence[Word], at: int) -> Iterator[tuple[str, _Sides]]:
    word = words[at]
    if word.kind == "wide":
        yield from ((term, _PAIRS[term]) for term in _WIDE.findall(word.text))
    elif word.folded not in _PARTICLES["words"] or _stands_alone(words, at):
        yield word.text, _named(word.folded)


def _stands_alone(words: Sequence[Word], at: int) -> bool:
    """Say whether a particle governs nothing: it ends what it stands in, or belongs to the verb before it."""
    after = words[at + 1 : at + 2]
    ends = not after or after[0].sentence != words[at].sentence or after[0].kind == "mark"
    turns = at > 0 and words[at - 1].folded in _PARTICLES["verbs"]
    return ends or turns or after[0].folded in _PARTICLES["behind"]


@lru_cache(maxsize=20_000)
def _named(word: str) -> _Sides:
    """Return the sides that a word is on; one that is not listed is where its forms, or all words like it, are."""
    sets = _agreed(_SETS, [word] if word in _SETS else synonyms(word))
    pairs = _agreed(_PAIRS, [word] if word in _PAIRS else _FORMS.get(rooted(word), ()))
    return (*sets, *pairs, *_by_affix(word))


def _agreed(known: Mapping[str, _Sides], words: Iterable[str]) -> list[tuple[str, int]]:
    found = {named for word in words for named in known.get(word, ())}
    counts = Counter(pair for pair, _ in found)
    return sorted(named for named in found if counts[named[0]] == 1)


def _by_affix(word: str) -> Iterator[tuple[str, int]]:
    """Yield the sides that how a word begins or ends says it is on, of what the rest of it names."""
    head, hyphen, last = word.partition("-")
    if hyphen:
        yield from ((f"{pair} {last}", side) for pair, side in (*_SETS.get(head, ()), *_PAIRS.get(head, ())))
    if len(word) > _SHORTEST_REST:
        turned = _REVERSED.match(word)
        yield f"turned {word[turned.end() if turned else 0 :][:_CUT]}", bool(turned)
    rests = [(word.removeprefix(affix), sides) for affix, sides in _PREFIXES.items() if word.startswith(affix)]
    rests += [(word.removesuffix(affix), sides) for affix, sides in _SUFFIXES.items() if word.endswith(affix)]
    for rest, sides in rests:
        rest = _INNER.sub("", rest)
        if len(rest) >= _SHORTEST_REST:
            yield from ((f"{pair} {rest[:_CUT]}", side) for pair, side in sides)


def opposites(one: Sequence[Word], other: Sequence[Word]) -> list[tuple[str, str]]:
    """Return the words that are on opposite sides, each two once; where one text is on several it says nothing."""
    mine, theirs = _sides(one), _sides(other)
    both = ((mine[pair], theirs[pair]) for pair in mine if pair in theirs)
    return list(dict.fromkeys((word, instead) for (side, word), (its, instead) in both if side != its))


def _sides(words: Sequence[Word]) -> dict[str, tuple[int, str]]:
    """Return what some words are on one side of only, on which, and the first word that says it."""
    found: dict[str, dict[int, str]] = {}
    for text, sides in (told for at in range(len(words)) for told in _told(words, at)):
        for pair, side in sides:
            found.setdefault(pair, {}).setdefault(side, text)
    return {pair: next(iter(sides.items())) for pair, sides in found.items() if len(sides) == 1}
