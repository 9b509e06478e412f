"""Splits a text into tokens: words, numbers and marks."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from ..kernel.term import fold
from .lexicon import lexicon
from .relevance import roots

_FREQUENT = lexicon("frequent_words")

_WIDE = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"

_PLAIN = str.maketrans(
    {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    | dict.fromkeys("\u00a0\u2007\u2009\u202f\u3000", " ")
    | dict.fromkeys("\u2212\u2010\u2011\ufe63", "-")
    | dict.fromkeys("\u2013\u2014\u2012", "–")
    | dict.fromkeys("‘‛′", "'")
    | {"\u00ad": None, "٫": ".", "٬": ",", "’": "'", "µ": "μ"}
)
"""Normalizes full-width forms, spaces, dashes and apostrophes."""

_POWER = re.compile(
    r"(?<![\w.,])(\d{1,2})([⁻⁺][⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4}|[⁰¹²³⁴⁵⁶⁷⁸⁹]{2,4}|(?:(?<=10)|(?<=\b2))[²³⁴⁵⁶⁷⁸⁹])(?!\w)"
)
"""A power in superscript, `2⁶⁴`; a single superscript digit may be a footnote, except for powers of two and ten."""

RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")

_TOKEN = re.compile(
    rf"""
     (?P<url>(?:https?://|www\.)[^\s<>()]{{1,2000}}+)
    |(?P<release>[vV]\d{{1,4}}(?:\.\d{{1,4}}){{0,4}}(?!\w))
    |(?P<word>_{{0,2}}[^\W\d_{_WIDE}][^\W{_WIDE}]*+(?:(?:['&./]|-(?!(?:1\d|20)\d\d(?!\d)))[^\W_{_WIDE}][^\W{_WIDE}]*+)*+(?:\(\))?)
    |(?P<cited>\[\^?\d{{1,3}}(?:\s?[,;–-]\s?\d{{1,3}}){{0,20}}\]|【[^】\n]{{1,40}}】)
    |(?P<day>\d{{4}}-\d{{1,2}}-\d{{1,2}}(?![\d-])|\d{{1,2}}\.\s?\d{{1,2}}\.\s?\d{{4}}(?!\.?\d)
        |\d{{1,2}}/\d{{1,2}}/(?:\d{{4}}|\d\d)(?![\d/])|\d{{4}}[/.]\d{{1,2}}[/.]\d{{1,2}}(?![\d/])
        |\d{{4}}\s?年(?:\s?\d{{1,2}}\s?月(?:\s?\d{{1,2}}\s?日)?)?)
    |(?P<clock>\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?!\d|:\d)(?:\s?[ap]\.?m\b\.?)?|\d{{1,2}}\s?[ap]\.?m\b\.?)
    |(?P<code>\d{{1,6}}(?:-\d{{1,7}}){{2,8}}(?:-[xX])?(?![\w-])|\+\d{{1,3}}(?:[ /-]?\(?\d{{1,5}}\)?){{2,6}}(?!\w))
    |(?P<version>(?!\d{{1,3}}(?:\.\d{{3}})++(?![.\d]))\d{{1,5}}(?:\.\d{{1,6}}){{2,6}}(?![.,]?\d))
    |(?P<number>(?:(?<=\d,)\d++(?:\.\d++)?|
        \d{{1,3}}(?:[,.' ]\d{{3}}(?!\d))++(?:[.,]\d++)?|\d++(?:[.,]\d++(?!,\d))?|(?<![\w.])\.\d++|[½⅓⅔¼¾⅕⅛])
        (?:\^\{{?[+-]?\d{{1,4}}\}}?(?!\w)|\^?[eE][+-]?\d{{1,3}}(?!\w)|\s?[x×*·⋅]\s?10(?:\^\{{?[+-]?\d{{1,3}}\}}?|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,3}}))?)
    |(?P<wide>[{_WIDE}]++)
    |(?P<stop>[.!?…。！？।؟]++)
    |(?P<line>\n[ \t]*+(?=[\n*•#>|-]|\d{{1,3}}[.)][ \t]))
    |(?P<mark>[^\s])
    """,
    re.VERBOSE,
)
_DAY = re.compile(r"\s(?:Jan|Feb|Mär|Apr|Mai|Ju[nl]|Aug|Sep|Okt|Nov|Dez|Jahrh|Quartal|[a-zäöü])")
"""Text that follows the full stop of an ordinal (`1. Januar`)."""

_LONGEST = 64
_CLAUSE_PARTS = re.compile(r"[-/.']")
_OPENERS = frozenset("\"“”«»„'`*_•|>#:([")
_SHORT = lexicon("word")["short"]


class Word(NamedTuple):
    """One token: its text, folded form, kind (a group of _TOKEN), sentence number and offsets in the plain text.

    `opens` marks the first word of a sentence, line or quotation, whose capital does not mark a name. `roots` are those
    of a content word; `stem` is its form for comparing word order, empty for a stop word or a mark.
    """

    text: str
    folded: str
    kind: str
    opens: bool
    sentence: int
    start: int
    end: int
    roots: frozenset[str]
    stem: str


NONE: frozenset[str] = frozenset()

STEM = 6
"""Letters of a stem, by which words are compared: `exports` and `exported` have the same."""


@lru_cache(maxsize=100_000)
def rooted(folded: str) -> frozenset[str]:
    """Return the roots of one folded word; a compound with hyphens has several."""
    return roots(folded.removesuffix("'s"))


@lru_cache(maxsize=100_000)
def _stemmed(folded: str) -> tuple[frozenset[str], str]:
    roots = rooted(folded)
    return roots, min(roots, default="")[:STEM]


@lru_cache(maxsize=100_000)
def _folded(text: str) -> str:
    return fold(text[:_LONGEST])


def parts(folded: str) -> list[str]:
    """Return the parts of a compound, split at hyphens, slashes, points and apostrophes."""
    return _CLAUSE_PARTS.split(folded)


def plain(text: str) -> str:
    """Return a text with normalized digits, powers, spaces, dashes and apostrophes; its length may change."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFC", text).translate(_PLAIN)
    return _POWER.sub(lambda power: f"{power[1]}^{power[2].translate(RAISED)}", text)


def _shortened(word: str, stop: str) -> bool:
    """Whether a full stop belongs to the abbreviation before it."""
    return stop == "." and (word in _SHORT or (len(word) == 1 and word.isalpha()) or ("." in word and len(word) < 5))


def words(text: str) -> list[Word]:
    """Return the tokens of a plain text in order, with offsets in `plain(text)`. Linear in the text."""
    found: list[Word] = []
    opens, sentence, last = True, 0, ""
    text = plain(text)
    for match in _TOKEN.finditer(text):
        kind = str(match.lastgroup)
        token = match[0]
        if kind == "stop":
            if not _shortened(last, token) and not (last.isdecimal() and _DAY.match(text, match.end())):
                opens, sentence = True, sentence + 1
        elif kind == "line":
            opens, sentence = True, sentence + 1
            continue
        folded = _folded(token) if kind == "word" else token
        roots, stem = _stemmed(folded) if kind == "word" else (NONE, token if kind in ("number", "version") else "")
        if kind == "wide":
            roots = rooted(token)
        found.append(Word(token, folded, kind, opens, sentence, match.start(), match.end(), roots, stem))
        if kind != "stop":
            opens = token in _OPENERS or (opens and kind not in ("word", "wide"))
        last = folded
    return found


def stems(terms: Iterable[Word]) -> set[str]:
    """Return the stems of the content words among the words."""
    return {word.stem for word in terms if word.stem}


def spelled(terms: Iterable[Word]) -> str:
    """Return the words as written, separated by spaces."""
    return " ".join(word.text for word in terms)


def sentences(terms: Sequence[Word]) -> list[Sequence[Word]]:
    """Return the words of each sentence."""
    return [list(group) for _, group in groupby(terms, attrgetter("sentence"))]


def language(folded: Iterable[str]) -> str:
    """Return the code of the language with the most function words among the folded words; `en` if none is one."""
    counts = Counter(folded)
    shares = {code: sum(counts[word] for word in known) for code, known in _FREQUENT.items()}
    return max(shares, key=lambda code: shares[code])


class TokenizedText:
    """The words of a text and its language; `roots` has the roots of each word, an empty set for a stop word."""

    __slots__ = ("code", "roots", "words")

    def __init__(self, text: str) -> None:
        self.words = words(text)
        self.roots = [word.roots for word in self.words]
        self.code = language(word.folded for word in self.words if word.kind == "word")

    def near(self, first: int, last: int) -> frozenset[str]:
        """Return the roots within _WINDOW words of the words `first` to `last`, in the same sentence, without these."""
        low, high = max(0, first - _WINDOW), min(len(self.words), last + 1 + _WINDOW)
        sentence = self.words[first].sentence
        while self.words[low].sentence < sentence:
            low += 1
        while self.words[high - 1].sentence > sentence:
            high -= 1
        return NONE.union(*self.roots[low:first], *self.roots[last + 1 : high])

    def folded(self, index: int) -> str:
        """Return the folded word at an index, an empty string outside the text."""
        return self.words[index].folded if 0 <= index < len(self.words) else ""

    def written(self, first: int, last: int) -> str:
        """Return the words `first` to `last` as written in the text, spaces normalized."""
        pieces = [self.words[first].text]
        for index in range(first + 1, last + 1):
            pieces += [" " if self.words[index].start > self.words[index - 1].end else "", self.words[index].text]
        return "".join(pieces)


_WINDOW = 7

LONGEST_CLAIM, LONGEST_SPAN = 100, 400
"""Most words of a claim and a span whose word order is compared; longer texts are not sentences."""


def aligned(left: frozenset[str], right: frozenset[str]) -> bool:
    """Whether two facts have similar context words: at least two in common, or half of the smaller set."""
    common = len(left & right)
    return common > 1 or (common > 0 and 2 * common >= min(len(left), len(right)))
