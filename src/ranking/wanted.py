"""Classifies what a question asks for (a date, a number, a person …), and whether a text contains it."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from ..evidence import ordered_roots
from ..kernel.language import FUNCTION_WORDS, language_of
from ..kernel.sentence import sentence_spans
from ..kernel.term import LONGEST_TERM, is_wide, terms, written_words

_YEAR = re.compile(
    r"(?<![A-Za-z\d])(?:1\d{3}|20\d{2})(?![A-Za-z\d])|\b\d{1,2}(?:st|nd|rd|th)? century\b|\b\d{3,4} (?:BC|AD|BCE|CE)\b"
)
_CLOCK = re.compile(
    r"(?<![\d.,:])(?:[01]?\d|2[0-4])(?:[:h][0-5]\d(?![\d:]|\.\d)|(?:\.[0-5]\d)? ?(?:[ap]\.?m\b|uhr\b|o['’]clock))"
    r"|\b(?:at|until|till|by|um|bis) \d{1,2}\.[0-5]\d\b(?! ?(?:[€£$%]|euro|per|km|kg|cm|m\b))",
    re.IGNORECASE,
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
"""Section number of a heading: "3.1. Reports", "Chapter 12. Reports"."""

_ASKED = re.compile(r"(?:Q|Question) ?\d*[:.)]\s")
"""The mark of a question in a list of questions and answers."""

_ASKS_AT_END = re.compile(r"[?？]\W*\Z")

_POINTING = ("here", "places", "tells", "told", "elsewhere", "refers")

LONGEST_POINTER = 25
"""Most words of a statement that only points to another place."""

DOCUMENTS = "documents"
"""The kind of a question about the user's documents: what they are."""

SHOWN = ("date", "number", "person", "place", "reason", "definition", "whether")
"""Kinds of questions whose answer can be recognized by the form of a text."""


_TABLE: dict[str, Any] = tomllib.loads(files(__package__).joinpath("wanted.toml").read_text(encoding="utf-8"))
_LANGUAGES: list[dict[str, list[str]]] = [table for table in _TABLE.values() if isinstance(table, dict)]

_SIGNS = {
    "*": r"\S+ ",
    "?": r"(?:\S+ )?",
    "…": rf"(?:(?!(?:{'|'.join(_TABLE['apart'])}) )\S+ ){{0,8}}?",
    "~": rf"(?=$|(?:{'|'.join(sorted(map(re.escape, FUNCTION_WORDS.union(_TABLE['behind']))))}) )",
}
"""The patterns of the signs of a cue that stand for words, with the spaces behind these."""


def _listed(key: str) -> list[str]:
    """Return the words of all languages under a key."""
    return [word for language in _LANGUAGES for word in language.get(key, ())]


_COUNTS = frozenset(_TABLE["words_for_numbers"])
_ASKING = frozenset(_TABLE["asking_words"])
_ASKS = frozenset(_listed("asks"))
_LEGAL = frozenset(_TABLE["legal"])
_ASKS_LEGAL = _LEGAL.union(_TABLE["asks_legal"])
_SAYS = tuple(word if is_wide(word) else f"{word}{end}" for word in _listed("says") for end in ",.:;!")
"""Beginnings of an answer to a yes-or-no question: a word and the mark behind it."""

_BESIDE = re.compile(rf"\b(?:{'|'.join(map(re.escape, _listed('beside')))})\s+(?P<thing>\S+(?:\s+\S+)?)", re.IGNORECASE)
_DEFAULT = re.compile("|".join(cue if is_wide(cue) else rf"\b{cue}\b" for cue in _listed("default")), re.IGNORECASE)
_DAY = re.compile(rf"\b(?:{'|'.join(_listed('days'))})s?\b", re.IGNORECASE)
_UNSET = re.compile("|".join(rf"\b{cue}\b" for cue in _listed("unset")), re.IGNORECASE)


def asking_words() -> frozenset[str]:
    """Return the words, in lower case, that tell the kind of answer asked for, not its subject."""
    return _ASKING


def _tables(language: str | None) -> list[dict[str, list[str]]]:
    """Return the table of a language, or all tables if it has none."""
    return [_TABLE[language]] if language in _TABLE else _LANGUAGES


@cache
def _cues(language: str | None) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the kinds in the order of `kinds`, with the cues of a language, or of all languages if it has no table."""
    tables = _tables(language)
    kinds = ((kind, [cue for table in tables for cue in table.get(kind, ())]) for kind in _TABLE["kinds"])
    return tuple((kind, _pattern(*map(_cue, cues))) for kind, cues in kinds if cues)


def _cue(words: str) -> str:
    """Return the pattern of a cue; see `wanted.toml` for its signs."""
    if is_wide(words):
        return re.escape(words.casefold())
    return " " + "".join(_SIGNS.get(word) or _alternatives(word) for word in words.casefold().split())


def _alternatives(word: str) -> str:
    """Return the pattern of one of several words, with `|` between them, and the space behind it."""
    return f"(?:{'|'.join(map(re.escape, word.split('|')))}) "


def wanted(question: str) -> str:
    """Return the kind of a question, one of `kinds` in `wanted.toml`, or an empty string if it has no cue of any.

    A cue at the beginning takes precedence over one within the question; that of a definition only if the question
    names a term or has no other cue: "what is the maximum number of columns?" asks for a number. Cues of yes-or-no
    questions count only at the beginning, except in languages without spaces. "When" is no cue in "what happens when it
    is full?". Of several sentences the one that `asks` counts.
    """
    written = asks(question).casefold().replace("’", "'")
    language = language_of(question)
    words = f" {' '.join(_asking(_PIECE.findall(written), language))} "
    cues = _cues(language)
    first = next((kind for kind, own in cues if own.match(words)), "")
    if first and (first != "definition" or defined(question)):
        return first
    within = ((kind, found[0]) for kind, own in cues if kind != first and (found := own.search(words)))
    return next((kind for kind, cue in within if kind != "whether" or is_wide(cue)), first)


def asks(question: str) -> str:
    """Return the first sentence that ends in a question mark: “My son is 16. Can he join?”; without one, the whole."""
    sentences = (question[start:end] for start, end in sentence_spans(question))
    return next((one for one in sentences if _ASKS_AT_END.search(one)), question)


def _asking(pieces: list[str], language: str | None) -> Iterator[str]:
    """Yield the words of a question, except question words that here begin a subordinate clause."""
    clause, asked_after = _clauses(language)
    for before, piece, after in zip(["", *pieces], pieces, [*pieces[1:], ""], strict=False):
        if piece != "," and (piece not in clause or before in asked_after or not after):
            yield piece


@cache
def _clauses(language: str | None) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of a language that may ask or begin a clause, and the words before one that asks."""
    own = [{word for table in _tables(language) for word in table.get(key, ())} for key in ("clause", "asked_after")]
    return frozenset(own[0]), frozenset(own[1] | {"", ","})


def is_broad(question: str) -> bool:
    """Whether a question asks for more than one paragraph usually gives: an overview, steps, or a whole topic."""
    return wanted(question) == "steps" or wants_overview(question)


def wants_overview(question: str) -> bool:
    """Whether a question asks for an overview of something, or only names a topic."""
    return wanted(question) == "overview" or is_topic(question)


def wants_fact(question: str) -> bool:
    """Whether a question asks for a single fact: a date, a number, a person, a place, or yes or no."""
    return wanted(question) in ("date", "number", "person", "place", "whether")


def tells_fact(question: str, text: str) -> bool:
    """Whether a question asks for a single fact, and a text has one of its kind that is not in the question."""
    return wants_fact(question) and has(wanted(question), text, set(ordered_roots(text)) - set(ordered_roots(question)))


def wants_several(question: str) -> bool:
    """Whether a question may have several answers: "Which problems does it detect?"."""
    words = f" {' '.join(_WORD.findall(asks(question).casefold()))} "
    cues = [cue for table in _tables(language_of(question)) for cue in table["several"]]
    begins = any(cue in words if is_wide(cue) else words.startswith(f" {cue} ") for cue in cues)
    return begins and not wants_fact(question)


def is_topic(question: str) -> bool:
    """Whether a question only names a topic, without asking anything about it, such as its default."""
    first = next(iter(re.findall(r"[^\W_]+", question.casefold())), "")  # "what" of "what's"
    return not (wanted(question) or tells_default(question) or "?" in question or first in _ASKS)


def defined(question: str) -> str:
    """Return the term whose definition a question asks for, in lower case, if it asks for nothing else; else "".

    "What is a rebase?" and "What does MVCC mean?" have a term; "What is the capital of Peru?" does not.
    """
    question = asks(question)
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
    """Return the same for a question in Chinese or Japanese: the rest without its cue, if that is a single term."""
    cues = (cue for cue in _listed("definition") if is_wide(cue) and cue in question)
    cue = max(cues, key=len, default="")
    left = question.replace(cue, "", 1).strip("？?。 は") if cue else ""
    return left.casefold() if len(left) <= 2 * LONGEST_TERM and len(terms(left)) == max(1, len(left) - 1) else ""


def topic(text: str) -> str:
    """Return the subject of a text, the words before its first "is", dash or colon; an empty string if it has none.

    A clause is not a subject: "If you merge when it is clear".
    """
    found = _TOPIC.match(text)
    begins = _TABLE.get(language_of(text) or "", {}).get("begins", ())
    return found[1] if found and found[1].split()[0].casefold() not in begins else ""


def has(kind: str, text: str, new: set[str]) -> bool:
    """Whether a text has what a question of a kind asks for; `new` are its words that are not in the question."""
    if kind == "date":
        return any(when.search(text) for when in (_YEAR, _DAY, _CLOCK)) or any(word.isdigit() for word in new)
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
    """Return the roots of things mentioned only for comparison: `pop` in "unlike pop, it takes any commit"."""
    return frozenset(root for found in _BESIDE.finditer(text) for root in ordered_roots(found["thing"]))


def is_legal(heading: str) -> bool:
    """Whether a title or heading is that of a licence or a list of authors: "LICENSE AND COPYRIGHT"."""
    named = [word for word in written_words(NUMBERING.sub("", heading).casefold()) if word not in FUNCTION_WORDS]
    return bool(named) and _LEGAL.issuperset(named)


def asks_legal(question: str) -> bool:
    """Whether a licence or a list of authors may answer a question: it asks for a person, or has a word for these."""
    return wanted(question) == "person" or not _ASKS_LEGAL.isdisjoint(written_words(question.casefold()))


def asks_default(question: str) -> bool:
    """Whether a question asks for a default, not for its reason or how to change it: "if I don't set it" does, too."""
    is_meant = tells_default(question) or _UNSET.search(question) is not None
    return is_meant and wanted(question) not in ("steps", "reason")


def tells_default(text: str) -> bool:
    """Whether a text mentions a default."""
    return _DEFAULT.search(text) is not None


def asks_of_past(question: str) -> bool:
    """Whether a question names a year, or asks what has happened or what was so."""
    tables = [table for table in _tables(language_of(question)) if "happened" in table]
    return _YEAR.search(question) is not None or any(_pattern(*one["happened"]).search(question) for one in tables)


def is_only_ahead(question: str, text: str) -> bool:
    """Whether a question asks what has happened, and a statement only says what is to happen, or might.

    Of the sentences that answer 1,836 questions about encyclopaedia articles, nine are such.
    """
    tables = [table for table in _tables(language_of(question)) if "happened" in table]
    tenses = ([_pattern(*table[key]) for key in ("happened", "ahead", "past")] for table in tables)
    return any(
        happened.search(question) and ahead.search(text) and not past.search(text) for happened, ahead, past in tenses
    )


@cache
def _pattern(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


def points(text: str) -> bool:
    """Whether a statement only points to another place: "This section describes …", "see below"; or is marked "Q:".

    It matches words of `wanted.toml`: `here`, `places` and `tells` in a row, `told` near `elsewhere`, or `refers`. A
    statement of more than LONGEST_POINTER words is never a pointer.
    """
    if _ASKED.match(text):
        return True
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
