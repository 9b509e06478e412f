"""What a question wants (a date, a number, a person …), and whether a text has such a thing."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from ..evidence import ordered_roots
from ..kernel.language import FUNCTION_WORDS, language_of
from ..kernel.term import LONGEST_TERM, is_wide, terms, written_words

_YEAR = re.compile(
    r"(?<![A-Za-z\d])(?:1\d{3}|20\d{2})(?![A-Za-z\d])|\b\d{1,2}(?:st|nd|rd|th)? century\b|\b\d{3,4} (?:BC|AD|BCE|CE)\b"
)
_WORD = re.compile(r"[^\W_]+(?:[’'-][^\W_]+)*")
_PIECE = re.compile(rf"{_WORD.pattern}|,")
_NUMBER = re.compile(r"^\d|[二两三四五六七八九十百千万亿億]")
_MANUAL_PAGE = re.compile(r"\w\((\d)\w{0,2}\)")
_CAPITALISED = re.compile(r"(?<![.!?]\s)(?<!^)\b[^\W\d_a-zß-ÿ][\w’'-]+")
_REASON = re.compile(
    r"\b(?:because|due to|since|so that|in order to|as a result|caused?|reason|weil|da|wegen|aufgrund|damit|porque|"
    r"debido|ya que|car|parce que|afin|perché|poiché)\b|因为|因此|由于|所以|ため|ので|から",
    re.IGNORECASE,
)
_IS = re.compile(
    r"\b(?:is|are|was|were|means|refers to|denotes|ist|sind|war|waren|bezeichnet|es|son|era|fue|est|sont|désigne|è)\b"
    r"|是指?|とは|は(?=.)",
    re.IGNORECASE,
)

_TOPIC = re.compile(
    rf"^(.{{2,100}}?)(?:\s+[-–—]+\s|:\s|：|\s?,?(?:\s+|(?<=[^\x00-\u2fff]))(?={_IS.pattern}))",
    re.IGNORECASE | re.DOTALL,
)

NUMBERING = re.compile(r"^(?:\w+ )?\d[\d.]*\\?\.?\s+")
"""The number of a heading: "3.1. Reports", "Chapter 12. Reports"."""

_POINTING = ("here", "places", "tells", "told", "elsewhere", "refers")

LONGEST_POINTER = 25
"""Words of a statement that only points to another place."""

DOCUMENTS = "documents"
"""The kind of a question that asks what the documents are that one has."""

SHOWN = ("date", "number", "person", "place", "reason", "definition", "whether")
"""What a question may want that shows by the form of a text."""


_TABLE: dict[str, Any] = tomllib.loads(files(__package__).joinpath("wanted.toml").read_text(encoding="utf-8"))
_LANGUAGES: list[dict[str, list[str]]] = [table for table in _TABLE.values() if isinstance(table, dict)]


def _listed(key: str) -> list[str]:
    """Return the words that the languages list under a key."""
    return [word for language in _LANGUAGES for word in language.get(key, ())]


_COUNTS = frozenset(_TABLE["words_for_numbers"])
_ASKING = frozenset(_TABLE["asking_words"])
_ASKS = frozenset(_listed("asks"))
_SAYS = tuple(word if is_wide(word) else f"{word}{end}" for word in _listed("says") for end in ",.:;!")
"""The beginnings of an answer that says whether something is so: a word, and what ends it."""

_BESIDE = re.compile(rf"\b(?:{'|'.join(map(re.escape, _listed('beside')))})\s+(?P<thing>\S+(?:\s+\S+)?)", re.IGNORECASE)
_DEFAULT = re.compile("|".join(cue if is_wide(cue) else rf"\b{cue}\b" for cue in _listed("default")), re.IGNORECASE)


def asking_words() -> frozenset[str]:
    """Return the words, in lower case, that say what kind of answer is wanted, not what about."""
    return _ASKING


def _tables(language: str | None) -> list[dict[str, list[str]]]:
    """Return the table of a language, all of them where it has none."""
    return [_TABLE[language]] if language in _TABLE else _LANGUAGES


@cache
def _cues(language: str | None) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the kinds with the cues of a language, those of all where it has no table, in the order of the table."""
    tables = _tables(language)
    kinds = ((kind, [cue for table in tables for cue in table.get(kind, ())]) for kind in _TABLE["kinds"])
    return tuple((kind, tuple(cue if is_wide(cue) else f" {cue} " for cue in cues)) for kind, cues in kinds)


def wanted(question: str) -> str:
    """Return what a question wants: a kind of `wanted.toml`, or nothing where no cue of it stands in the question.

    A cue at the beginning decides before one that stands within; but that of a definition only where the question names
    a term, or nothing else decides: "what is the maximum number of columns?" wants a number. Whether something is so is
    asked at the beginning alone, but for languages that are written without spaces. "When" asks for no date in "what
    happens when it is full?".
    """
    written = question.casefold().replace("’", "'")
    language = language_of(question)
    words = f" {' '.join(_asking(_PIECE.findall(written), language))} "
    cues = _cues(language)
    first = next((kind for kind, own in cues if any(words.startswith(cue) for cue in own)), "")
    if first and (first != "definition" or defined(question)):
        return first
    within = ((kind, cue) for kind, own in cues for cue in own if kind != first and cue in words)
    return next((kind for kind, cue in within if kind != "whether" or is_wide(cue)), first)


def _asking(pieces: list[str], language: str | None) -> Iterator[str]:
    """Yield the words of a question but for those that could ask, and here begin a clause."""
    clause, asked_after = _clauses(language)
    for before, piece, after in zip(["", *pieces], pieces, [*pieces[1:], ""], strict=False):
        if piece != "," and (piece not in clause or before in asked_after or not after):
            yield piece


@cache
def _clauses(language: str | None) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of a language that may begin a clause, and what stands before one that asks all the same."""
    own = [{word for table in _tables(language) for word in table.get(key, ())} for key in ("clause", "asked_after")]
    return frozenset(own[0]), frozenset(own[1] | {"", ","})


def is_broad(question: str) -> bool:
    """Whether a question wants what one paragraph seldom gives: an overview, steps, all about a topic."""
    return wanted(question) == "steps" or wants_overview(question)


def wants_overview(question: str) -> bool:
    """Whether a question wants to be told of something as a whole, be it by naming it alone."""
    return wanted(question) == "overview" or is_topic(question)


def wants_fact(question: str) -> bool:
    """Whether a question wants one thing only: a date, a number, a person, a place, or whether something is so."""
    return wanted(question) in ("date", "number", "person", "place", "whether")


def tells_fact(question: str, text: str) -> bool:
    """Whether a question wants one thing only, and a text has such a thing that the question has not."""
    return wants_fact(question) and has(wanted(question), text, set(ordered_roots(text)) - set(ordered_roots(question)))


def wants_several(question: str) -> bool:
    """Whether a question may be answered by several things: "Which problems does it detect?"."""
    words = f" {' '.join(_WORD.findall(question.casefold()))} "
    cues = [cue for table in _tables(language_of(question)) for cue in table["several"]]
    begins = any(cue in words if is_wide(cue) else words.startswith(f" {cue} ") for cue in cues)
    return begins and not wants_fact(question)


def is_topic(question: str) -> bool:
    """Whether a question asks nothing of what it names, not even what holds by default."""
    first = next(iter(re.findall(r"[^\W_]+", question.casefold())), "")  # "what" of "what's"
    return not (wanted(question) or tells_default(question) or "?" in question or first in _ASKS)


def defined(question: str) -> str:
    """Return the term that a question wants to have explained, in lower case: all that it says; else nothing.

    "What is a rebase?" and "What does MVCC mean?" name one; "What is the capital of Peru?" does not.
    """
    if any(map(is_wide, written_words(question))):
        return _defined_without_spaces(question)
    words = _WORD.findall(question.casefold())
    cues = [cue.split() for cue in _listed("definition")]
    cue = max((cue for cue in cues if words[: len(cue)] == cue), key=len, default=words)
    left = words[len(cue) :]
    while left and (left[-1] in FUNCTION_WORDS or left[-1] in asking_words()):
        left.pop()
    while left and left[0] in FUNCTION_WORDS:
        left.pop(0)
    plain = len(left) <= LONGEST_TERM and not FUNCTION_WORDS.intersection(left)
    return " ".join(left) if plain else ""


def _defined_without_spaces(question: str) -> str:
    """Return the same of a question in Chinese or Japanese: what its cue leaves, if that is one piece of text."""
    cues = (cue for cue in _listed("definition") if is_wide(cue) and cue in question)
    cue = max(cues, key=len, default="")
    left = question.replace(cue, "", 1).strip("？?。 は") if cue else ""
    return left.casefold() if len(left) <= 2 * LONGEST_TERM and len(terms(left)) == max(1, len(left) - 1) else ""


def topic(text: str) -> str:
    """Return what a text says something of: what stands before its first "is", dash or colon; empty where none does.

    "If you merge when it is clear" says nothing of merging.
    """
    found = _TOPIC.match(text)
    begins = _TABLE.get(language_of(text) or "", {}).get("begins", ())
    return found[1] if found and found[1].split()[0].casefold() not in begins else ""


def has(kind: str, text: str, new: set[str]) -> bool:
    """Whether a text has what a question of this kind wants; `new` are its words that the question has not."""
    if kind == "date":
        return bool(_YEAR.search(text)) or any(word.isdigit() for word in new)
    if kind == "number":
        pages = set(_MANUAL_PAGE.findall(text))
        return any((_NUMBER.search(word) or word in _COUNTS) and word not in pages for word in new)
    if kind in ("person", "place"):
        capitals = (name.casefold().split("’")[0].split("'")[0] in new for name in _CAPITALISED.findall(text))
        return any(capitals) or any(map(is_wide, written_words(text)))
    if kind == "reason":
        return bool(_REASON.search(text))
    if kind == "whether":
        return text.casefold().startswith(_SAYS)
    return kind == "definition" and bool(_IS.search(text))


def set_beside(text: str) -> frozenset[str]:
    """Return the roots of what a text only compares something else with: `pop` of "unlike pop, it takes any commit"."""
    return frozenset(root for found in _BESIDE.finditer(text) for root in ordered_roots(found["thing"]))


def asks_default(question: str) -> bool:
    """Whether a question asks what holds where nobody has set anything; not why, or how to change it."""
    return tells_default(question) and wanted(question) not in ("steps", "reason")


def tells_default(text: str) -> bool:
    """Whether a text speaks of what holds where nobody has set anything."""
    return _DEFAULT.search(text) is not None


def points(text: str) -> bool:
    """Whether a statement only says where something is said: "This section describes …", "see below".

    By the words of `wanted.toml`: `here` and `places` of which one `tells`, or `told` and `elsewhere`, or how one
    `refers`; what is longer than LONGEST_POINTER words says something itself.
    """
    if len(text.split()) > LONGEST_POINTER:
        return False
    return any(pattern.search(text) for pattern in _pointers())


@cache
def _pointers() -> list[re.Pattern[str]]:
    found = []
    for language in _LANGUAGES:
        parts = {
            key: "|".join(sorted(map(re.escape, language.get(key, ())), key=len, reverse=True)) for key in _POINTING
        }
        refers = [one for one in language["refers"] if is_wide(one)]
        found.append("|".join(refers) if refers else rf"\A\W*(?:{parts['refers']})\b")
        if not refers:
            found.append(
                rf"\A\W*(?:{parts['here']})\s+(?:[\w-]+\s+)?(?:{parts['places']})\s+(?:[\w-]+\s+){{0,2}}?(?:{parts['tells']})\b"
            )
            found += [
                rf"\b(?:{parts[one]})\b(?:\W+\w+){{0,6}}?\W+(?:{parts[other]})\b"
                for one, other in (("told", "elsewhere"), ("elsewhere", "told"))
            ]
    return [re.compile(one, re.IGNORECASE) for one in found]
