"""Finds the date that a document gives itself, in the name of its file or in its first lines."""

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from typing import Final

from ..kernel.cells import are_rows, separated
from .date import Date, dates
from .lexicon import lexicon
from .word import TokenizedText, Word

EARLIEST: Final = 1980
"""The first year that counts as that of a document; an earlier one is rather that of its subject."""

LINES, OPENING = 6, 1_000
"""Lines of text at the beginning of a document in which it may date itself, within so many characters."""

SHORT: Final = 14
"""Most words of a line or sentence that dates its document; a longer one tells of something else too."""

_NEAR: Final = 4  # words before a date that may say whose it is
_WORDS: Final = lexicon("dating")
_DATA: Final = ("|", "{", "[", '"')
"""Beginnings of a line of data, whose dates are not the document's."""

_BEFORE, _BEHIND = r"(?<!\d)", r"(?!\d|[^\W_])"
_YEAR, _MONTH, _DAY = r"(?P<year>(?:19|20)\d\d)", r"(?P<month>0[1-9]|1[0-2])", r"(?P<day>0[1-9]|[12]\d|3[01])"
_SHORT_MONTH, _SHORT_DAY = r"(?P<month>0?[1-9]|1[0-2])", r"(?P<day>0?[1-9]|[12]\d|3[01])"
_WRITTEN: Final = [
    re.compile(_BEFORE + pattern + _BEHIND)
    for pattern in (
        rf"{_YEAR}(?P<mark>[-_. ]?){_MONTH}(?P=mark){_DAY}",
        rf"{_SHORT_DAY}(?P<mark>[-_. ]){_SHORT_MONTH}(?P=mark){_YEAR}",
        rf"{_DAY}(?P<mark>[-_.]){_MONTH}(?P=mark)(?P<year>1[3-9]|[2-9]\d)",
        rf"{_YEAR}[-_. ]{_MONTH}",
        rf"{_MONTH}[-_. ]{_YEAR}",
    )
]
"""The dates in figures in the name of a file. A year of two digits is more than 12, so that it is no day or month."""

_LETTER_TO_DIGIT: Final = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])|_")
_APART: Final = ("/", "|", "·", "•")  # with blanks, between the pieces of a line such as "A. Lee / 9 Feb 2021 / draft"
_FIGURE: Final = re.compile(r"\W{0,2}\d[\d.,:]*\W{0,2}")
_MONTHS: Final = 12
_SHORT_YEAR: Final = 2
"""Digits of the second year of a season, 2024-25, which is dated by the first."""


def dated(name: str, text: str, latest: int) -> str:
    """Return the date of a document as `2024-05-31`, `2024-05` or `2024`, empty if neither name nor text tells one.

    `name` is that of its file without the ending, `latest` the last year that counts. The date in the name comes first,
    the first lines make it more precise; without one it is theirs: in a short line, or in a short sentence with a word
    such as "revised" or with the date set apart by marks. A year alone counts in the name, in the title, behind a
    season, and of a date such as 3/2/2025.
    """
    told = [*_of_name(name, latest), *_of_opening(text[:OPENING], latest)]
    return max((date for date in told if date.startswith(told[0])), key=len, default="")


def _of_name(name: str, latest: int) -> list[str]:
    """Return the date in the name of a file, such as `minutes_2024-05-31` or `prices may2024`: the last of a range."""
    for pattern in _WRITTEN:
        if told := [date for date in map(_in_figures, pattern.finditer(name)) if EARLIEST <= int(date[:4]) <= latest]:
            return [max(told)]
    found = dates(TokenizedText(_LETTER_TO_DIGIT.sub(" ", name)))
    named = [_iso(date) for date in found if _counts(date, latest) and len(date.text) > _SHORT_YEAR]
    return [max(named, key=lambda date: (len(date), date))] if named else []


def _in_figures(found: re.Match[str]) -> str:
    parts = found.groupdict()
    year = parts["year"] if len(parts["year"]) > _SHORT_YEAR else f"20{parts['year']}"
    return "-".join([year, *(f"{parts[name]:0>2}" for name in ("month", "day") if name in parts)])


def _of_opening(text: str, latest: int) -> Iterator[str]:
    """Yield the dates that the first lines give to their document, of each line the latest, as that of a revision.

    The dates in rows of data are those of what the rows are about.
    """
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(_DATA)][:LINES]
    rows = _rows(lines)
    for number, line in enumerate(lines):
        reading = TokenizedText("" if line in rows else line)
        told = (date for date in dates(reading) if _counts(date, latest))
        if of_line := [_iso(date) for date in told if _dates_document(reading, date, is_title=not number)]:
            yield max(of_line)


def _rows(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines that are rows of data, not those of prose with as many commas each."""
    cells = [separated(line) for line in lines]
    widths = [len(row) for row in cells]
    width = max(widths, key=widths.count, default=1)
    rows = {line: row for line, row in zip(lines, cells, strict=True) if len(row) == width}
    has_figures = any(_FIGURE.fullmatch(cell) for row in rows.values() for cell in row)
    is_prose = not has_figures and all(", " in line for line in rows)
    return [] if is_prose or not are_rows([*rows]) else [*rows]


def _dates_document(reading: TokenizedText, date: Date, *, is_title: bool) -> bool:
    words = reading.words
    sentence = [word for word in words if word.sentence == words[date.first].sentence]
    piece = [word for word in _piece(words, date) if word.sentence == words[date.first].sentence]
    before = [word.folded for word in sentence if word.start < words[date.first].start]
    is_precise = date.month > 0 or is_title or _WORDS["season"].intersection(before[-_NEAR:])
    is_of_others = _WORDS["of_others"].intersection(before[-_NEAR:])
    if not is_precise or is_of_others or sum(map(_is_word, piece)) > SHORT:
        return False
    has_no_stop = words[-1].sentence == sentence[-1].sentence
    return has_no_stop or bool(_WORDS["of_itself"].intersection(before)) or _stands_apart(reading, date)


def _piece(words: Sequence[Word], date: Date) -> Sequence[Word]:
    """Return the words around a date up to the next marks of _APART."""
    marks = [
        place
        for place, (before, mark, after) in enumerate(zip(words, words[1:], words[2:], strict=False), 1)
        if mark.text in _APART and before.end < mark.start and mark.end < after.start
    ]
    first = max((place for place in marks if place < date.first), default=-1)
    return words[first + 1 : min((place for place in marks if place > date.last), default=len(words))]


def _stands_apart(reading: TokenizedText, date: Date) -> bool:
    """Whether a date has a mark or an end on both sides, as in "Ann Lee, May 2024.", not "opened on 3 May 2024."."""
    words, first, last = reading.words, date.first, date.last
    if first and words[first - 1].kind == "word" and not reading.roots[first - 1]:
        first -= 1
    is_begun = not first or not _is_word(words[first - 1]) or words[first - 1].sentence < words[first].sentence
    after = words[last + 1 : last + 2]
    return is_begun and not any(_is_word(word) and word.sentence == words[last].sentence for word in after)


def _is_word(word: Word) -> bool:
    return word.kind not in ("mark", "stop")


def _counts(date: Date, latest: int) -> bool:
    """Whether a date has a year that counts, and a month and day that there are."""
    if date.year is None or not EARLIEST <= date.year <= latest or date.begin[0] != date.end[0]:
        return False
    return date.month in range(13) and date.day <= monthrange(date.year, date.month or 1)[1]


def _iso(date: Date) -> str:
    """Return a date as in `dated`: of 3/2/2025, which is another day in another country, only the year."""
    has_year_last = "/" in date.text and not date.text[:4].isdigit()
    is_ambiguous = has_year_last and 0 < date.day <= _MONTHS and date.day != date.month
    parts = [f"{date.year:04}", *(f"{part:02}" for part in (date.month, date.day) if part and not is_ambiguous)]
    return "-".join(parts)
