"""Names of people, places, organisations and things, and the identifiers of code."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ..kernel.term import STOP_WORDS, misspelt
from .date import MONTHS
from .lexicon import lexicon, table, vocabulary
from .reason import FactMismatch
from .word import NONE, TokenizedText, Word, aligned, parts

if TYPE_CHECKING:
    from .facts import Facts

_LISTS = lexicon("name")

_GERMAN_LINKS = vocabulary("von van zu de & for")
_TITLES = _LISTS["titles"]
"""Words before or within names that a text may omit or write in lower case."""

_NO_NAMES = STOP_WORDS | _TITLES | _LISTS["days"] | frozenset(MONTHS)
_OPENING = _LISTS["opening"]
"""Words that often open a sentence before a name and are not part of it."""

_KIN = {word: frozenset(forms.split()) for forms in table("name_forms")["forms"] for word in forms.split()}
_PEOPLE_ENDS = ("ers", "er", "ians", "ian", "ans", "an", "ese", "ish", "ic", "i", "ia", "y", "n", "s", "a")
_SHORTEST_STEM = 4
_LONGEST = 10


class Name(NamedTuple):
    """A name in a text, with its folded words (`tokens`); `sure` is false for those whose capital may not mark a name.

    `after` are the roots of the three words behind it, `next` is the first of these words.
    """

    text: str
    tokens: tuple[str, ...]
    sure: tuple[bool, ...]
    near: frozenset[str]
    after: frozenset[str]
    next: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a text, and all its words, to search them for the names of another text.

    `nouns` says that its language capitalizes common nouns too.
    """

    items: tuple[Name, ...]
    words: frozenset[str]
    order: tuple[str, ...]
    nouns: bool


def names(reading: TokenizedText, used: Collection[int], most: int) -> Names:
    """Return at most `most` names of a text; in German, which capitalizes nouns, single words are not `sure`."""
    order = tuple(word.folded for word in reading.words if word.kind == "word")
    known = {piece for word in order for piece in _pieces(word)}
    shouted = sum(word.text.isupper() and len(word.text) > 1 for word in reading.words)
    items = [] if 2 * shouted > len(order) > 3 else _found(reading, used)
    return Names(tuple(items[:most]), frozenset(known), order, reading.code == "de")


@lru_cache(maxsize=50_000)
def _pieces(folded: str) -> tuple[str, ...]:
    bare = folded.removesuffix("'s").removesuffix("()")
    pieces = parts(bare)
    if len(pieces) == 1:
        return (folded, bare)
    return (folded, bare, "".join(pieces), *pieces)


def _found(reading: TokenizedText, used: Collection[int]) -> list[Name]:
    items: list[Name] = []
    index, words = 0, reading.words
    links = _GERMAN_LINKS if reading.code == "de" else _LISTS["links"]
    while index < len(words):
        if index in used or not _is_capital(words[index]):
            index += 1
            continue
        last = index
        while last - index <= _LONGEST and not words[last].folded.endswith(("'s", "'")):
            behind = words[last + 1 : last + 3]
            linked = len(behind) > 1 and behind[0].folded in links and behind[0].text != "The"
            following = behind[linked : linked + 1]
            if not following or following[0].opens or not _is_capital(following[0]) or last + 1 + linked in used:
                break
            last += 1 + linked
        name = _name(reading, index, last)
        if name is not None:
            items.append(name)
        index = last + 1
    return items


def _is_capital(word: Word) -> bool:
    text = word.text
    if word.kind != "word" or (text.islower() and text.isalpha()):
        return False
    return text[0].isupper() or is_identifier(text)


def is_identifier(text: str) -> bool:
    """Whether a word is an identifier or acronym: `snake_case`, `CamelCase`, `GPT-4`, `call()`, `NASA`."""
    if len(text) < 2:
        return False
    if text.isalpha():
        return text[1:] != text[1:].lower() and not (text.isupper() and len(text) > 8)
    if "_" in text or text.endswith("()") or any(char.isdigit() for char in text):
        return True
    return any(piece[1:] != piece[1:].lower() for piece in parts(text) if piece.isalpha())


def _name(reading: TokenizedText, first: int, last: int) -> Name | None:
    words = reading.words
    run = [word for word in words[first : last + 1] if _is_capital(word)]
    size = sum(bool(word.roots) and word.folded not in _OPENING for word in run)
    pairs = [token for word in run for token in _tokens(word, reading.code, size)]
    if not pairs:
        return None
    tokens, sure = zip(*pairs, strict=True)
    while words[first].folded in STOP_WORDS and first < last:
        first += 1
    text = reading.written(first, last)
    after = NONE.union(*reading.roots[last + 1 : last + 4])
    return Name(text, tokens, sure, reading.near(first, last), after, reading.folded(last + 1), first, last)


def _tokens(word: Word, code: str, size: int) -> Iterator[tuple[str, bool]]:
    """Yield the folded names in one capitalized word, and whether each is surely a name."""
    folded = word.folded.removesuffix("'s")
    if word.text == "I" and size > 1 and not word.opens:
        yield "i", True
        return
    if is_identifier(word.text):
        yield folded.removesuffix("()"), True
        return
    for written, piece in zip(parts(word.text), parts(word.folded), strict=False):
        if not written[:1].isupper() or len(piece) < 2 or piece in _NO_NAMES or (word.opens and piece in _OPENING):
            continue
        yield piece, not word.opens and (code != "de" or size > 1)


def differing(claim: "Facts", span: "Facts", context: "Facts") -> Iterator[FactMismatch]:
    """Yield the names of a claim that are missing from the span and from the title and headings above it."""
    claim_names, *others = texts = (claim.names, span.names, context.names)
    for name in claim_names.items:
        tokens = zip(name.tokens, name.sure, strict=True)
        missing = {token: sure for token, sure in tokens if not any(_has(token, names) for names in others)}
        if missing and not any(_abbreviates(name, names) for names in texts):
            yield from _judged(name, missing, claim_names, span.names)


def _judged(name: Name, missing: Mapping[str, bool], claim: Names, span: Names) -> Iterator[FactMismatch]:
    if name.tokens[-1] not in missing:
        yield from _namesakes(name, span)
        return
    if claim.nouns and len(missing) == 1 < len(name.tokens):
        return
    certain = any(missing.values())
    rivals = [other for other in span.items if _same_place(name, other, certain)]
    rivals = [other for other in rivals if not any(_has(token, claim) for token in other.tokens)]
    if rivals:
        best = max(rivals, key=lambda other: len(name.near & other.near))
        yield FactMismatch("name", name.text, best.text, opposed=True)
    elif certain:
        yield FactMismatch("name", name.text)


def _same_place(name: Name, other: Name, certain: bool) -> bool:
    """Whether two names have similar context words; an uncertain name must be followed by the same words too."""
    if not aligned(name.near, other.near) or 3 * len(name.near & other.near) < len(name.near):
        return False
    if any(other.sure):
        return certain or not name.after.isdisjoint(other.after)
    return name.next != "" and name.next == other.next


def _namesakes(name: Name, span: Names) -> Iterator[FactMismatch]:
    """Yield a mismatch if the span has the last word of a name only within other names, or within no name."""
    namesakes = [other for other in span.items if name.tokens[-1] in other.tokens]
    others = [other for other in namesakes if not set(other.tokens) <= set(name.tokens)]
    if len(others) == len(namesakes) > 0:
        yield FactMismatch("name", name.text, others[0].text, opposed=True)
    elif not namesakes and any(name.sure):
        yield FactMismatch("name", name.text)


def _has(token: str, names: Names) -> bool:
    """Whether a text has a word of a name in any form: `France's`, `French`, `Wi-Fi` for `WiFi`."""
    pieces = _pieces(token)
    if any(piece in names.words for piece in pieces[:3]):
        return True
    if any(char.isdigit() for char in token):
        return False
    if len(pieces) > 3 and all(piece in names.words for piece in pieces[3:]):
        return True
    if 2 < len(token) < 5 and any(piece.startswith(token) for name in names.items for piece in name.tokens):
        return True
    kin = _KIN.get(token)
    if kin and not kin.isdisjoint(names.words):
        return True
    stems = _stems(token)
    if f"{token}s" in names.words or f"{token}es" in names.words or token.removesuffix("s") in names.words:
        return True
    alike = [other for other in names.words if other[:1] == token[0]]
    if misspelt(token, alike) or any(not stems.isdisjoint(_stems(other)) for other in alike):
        return True
    return any(first + second == token for first, second in pairwise(names.order) if token.startswith(first))


@lru_cache(maxsize=50_000)
def _stems(token: str) -> frozenset[str]:
    ends = [token[: -len(end)] for end in _PEOPLE_ENDS if token.endswith(end)]
    return frozenset([token, *(stem for stem in ends if len(stem) >= _SHORTEST_STEM)])


def _abbreviates(name: Name, names: Names) -> bool:
    """Whether a text has the words that an acronym stands for, or the acronym of a name."""
    if len(name.tokens) == 1 and 1 < len(name.tokens[0]) < 7 and name.text.replace(".", "").rstrip("s").isupper():
        wanted = name.tokens[0].replace(".", "")
        for order in (names.order, [word for word in names.order if word not in STOP_WORDS]):
            if wanted in "".join(word[0] for word in order):
                return True
        return False
    if names.items and name in names.items:
        return False
    initials = "".join(token[0] for token in name.tokens)
    forms = {initials, ".".join(initials)}
    return len(initials) > 1 and any(not forms.isdisjoint(other.tokens) for other in names.items)
