"""Dates of any precision, from a century to a day, in one form whatever they are written like."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .lexicon import lexicon, table, vocabulary
from .numeral import ordinal
from .reason import FactMismatch
from .unit import unit_at
from .word import TokenizedText, Word, aligned

if TYPE_CHECKING:
    from .facts import Facts

_LISTS = lexicon("date")

MONTHS: dict[str, int] = {
    name: number for listed in table("month").values() for number, name in enumerate(listed.split(), 1)
} | {"sept": 9, "janner": 1, "okt": 10, "dez": 12}
"""The names of the months, in seven languages, folded."""

_ALSO_WORDS = vocabulary("may march mars marco mai mar jan dec sep mei april june august")
"""Months that are a verb, a planet, a name or a common word too, so a day, a year or `in` must stand beside them."""

_CENTURY = _LISTS["century"]
_ROMAN = re.compile(r"(x{0,2})(ix|iv|v?i{0,3})(?:e|eme|o)?")
_ROMAN_DIGITS = {"": 0, "i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9}
_NUMBERS = re.compile(r"\d+")

_BC = r"(?:bce?|b\.c|b\.c\.e|a\.c|v\.chr|av\.j\.-c|v[ \t]\.[ \t]chr|av[ \t]\.[ \t]j[^ \t]*)"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])(?![^ \t])"
_YEAR = r"(?:1\d|2[01])\d\d"
_MONTH = rf"(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})(?![^ \t])"
_OF_YEAR = rf"(?:(?:[ \t](?:of|del?|di|den|do|the|des|[,.º])){{0,2}}[ \t]{_YEAR}(?![^ \t]))?"
_DATE = re.compile(
    rf"""(?:
     (?P<fiscal>fy'?\d\d(?:\d\d)?)
    |(?P<century>\d\d?(?:[ \t](?:th|st|nd|rd|e|eme|o|[.º-])){{0,2}}[ \t](?:{"|".join(_CENTURY)})(?:-[^ \t]*)?
        (?:[ \t]{_BC})?)
    |(?P<era>\d{{1,4}}[ \t](?:{_BC}|ad|ce)|ad[ \t]\d{{1,4}})
    |(?P<day>{_DAY}(?:[ \t](?:th|st|nd|rd|er|of|de|[.º])){{0,3}}[ \t]{_MONTH}{_OF_YEAR})
    |(?P<month>{_MONTH}(?:(?<![^ \t]{{5}})[ \t]\.)?(?:[ \t]{_DAY}(?:[ \t](?:th|st|nd|rd))?)?{_OF_YEAR})
    |(?P<decade>(?:1\d|2[01])\d0[ \t](?:s|er|ern)|\d0\ts)
    |(?P<year>{_YEAR})
    |(?P<worded>(?:{"|".join(_CENTURY)})(?:[ \t]{_BC})?)
    |(?P<quarter>(?:q[1-4]|quarter|quartal|trimestre|kwartaal){_OF_YEAR})
    )(?![^ \t])""",
    re.VERBOSE,
)
"""A date in the folded words of a text, a blank between them, a tab where none stands in the text."""

_STARTS = frozenset(word[:4] for word in (*MONTHS, *_CENTURY, *["quar", "trim", "kwar", "ad", "q1", "q2", "q3", "q4"]))
"""How a date that does not begin with a number begins, a fiscal year apart."""

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
    text, starts = _joined(reading.words)
    last = -1
    for index, word in enumerate(reading.words):
        begins = word.kind in ("number", "day") or word.folded[:4] in _STARTS or word.folded[:2] == "fy"
        if index <= last or not begins:
            continue
        if word.kind == "day":
            found += _numeric(reading, index)
        elif match := _DATE.match(text, starts[index]):
            last = index + sum(map(match[0].count, " \t"))
            made = _READ[str(match.lastgroup)](reading, index, last)
            found += made
            last = max([index, *(one.last for one in made)])
    return found


def _joined(words: Sequence[Word]) -> tuple[str, list[int]]:
    """Return the text that _DATE is looked for in, and where each word begins in it."""
    pieces: list[str] = []
    starts, place, end = [], -1, 0
    for word in words:
        pieces += ["\t" if word.start == end else " ", "_".join(word.folded.split())]
        starts.append(place + 1)
        place, end = place + 1 + len(pieces[-1]), word.end
    return "".join(pieces[1:]), starts


def _made(reading: TokenizedText, first: int, last: int, year: int | None, month: int = 0, day: int = 0) -> Date:
    begin, end = (0, 0, 0), (0, 0, 0)
    if year is not None:
        begin, end = (year, month or 1, day or 1), (year, month or 12, day or 31)
    return Date(reading.written(first, last), year, month, day, begin, end, reading.near(first, last), first, last)


def _spanning(reading: TokenizedText, first: int, last: int, begin: int, end: int) -> list[Date]:
    found = _made(reading, first, last, begin)
    return [found._replace(end=(end, 12, 31))]


def _year_of(word: Word) -> int | None:
    return int(word.text) if re.fullmatch(_YEAR, word.text) else None


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


def _fiscal(reading: TokenizedText, first: int, last: int) -> list[Date]:
    year = int(reading.words[first].text.lstrip("FYfy'’"))
    return [_made(reading, first, last, year if year > 99 else 2000 + year)]


def _century(reading: TokenizedText, first: int, last: int) -> list[Date]:
    """Read `19th century`, `nineteenth century`, `XIXe siècle`, `siglo XIX`, with `BC` behind it or without."""
    places = [first] if reading.words[first].text.isdecimal() else [first - 1, first + 1]
    for place in places:
        near = reading.folded(place)
        number = int(near) if near.isdecimal() else ordinal(near, reading.code) or _roman(near)
        if 0 < number < 31:
            is_before = re.match(_BC, reading.folded(last)) is not None
            year = -100 * number if is_before else 100 * (number - 1)
            return _spanning(reading, min(place, first), max(place, last), year, year + 100 - (not is_before))
    return []


def _roman(folded: str) -> int:
    match = _ROMAN.fullmatch(folded) if folded else None
    return 10 * len(match[1]) + _ROMAN_DIGITS.get(match[2], 0) if match else 0


def _era(reading: TokenizedText, first: int, last: int) -> list[Date]:
    """Read `44 BC`, `AD 79`."""
    if reading.folded(first) == "ad":
        return [_made(reading, first, last, int(reading.folded(last)))]
    is_before = reading.folded(first + 1) not in ("ad", "ce")
    return [_made(reading, first, last, int(reading.folded(first)) * (-1 if is_before else 1))]


def _day(reading: TokenizedText, first: int, last: int) -> list[Date]:
    """Read `12 March 2020`, `12th of March`, `1º de março de 2020`, `March 12, 2020`, `March 2020`, `in March`."""
    words = reading.words[first : last + 1]
    month = next(MONTHS[word.folded] for word in words if word.folded in MONTHS)
    day = next((int(word.text) for word in words if word.text.isdecimal() and len(word.text) < 3), 0)
    year = _year_of(words[-1])
    if day or year is not None:
        return [_made(reading, first, last, year, month, day)]
    word = words[0]
    if len(word.folded) < 4 and word.folded != "may":
        return []
    titled = word.text[0].isupper() or reading.code not in ("en", "de")
    introduced = reading.folded(first - 1) in _LISTS["on"] and not word.opens
    return (
        [_made(reading, first, first, None, month)] if titled and (introduced or word.folded not in _ALSO_WORDS) else []
    )


def _decade(reading: TokenizedText, first: int, last: int) -> list[Date]:
    """Read `the 1990s`, `die 1990er`, `'90s`."""
    text = reading.folded(first)
    if len(text) == 2:
        if reading.folded(first - 1) in ("his", "her", "their", "its", "low", "mid-", "high"):
            return []
        text = ("19" if text >= "20" else "20") + text
    year = int(text)
    return _spanning(reading, first, last, year, year + (99 if year % 100 == 0 and year < 2000 else 9))


def _years(reading: TokenizedText, first: int, last: int) -> list[Date]:
    """Return a year, or the two of `2020/21` and `1914–18`; none where a unit says that it is an amount."""
    words, year = reading.words, int(reading.folded(first))
    if reading.folded(first - 1) in ("annees", "anni", "anos", "jaren") and year % 10 == 0:
        return _spanning(reading, first, last, year, year + 9)
    short = reading.folded(first + 2)
    if reading.folded(first + 1) in ("/", "-", "–") and re.fullmatch(r"\d\d", short):
        end = year - year % 100 + int(short) + 100 * (year % 100 == 99)
        if end > year:
            return [_made(reading, first, first, year), _made(reading, first + 2, first + 2, end)]
    behind = words[first + 1 : first + 4]
    is_amount = behind and unit_at([one.text for one in behind], [one.folded for one in behind], False)
    if is_amount or reading.folded(first - 1) in ("$", "€", "£", "¥", "+"):
        return []
    return [_made(reading, first, first, year)]


def _quarter(reading: TokenizedText, first: int, last: int) -> list[Date]:
    """Read `Q1 2020`, `first quarter of 2020`, `2. Quartal 2020`."""
    begin, text, before = first, reading.words[first].text, reading.folded(first - 1)
    if text[1:].isdecimal():
        number = int(text[1:]) if text[0] == "Q" else None
    elif before in (".", "rd", "nd", "st", "th") and reading.folded(first - 2).isdecimal():
        number, begin = int(reading.folded(first - 2)), first - 2
    else:
        number, begin = ordinal(before, reading.code), first - 1
    year = _year_of(reading.words[last])
    if year is None or number is None or not 0 < number < 5:
        return []
    found = _made(reading, begin, last, year)
    return [found._replace(begin=(year, 3 * number - 2, 1), end=(year, 3 * number, 31))]


_READ = {
    "fiscal": _fiscal, "century": _century, "worded": _century, "era": _era, "day": _day, "month": _day,
    "decade": _decade, "year": _years, "quarter": _quarter,
}  # fmt: skip


def differing(claim: "Facts", span: "Facts", context: "Facts") -> Iterator[FactMismatch]:
    """Yield the dates of a claim that the span does not say: neither them nor a day within them.

    The years of its heading complete a day or month that lacks one; a bare number, `2020`, may be a year.
    """
    known = {date.year for date in (*span.dates, *context.dates) if date.year is not None}
    numbers = {value for one in span.quantities for value in one.raw}
    matched = {other.first for one in claim.dates for other in span.dates if covers(one, other, known)}
    for one in claim.dates:
        if any(covers(one, other, known) for other in span.dates):
            continue
        if one.year is not None and not one.month and one.year in numbers and one.begin[0] == one.end[0]:
            continue
        rivals = [other for other in span.dates if other.first not in matched and _rivals(one, other)]
        if rivals:
            best = max(rivals, key=lambda other: len(one.near & other.near))
            yield FactMismatch("date", one.text, best.text, True)
        else:
            yield FactMismatch("date", one.text)


def said(claim: Sequence[Date], span: Sequence[Date]) -> list[Date]:
    """Return the dates of a claim that are, to the same day, month or year, in the span, however they are written."""
    return [one for one in claim if any(one[1:6] == other[1:6] for other in span)]


def covers(one: Date, other: Date, years: Collection[int] = ()) -> bool:
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
