"""The terms that a text explains: in a short line of their own above what they mean, or before a dash.

Of a command with its options (`apply [--index] [<stash>]`) the term is what stands before these. Options and settings
are terms too, and may share a line: `-m, --max-time <seconds>`, `KillOnlyUsers=, KillExcludeUsers=`.
"""

import re
from collections.abc import Iterator, Sequence

from ..kernel.term import terms

_TERM = r"[*_`]{0,3}(?P<term>\$?[^\W_](?:[^\n.!?:;|#*`。！？：；，]|\.(?=[^\W_])){0,58}?)[*_`]{0,3}[ \t]"
_ENDED = r"[\w)\]>\"'”’][.:;,!?]"
"""What ends a sentence or goes on: "Sets the given <variable> in the current scope." begins with no term."""

_NUMBER = r"(?:\d+(?:\.\d+)+\.?[ \t]+)?"
_ALONE = re.compile(
    rf"(?:\A|\n[ \t]*\n)(?![^\n=]*,)[ \t]*{_NUMBER}{_TERM}*(?::?[ \t]*\\?[\[<][^\n]*(?<!{_ENDED}))?\n"
    r"(?:[ \t]*\n|:)[ \t]*(?=[^\s#|>-])"
)
_OPTIONS = re.compile(
    r"(?:\A|\n[ \t]*\n)[ \t]*(?:\\?\[)?(?P<term>-{1,2}[^\W_][\w-]*(?:(?:[ =][^\s,]{1,40})?,[ ]-{1,2}[^\W_][\w-]*)*)"
    r"(?:[ =:\[][^\n]{0,80})?\n[ \t]*\n[ \t]*(?=[^\s#|>-])"
)
"""Options in a line of their own, whatever they take: "[--right-axis scale:shift] [--right-axis-label label]"."""

_BEFORE_DASH = re.compile(rf"^[ \t]*(?:[-*][ \t]+)?{_TERM}+[-–—][ \t]+\S", re.MULTILINE)
_DASH = re.compile(r"\s[-–—]\s")

_ASKED = re.compile(r"(?:\A|\n[ \t]*\n)[ \t]*(?P<asked>[^\W_][^\n]{8,200}[?？])[ \t]*\n[ \t]*\n(?=[ \t]*[^\s#])")

MOST_WORDS = 5  # words of a term
_OPTION = re.compile(r"(?:\A|(?<=,[ ]))(?:-{1,2}[^\W_][\w-]*|\w+(?==))")
_ASKED_OPTION = re.compile(r"(?<!\S)-{1,2}[^\W_][\w-]*")
_BRACKETED = re.compile(r"(.+?)\s*\((.+)\)")


def explained(text: str) -> Iterator[tuple[str, int]]:
    """Yield each term with where its explanation begins, in two passes over the text: lines first, then dashes."""
    yield from ((match["term"], match.end()) for match in _alone(text))
    yield from ((match["term"], match.start("term")) for match in _found(_BEFORE_DASH, text))


def in_own_line(text: str) -> Iterator[tuple[str, int]]:
    """Yield the terms that stand in a line of their own above what they mean, with where that line begins."""
    for match in _alone(text):
        line = text.rfind("\n", 0, match.start("term")) + 1
        yield match["term"], line + len(text[line:]) - len(text[line:].lstrip())


def questions_in_own_line(text: str) -> Iterator[tuple[str, int]]:
    """Yield the questions that are a paragraph of their own, as in a list of frequent ones, with where they begin."""
    return ((match["asked"], match.start("asked")) for match in _ASKED.finditer(text))


def _alone(text: str) -> list[re.Match[str]]:
    return sorted([*_found(_OPTIONS, text), *_found(_ALONE, text)], key=re.Match.start)


def _found(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    for match in pattern.finditer(text):
        is_short = len(match["term"].split()) <= MOST_WORDS and not match["term"].isdecimal()
        if is_short and not _DASH.search(match["term"]):
            yield match


def explains(text: str, words: Sequence[str]) -> bool:
    """Say whether a text explains the term of just these words."""
    return any(terms(name) == words for term, _ in explained(text) for name in names_of(term))


def options_in(question: str) -> list[str]:
    """Return the options that a question names: "What does wget -c do?"."""
    return _ASKED_OPTION.findall(question)


def names_of(term: str) -> list[str]:
    """Return what a term may be called: as it is, by each where its short form is in brackets after it.

    "Write-ahead log (WAL)" has three names, "autovacuum (boolean)" and "git-log(1)" have one. Options are called by
    each of them without its value: "-o file, --output=file" is `-o` and `--output`.
    """
    if options := [one for one in _OPTION.findall(term) if one != term]:
        return [term, *options]
    both = _BRACKETED.fullmatch(term)
    return [term, *both.groups()] if both and _abbreviates(both[2].lower(), both[1].lower()) else [term]


def _abbreviates(short: str, long: str) -> bool:
    """Say whether the letters of a short form stand in a long one in this order, the first at the beginning of a word.

    As Schwartz and Hearst find abbreviations (PSB 2003).
    """
    first = re.search(rf"\b{re.escape(short[0])}", long)
    rest = iter(long[first.end() :] if first else "")
    return first is not None and len(short) < len(long) and all(letter in rest for letter in short[1:])
