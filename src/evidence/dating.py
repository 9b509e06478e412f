"""Finds the date that a document gives itself, in the name of its file or in its first lines."""

import re
from collections.abc import Iterator
from typing import Final

from .date import Date, dates
from .lexicon import lexicon
from .word import TokenizedText, Word

EARLIEST: Final = 1980
"""The first year that counts as that of a document; an earlier one is rather that of its subject."""

LINES, OPENING = 6, 1_000
"""Lines of text at the beginning of a document in which it may date itself, within so many characters."""

SHORT: Final = 14
"""Most words of a line or sentence that dates its document; a longer one tells of something else too."""

_NEAR: Final = 3
_WORDS: Final = lexicon("dating")
_BETWEEN_DIGITS: Final = re.compile(r"(?<=\d)[ _.](?=\d)")
_COMPACT: Final = re.compile(r"(?<!\d)((?:19|20)\d\d)([01]\d)([0-3]\d)(?!\d)")
_DAY_FIRST: Final = re.compile(r"(?<!\d)(\d\d?)-(\d\d?)-(\d{4}|\d\d)(?![\d-])")
_MONTH_LAST: Final = re.compile(r"(?<!\d)((?:19|20)\d\d)-([01]\d)(?![\d-])")
_LETTER_TO_DIGIT: Final = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])|_")


def dated(name: str, text: str, latest: int) -> str:
    """Return the date of a document as `2024-05-31`, `2024-05` or `2024`, empty if neither name nor text tells one.

    `name` is that of its file without the ending, `latest` the last year that counts. The date in the name comes first;
    else it is that of the first lines: in a short one, or a short sentence with a word such as "revised" or with the
    date set apart by a mark. A year alone counts in the name, in the title and behind a season.
    """
    told = [*_of_name(name, latest), *_of_opening(text[:OPENING], latest)]
    return max((date for date in told if date.startswith(told[0])), key=len, default="")


def _of_name(name: str, latest: int) -> list[str]:
    """Return the dates in the name of a file, such as `minutes_2024-05-31` or `prices may2024`."""
    written = _COMPACT.sub(r"\1-\2-\3", _BETWEEN_DIGITS.sub("-", name))
    if month := _MONTH_LAST.search(written):
        return [month[0]] if EARLIEST <= int(month[1]) <= latest and 1 <= int(month[2]) <= 12 else []
    reading = TokenizedText(_LETTER_TO_DIGIT.sub(" ", _DAY_FIRST.sub(_year_first, written)))
    return [_iso(date) for date in dates(reading) if _counts(date, latest)]


def _year_first(day: re.Match[str]) -> str:
    year = day[3] if len(day[3]) == 4 else f"20{day[3]}"
    return f"{year}-{day[2]:0>2}-{day[1]:0>2}"


def _of_opening(text: str, latest: int) -> Iterator[str]:
    """Yield the dates that the first lines give to their document, of each line the latest, as that of a revision."""
    lines = [line for line in text.splitlines() if line.strip()][:LINES]
    for number, line in enumerate(lines):
        reading = TokenizedText(line)
        told = (date for date in dates(reading) if _counts(date, latest))
        if of_line := [_iso(date) for date in told if _dates_document(reading, date, is_title=not number)]:
            yield max(of_line)


def _dates_document(reading: TokenizedText, date: Date, *, is_title: bool) -> bool:
    words = reading.words
    sentence = [word for word in words if word.sentence == words[date.first].sentence]
    before = [word.folded for word in sentence if word.start < words[date.first].start]
    is_precise = date.month > 0 or is_title or _WORDS["season"].intersection(before[-_NEAR:])
    is_of_others = _WORDS["of_others"].intersection(before[-_NEAR:])
    if not is_precise or is_of_others or sum(map(_is_word, sentence)) > SHORT:
        return False
    has_no_stop = words[-1].sentence == sentence[-1].sentence
    return has_no_stop or bool(_WORDS["of_itself"].intersection(before)) or _stands_apart(reading, date)


def _stands_apart(reading: TokenizedText, date: Date) -> bool:
    """Whether a date begins its sentence or follows a mark, as in "Ann Lee, May 2024.", not "opened on 3 May 2024."."""
    words, first = reading.words, date.first
    if first and words[first - 1].kind == "word" and not reading.roots[first - 1]:
        first -= 1
    return not first or not _is_word(words[first - 1]) or words[first - 1].sentence < words[first].sentence


def _is_word(word: Word) -> bool:
    return word.kind not in ("mark", "stop")


def _counts(date: Date, latest: int) -> bool:
    return date.year is not None and EARLIEST <= date.year <= latest and date.begin[0] == date.end[0]


def _iso(date: Date) -> str:
    parts = [f"{date.year:04}", *(f"{part:02}" for part in (date.month, date.day) if part)]
    return "-".join(parts)
