"""Detection of the terms that a text explains: on a line above it, before a dash, or as a heading within the text.

The term of a command with options (`apply [--index] [<stash>]`) is the part before them. Options and settings are
terms, too, and several may share a line: `-m, --max-time <seconds>`, `KillOnlyUsers=, KillExcludeUsers=`. A remark in
brackets is not part of the term: `header_limit (default: 102400)`.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from ..kernel.term import SAID_IN_BRACKETS, terms

_TERM = r"[*_`]{0,3}(?P<term>\$?[^\W_](?:[^\n.!?:;|#*`。！？：；，]|\.(?=[^\W_])){0,58}?)[*_`]{0,3}[ \t]"
_ENDED = r"[\w)\]>\"'”’][.:;,!?]"
"""Sentence punctuation: a line like "Sets the given <variable> in the current scope." begins with no term."""

_NUMBER = r"(?:\d+(?:\.\d+)+\.?[ \t]+)?"
_ALONE = re.compile(
    rf"(?:\A|\n[ \t]*\n)(?:(?![^\n=]*,)|(?=[^\n,(]+{SAID_IN_BRACKETS}))[ \t]*{_NUMBER}{_TERM}*"
    rf"(?:{SAID_IN_BRACKETS}[ \t]*)?(?::?[ \t]*\\?[\[<{{](?:(?!{_ENDED}[ ])[^\n])*(?<!{_ENDED}))?\n"
    r"(?:[ \t]*\n|:)[ \t]*(?=[^\s#|>-])"
)
_NAMED = r"-{1,2}[^\W_][\w-]*"
_NAMES = rf"{_NAMED}(?:(?:[ =][^\s,-][^\s,]{{0,39}})?(?:,?[ ]|[ ]?[|/][ ]?){_NAMED})*"
_OPTIONS = re.compile(
    rf"(?:\A|\n[ \t]*\n)[ \t]*(?:\\?\[)?(?P<term>{_NAMES})(?:[ =:\[][^\n]{{0,80}})?\n[ \t]*\n[ \t]*(?=[^\s#|>-])"
)
"""The names of an option alone on a line, with any arguments, as in "[--right-axis scale:shift] [--right-axis-label
label]". They are separated by a comma, a bar, a slash or a space: "-s --symlinks"."""

_BEFORE_DASH = re.compile(rf"^[ \t]*(?:[-*][ \t]+)?{_TERM}+[-–—][ \t]+\S", re.MULTILINE)
_DASH = re.compile(r"\s[-–—]\s")

_ASKED = r"[¿\w](?:[^\n*.!?？]|[.!](?=[^\s*])){7,198}[?？]"
_QUESTION = re.compile(
    r"(?:\A|\n[ \t]*\n)[ \t]*(?:\d{1,3}[.)][ \t]+)?"
    r"(?P<mark>\*\*|__|)(?P<question>(?!_)[¿\w][^\n]{8,200}[?？])(?P=mark)[ \t]*\n[ \t]*\n(?=[ \t]*[^\s#])"
)

_BEGINS = r"(?P<before>\A|\n[ \t]*\n|^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t])[ \t]*"
_IN_BOLD = r"(?P<mark>\*\*|__)(?P<term>[^\W_][^\n*]{0,58}?)[.:]?(?<![?？])(?P=mark)[.:]?[ \t]+(?:[-–—][ \t]+)?"
_IN_CAPITALS = r"(?P<mark>)(?P<term>(?=[^\n]{0,36}[^\W\d_]{3})[^\W\d_a-z][^\na-z.:!?*_`|#]{2,38})[.:][ \t]+"
_IN_A_QUESTION = (
    rf"(?P<mark>\*\*|__|)(?P<term>{_ASKED})(?:(?P=mark)[ \t]*\n[ \t]*(?![-*+][ \t]|\d{{1,3}}[.)][ \t]|[#>])|"
    r"(?<=[?？])(?P=mark)(?<=[*_])[ \t]+)"
)
_BOLD, _CAPITALS, _ANSWERED = (
    re.compile(rf"{_BEGINS}{heading}(?=[^\s|])", re.MULTILINE) for heading in (_IN_BOLD, _IN_CAPITALS, _IN_A_QUESTION)
)
"""A heading at the beginning of a paragraph or of an item of a list, in bold type or in capitals, or a question above
its answer: "**Ticks.** There are many …", "CAR PARK. From 1 June …"."""

_ITEM_ENDS = re.compile(r"\n(?=[ \t]*(?:\n|[-*+][ \t]|\d{1,3}[.)][ \t]))")
_PARAGRAPH_ENDS = re.compile(r"\n[ \t]*\n(?![ \t]*(?:\n|[-*+][ \t]|\d{1,3}[.)][ \t]|\|)|[ \t]+\S)")
"""The end of an item, and of a paragraph with the list or table below it."""

_ANOTHER = re.compile(r"[^\n]*\n[ \t]*(?:\*\*|__)[^\n*:]{1,60}:")
"""The rest of a line above another one that begins with a label in bold type."""

MOST_WORDS = 5  # words of a term
_OPTION = re.compile(rf"(?:\A|(?<=[ ,|/])){_NAMED}|(?:\A|(?<=,[ ]))\w+(?==)")
_OPTION_IN_QUESTION = re.compile(rf"(?<!\S){_NAMED}")
_BRACKETED = re.compile(r"(.+?)\s*\((.+)\)")


def explained(text: str) -> Iterator[tuple[str, int]]:
    """Yield each term with the offset of its explanation, in two passes over the text: lines first, then dashes."""
    yield from ((match["term"], match.end()) for match in _on_own_line(text))
    yield from ((match["term"], match.start("term")) for match in _matches(_BEFORE_DASH, text))


def in_own_line(text: str) -> Iterator[tuple[str, int]]:
    """Yield the terms that are alone on a line above their explanation, with the offset of that line."""
    for match in _on_own_line(text):
        line = text.rfind("\n", 0, match.start("term")) + 1
        yield match["term"], line + len(text[line:]) - len(text[line:].lstrip())


def questions_in_own_line(text: str) -> Iterator[tuple[str, int]]:
    """Yield the questions that are a paragraph by themselves, as in an FAQ, with their offsets."""
    return ((match["question"], match.start("question")) for match in _QUESTION.finditer(text))


def run_in(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the headings that begin paragraphs and items, with the offsets of what they are about.

    They are in bold, in capitals, or a question above its answer. A subject before a colon in an item, or in the first
    of several such lines, is part of its first sentence, and an entry of one list: "**Lunch**: 3.50".
    """
    capitals = (match for match in _matches(_CAPITALS, text) if match["term"].isupper())
    for match in sorted(chain(_matches(_BOLD, text), capitals, _ANSWERED.finditer(text)), key=re.Match.start):
        is_item = bool(match["before"].strip())
        if ":" in text[match.end("term") : match.end()] and (is_item or _ANOTHER.match(text, match.end())):
            continue
        end = (_ITEM_ENDS if is_item else _PARAGRAPH_ENDS).search(text, match.end())
        yield match["term"], match.start("mark"), end.end() if end else len(text)


def _on_own_line(text: str) -> list[re.Match[str]]:
    return sorted([*_matches(_OPTIONS, text), *_matches(_ALONE, text)], key=re.Match.start)


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    for match in pattern.finditer(text):
        is_short = len(match["term"].split()) <= MOST_WORDS and not match["term"].isdecimal()
        if is_short and not _DASH.search(match["term"]):
            yield match


def explains(text: str, words: Sequence[str]) -> bool:
    """Return whether a text explains the term with exactly these words."""
    return any(terms(name) == words for term, _ in explained(text) for name in names_of(term))


def options_in(question: str) -> list[str]:
    """Return the command-line options in a question: `-c` in "What does wget -c do?"."""
    return _OPTION_IN_QUESTION.findall(question)


def names_of(term: str) -> list[str]:
    """Return the names of a term: the term itself, and its long and short form if the short form follows in brackets.

    "Write-ahead log (WAL)" has three names, "autovacuum (boolean)" and "git-log(1)" have one. Each option is a name,
    without its value: `-o` and `--output` for "-o file, --output=file".
    """
    if options := [option for option in _OPTION.findall(term) if option != term]:
        return [term, *options]
    parts = _BRACKETED.fullmatch(term)
    return [term, *parts.groups()] if parts and _abbreviates(parts[2].lower(), parts[1].lower()) else [term]


def _abbreviates(short: str, long: str) -> bool:
    """Return whether the letters of a short form occur in a long form in order, the first at the start of a word.

    The algorithm of Schwartz and Hearst (PSB 2003).
    """
    first = re.search(rf"\b{re.escape(short[0])}", long)
    rest = iter(long[first.end() :] if first else "")
    return first is not None and len(short) < len(long) and all(letter in rest for letter in short[1:])
