"""Dates of any precision, from a century to a day, in one form whatever they are written like."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from .lexicon import lexicon, vocabulary
from .mismatch import FactMismatch
from .month import ALSO_WORDS, MONTHS
from .numeral import ordinal
from .unit import unit_at
from .word import TokenizedText, Word, aligned

_LISTS = lexicon("date")

_CENTURY = _LISTS["century"]
_QUARTER = frozenset({"quarter", "quartal", "trimestre", "kwartaal"})
_STARTERS = frozenset({*MONTHS, *_CENTURY, *_QUARTER, "q1", "q2", "q3", "q4"})
_BEFORE_CHRIST = frozenset({"bc", "bce", "v.chr", "av.j.-c", "a.c", "b.c", "b.c.e"})
_ON = _LISTS["on"]
_BETWEEN = vocabulary("of de del di den do the des , . º")
_ROMAN = re.compile(r"(x{0,2})(ix|iv|v?i{0,3})(?:e|eme|o)?")
_ROMAN_DIGITS = {"": 0, "i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9}
_NUMBERS = re.compile(r"\d+")
_FISCAL = re.compile(r"fy'?(\d\d(?:\d\d)?)")
_DECADE_ENDS = frozenset({"s", "'s", "er", "ern"})
_FIRST_YEAR, _LAST_YEAR = 1000, 2199

Day = tuple[int, int, int]


class Date(NamedTuple):
    """A date as the days that it spans, `begin` to `end` both included; a day of any year has none.

    `month` and `day` are 0 where the text does not say them, `year` is None; years before Christ are negative.
    """

    text: str
    year: int | None
    month: int
    day: int
    begin: Day
    end: Day
    near: frozenset[str]
    first: int
    last: int

    @property
    def precision(self) -> int:
        """How much of it is said: days apart of its ends, roughly."""
        if self.year is None:
            return 0 if self.day else 30
        return (self.end[0] - self.begin[0]) * 365 + (self.end[1] - self.begin[1]) * 30 + self.end[2] - self.begin[2]


def dates(reading: TokenizedText) -> list[Date]:
    """Return the dates of a text in order; durations and times of day are none."""
    found: list[Date] = []
    last = -1
    for index, word in enumerate(reading.words):
        starts = word.kind in ("number", "day") or word.folded in _STARTERS or _FISCAL.fullmatch(word.folded)
        if index <= last or not starts:
            continue
        ones = _at(reading, index)
        found += ones
        last = max([index, *(one.last for one in ones)])
    return found


def _at(reading: TokenizedText, index: int) -> list[Date]:
    word = reading.words[index]
    if word.kind == "day":
        return _numeric(reading, index)
    if word.kind == "number":
        return _of_number(reading, index)
    one = _of_word(reading, index)
    return [one] if one else []


def _made(reading: TokenizedText, first: int, last: int, year: int | None, month: int = 0, day: int = 0) -> Date:
    begin, end = (0, 0, 0), (0, 0, 0)
    if year is not None:
        begin = (year, month or 1, day or 1)
        end = (year, month or 12, day or 31)
    return _spanning(reading, first, last, year, month, day, begin, end)


def _spanning(
    reading: TokenizedText, first: int, last: int, year: int | None, month: int, day: int, begin: Day, end: Day
) -> Date:
    return Date(reading.written(first, last), year, month, day, begin, end, reading.near(first, last), first, last)


def _numeric(reading: TokenizedText, index: int) -> list[Date]:
    """Read `2020-03-12`, `12.03.2020`, `3/12/2020`, `2020年3月12日`; with slashes the month comes first in English."""
    text = reading.words[index].text
    numbers = [int(piece) for piece in _NUMBERS.findall(text)]
    if len(numbers) < 3:
        return [_made(reading, index, index, numbers[0], *numbers[1:])]
    if numbers[0] > 31:
        year, month, day = numbers
    elif "/" in text:
        one, two, year = numbers
        is_american = (reading.code == "en" and one <= 12) or two > 12
        month, day = (one, two) if is_american else (two, one)
        year = year if year > 99 else 2000 + year if year < 50 else 1900 + year
    else:
        day, month, year = numbers
    if not (0 < month <= 12 and 0 < day <= 31):
        return []
    return [_made(reading, index, index, year, month, day)]


def _year(word: Word) -> int | None:
    if word.kind == "number" and len(word.text) == 4 and word.text.isdecimal():
        value = int(word.text)
        return value if _FIRST_YEAR <= value <= _LAST_YEAR else None
    return None


def _of_number(reading: TokenizedText, index: int) -> list[Date]:
    words, word = reading.words, reading.words[index]
    if not word.text.isdecimal() or len(word.text) > 4:
        return []
    if (found := _century(reading, index) or _before_christ(reading, index) or _day_first(reading, index)) is not None:
        return [found]
    year = _year(word)
    if year is None:
        return _short_decade(reading, index)
    after = words[index + 1] if index + 1 < len(words) else None
    if after is not None and after.folded in _DECADE_ENDS and after.start - word.end <= 1 and year % 10 == 0:
        last = year + (99 if year % 100 == 0 and year < 2000 else 9)
        return [_spanning(reading, index, index + 1, year, 0, 0, (year, 1, 1), (last, 12, 31))]
    if reading.folded(index - 1) in ("annees", "anni", "anos", "jaren") and year % 10 == 0:
        return [_spanning(reading, index, index, year, 0, 0, (year, 1, 1), (year + 9, 12, 31))]
    return _years(reading, index, year)


def _years(reading: TokenizedText, index: int, year: int) -> list[Date]:
    """Return a year, or the two of `2020/21` and `1914–18`; none where a unit says that it is an amount."""
    words = reading.words
    if index + 2 < len(words) and words[index + 1].text in ("/", "-", "–") and words[index + 2].kind == "number":
        other = words[index + 2]
        short = len(other.text) == 2 and other.text.isdecimal() and int(other.text) == (year + 1) % 100
        ranged = len(other.text) == 2 and other.text.isdecimal() and int(other.text) > year % 100
        if short or ranged:
            one = _made(reading, index, index, year)
            return [
                one,
                _made(reading, index + 2, index + 2, year - year % 100 + int(other.text) + 100 * (year % 100 == 99)),
            ]
    behind = words[index + 1 : index + 4]
    if behind and unit_at([one.text for one in behind], [one.folded for one in behind], False):
        return []
    if index and words[index - 1].text in ("$", "€", "£", "¥", "+"):
        return []
    return [_made(reading, index, index, year)]


def _short_decade(reading: TokenizedText, index: int) -> list[Date]:
    """Read `'90s`, `the 80s`."""
    word, after = reading.words[index], reading.folded(index + 1)
    if after == "s" and len(word.text) == 2 and word.text[1] == "0" and reading.words[index + 1].start == word.end:
        if reading.folded(index - 1) in ("his", "her", "their", "its", "the low", "low", "mid-", "high"):
            return []
        year = (1900 if word.text >= "20" else 2000) + int(word.text)
        return [_spanning(reading, index, index + 1, year, 0, 0, (year, 1, 1), (year + 9, 12, 31))]
    return []


def _century(reading: TokenizedText, index: int) -> Date | None:
    """Read `19th century`, `19. Jahrhundert`; `index` is at the number."""
    for last in range(index + 1, min(index + 4, len(reading.words))):
        if reading.words[last].folded.split("-")[0] in _CENTURY:
            return _made_century(reading, index, last, int(reading.words[index].text))
        if reading.words[last].folded not in ("th", "st", "nd", "rd", ".", "-", "e", "eme", "º", "o"):
            return None
    return None


def _made_century(reading: TokenizedText, first: int, last: int, number: int) -> Date | None:
    if not 0 < number < 31:
        return None
    sign = reading.folded(last + 1) in _BEFORE_CHRIST
    year = -100 * number if sign else 100 * (number - 1)
    return _spanning(reading, first, last + sign, year, 0, 0, (year, 1, 1), (year + 100 - (not sign), 12, 31))


def _before_christ(reading: TokenizedText, index: int) -> Date | None:
    after, more = reading.folded(index + 1), reading.folded(index + 2)
    joined = f"{after}{more}{reading.folded(index + 3)}"
    number = int(reading.words[index].text)
    if after in _BEFORE_CHRIST:
        return _made(reading, index, index + 1, -number)
    if joined.startswith(("v.chr", "av.j")):
        return _made(reading, index, index + 3, -number)
    if after in ("ad", "ce") or reading.folded(index - 1) == "ad":
        return _made(reading, index, index + (after in ("ad", "ce")), number)
    return None


def _day_first(reading: TokenizedText, index: int) -> Date | None:
    """Read `12 March 2020`, `12th of March`, `12. März 2020`, `1º de março de 2020`."""
    day = int(reading.words[index].text)
    if not 0 < day <= 31:
        return None
    at = index + 1
    while at < min(index + 4, len(reading.words)) and reading.folded(at) in (
        "th",
        "st",
        "nd",
        "rd",
        "er",
        ".",
        "of",
        "de",
        "º",
    ):
        at += 1
    month = MONTHS.get(reading.folded(at))
    if month is None:
        return None
    year, last = _year_behind(reading, at)
    return _made(reading, index, last, year, month, day)


def _year_behind(reading: TokenizedText, at: int) -> tuple[int | None, int]:
    """Return the year that follows the word at an index, with `of`, `de`, a comma or a full stop between."""
    for last in range(at + 1, min(at + 4, len(reading.words))):
        year = _year(reading.words[last])
        if year is not None:
            return year, last
        if reading.folded(last) not in _BETWEEN:
            break
    return None, at


def _of_word(reading: TokenizedText, index: int) -> Date | None:
    word = reading.words[index]
    if fiscal := _FISCAL.fullmatch(word.folded):
        year = int(fiscal[1])
        return _made(reading, index, index, year if year > 99 else 2000 + year)
    if word.folded in MONTHS:
        return _month_first(reading, index)
    if word.folded in _CENTURY:
        return _worded_century(reading, index)
    if word.folded in _QUARTER or word.text in ("Q1", "Q2", "Q3", "Q4"):
        return _quarter(reading, index)
    return None


def _month_first(reading: TokenizedText, index: int) -> Date | None:
    """Read `March 12, 2020`, `March 2020`, `in March`."""
    words, word = reading.words, reading.words[index]
    month, at, day = MONTHS[word.folded], index, 0
    if reading.folded(at + 1) == "." and len(word.folded) < 5:
        at += 1
    following = words[at + 1] if at + 1 < len(words) else None
    if (
        following is not None
        and following.kind == "number"
        and following.text.isdecimal()
        and 0 < int(following.text) <= 31
    ):
        day, at = int(following.text), at + 1
        if reading.folded(at + 1) in ("th", "st", "nd", "rd"):
            at += 1
    year, last = _year_behind(reading, at)
    if day or year is not None:
        return _made(reading, index, last, year, month, day)
    if len(word.folded) < 4 and word.folded != "may":
        return None
    titled = word.text[0].isupper() or reading.code not in ("en", "de")
    introduced = reading.folded(index - 1) in _ON and not word.opens
    if titled and (introduced or word.folded not in ALSO_WORDS):
        return _made(reading, index, index, None, month)
    return None


def _worded_century(reading: TokenizedText, index: int) -> Date | None:
    """Read `nineteenth century`, `XIXe siècle`, `siglo XIX`, `XIX secolo`."""
    for place in (index - 1, index + 1):
        near = reading.folded(place)
        number = ordinal(near, reading.code) or _roman(near)
        if number:
            return _made_century(reading, min(place, index), max(place, index), number)
    return None


def _roman(folded: str) -> int:
    match = _ROMAN.fullmatch(folded) if folded else None
    return 10 * len(match[1]) + _ROMAN_DIGITS.get(match[2], 0) if match else 0


def _quarter(reading: TokenizedText, index: int) -> Date | None:
    """Read `Q1 2020`, `first quarter of 2020`, `2. Quartal 2020`."""
    text = reading.words[index].text
    before = reading.folded(index - 1)
    number = int(text[1]) if text[0] == "Q" and text[1:].isdecimal() else ordinal(before, reading.code)
    first = index if text[1:].isdecimal() else index - 1
    if number is None and before in (".", "rd", "nd", "st", "th") and reading.folded(index - 2).isdecimal():
        number, first = int(reading.folded(index - 2)), index - 2
    year, last = _year_behind(reading, index)
    if year is None or number is None or not 0 < number < 5:
        return None
    begin, end = (year, 3 * number - 2, 1), (year, 3 * number, 31)
    return _spanning(reading, first, last, year, 0, 0, begin, end)


def differing(
    claim: Sequence[Date], span: Sequence[Date], years: Collection[int], numbers: Collection[float]
) -> Iterator[FactMismatch]:
    """Yield the dates of a claim that the span does not say: neither them nor a day within them.

    `years` are those that the heading of the passage names; they complete a day or month that lacks one. `numbers` are
    bare ones of the span: `2020` may be either.
    """
    known = {date.year for date in span if date.year is not None} | set(years)
    matched = {other.first for one in claim for other in span if _covers(one, other, known)}
    for one in claim:
        if any(_covers(one, other, known) for other in span):
            continue
        if one.year is not None and not one.month and float(one.year) in numbers and one.begin[0] == one.end[0]:
            continue
        rivals = [other for other in span if other.first not in matched and _rivals(one, other)]
        if rivals:
            best = max(rivals, key=lambda other: len(one.near & other.near))
            yield FactMismatch("date", one.text, best.text, True)
        else:
            yield FactMismatch("date", one.text)


def said(claim: Sequence[Date], span: Sequence[Date]) -> list[Date]:
    """Return the dates of a claim that are, to the same day, month or year, in the span, however they are written."""
    return [one for one in claim if any(one[1:6] == other[1:6] for other in span)]


def _covers(one: Date, other: Date, years: Collection[int]) -> bool:
    """Say whether a date of the span lies within that of the claim."""
    if one.year is not None and other.year is not None:
        return one.begin <= other.begin and other.end <= one.end
    same = one.month == other.month and (not one.day or one.day == other.day)
    if one.year is None:
        return same
    return same and bool(one.month) and one.year in years


def _rivals(one: Date, other: Date) -> bool:
    """Say whether two dates are of about one precision, exclude each other and stand in the same place."""
    if one.year is not None and other.year is not None and one.begin <= other.end and other.begin <= one.end:
        return False
    return aligned(one.near, other.near)
