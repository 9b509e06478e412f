"""Detects antonyms: words on different sides of a pair of opposites, such as up and down, on and off."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from .lexicon import lexicon, synonyms, table
from .word import Word, rooted

_PARTICLES = lexicon("particle")
"""Particles that are antonyms only without an object: `is off by default`, not `off the coast`."""

_SHORTEST_REST, _CUT = 4, 6
"""Fewest letters of the rest of a word without its prefix or suffix, and the number of them that are compared."""

_INNER = re.compile("^-?(?:ge|zu)?(?=.{4})|s$")
"""Inflection between a prefix and the rest, or at the end: `ausgeschaltet`, `downloads`."""

_TABLE = table("antonyms")

_Sides = tuple[tuple[str, int], ...]
"""The pairs of opposites that a word belongs to, each with its side."""


def _listed(kind: str) -> dict[str, _Sides]:
    """Return the sides of each word or affix in a list of lexicon.toml: its sets of opposites, and its side in each."""
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
"""A verb negated by `dis-` or `des-`, or by `de-` before a derived verb: `dezentralisiert`."""

_WIDE = re.compile("|".join(sorted((word for word in _PAIRS if word[0] > "\u3000"), key=len, reverse=True)))


def _terms_with_sides(words: Sequence[Word], at: int) -> Iterator[tuple[str, _Sides]]:
    word = words[at]
    if word.kind == "wide":
        yield from ((term, _PAIRS[term]) for term in _WIDE.findall(word.text))
    elif word.folded not in _PARTICLES["words"] or _stands_alone(words, at):
        yield word.text, _sides_of(word.folded)


def _stands_alone(words: Sequence[Word], at: int) -> bool:
    """Whether a particle has no object: it ends its part of a sentence, or belongs to the verb before it."""
    after = words[at + 1 : at + 2]
    is_last = not after or after[0].sentence != words[at].sentence or after[0].kind == "mark"
    is_of_verb = at > 0 and words[at - 1].folded in _PARTICLES["verbs"]
    return is_last or is_of_verb or after[0].folded in _PARTICLES["behind"]


@lru_cache(maxsize=20_000)
def _sides_of(word: str) -> _Sides:
    """Return the sides of a word; an unlisted word has those of its forms or of all its synonyms."""
    sets = _unambiguous(_SETS, [word] if word in _SETS else synonyms(word))
    pairs = _unambiguous(_PAIRS, [word] if word in _PAIRS else _FORMS.get(rooted(word), ()))
    return (*sets, *pairs, *_by_affix(word))


def _unambiguous(known: Mapping[str, _Sides], words: Iterable[str]) -> list[tuple[str, int]]:
    sides = {side for word in words for side in known.get(word, ())}
    counts = Counter(pair for pair, _ in sides)
    return sorted(side for side in sides if counts[side[0]] == 1)


def _by_affix(word: str) -> Iterator[tuple[str, int]]:
    """Yield the sides of a word by its prefix or suffix; the pair is named after the rest of the word."""
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


def antonym_pairs(left: Sequence[Word], right: Sequence[Word]) -> list[tuple[str, str]]:
    """Return the antonyms of two texts, each pair once; a text with words on several sides of a pair has none there."""
    left_sides, right_sides = _sides(left), _sides(right)
    both = ((left_sides[pair], right_sides[pair]) for pair in left_sides if pair in right_sides)
    return list(dict.fromkeys((word, opposite) for (side, word), (other, opposite) in both if side != other))


def _sides(words: Sequence[Word]) -> dict[str, tuple[int, str]]:
    """Return the pairs of opposites in which some words take one side only, with that side and the first such word."""
    found: dict[str, dict[int, str]] = {}
    for text, sides in (term for at in range(len(words)) for term in _terms_with_sides(words, at)):
        for pair, side in sides:
            found.setdefault(pair, {}).setdefault(side, text)
    return {pair: next(iter(sides.items())) for pair, sides in found.items() if len(sides) == 1}
