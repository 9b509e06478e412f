"""Parses dates of any precision, from a century to a day, into one form, and compares those of claim and span."""

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

WEEKDAYS = _LISTS["weekdays"]
"""The names of the days of the week, in six languages, and their English short forms, folded."""

_ALSO_WORDS = vocabulary("may march mars marco mai mar jan dec sep mei april june august")
"""Names of months with another meaning (a verb, planet or name); they need a day, a year or `in` beside them."""

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
"""Matches a date in folded words, joined by a blank, or by a tab if nothing separates them in the text."""

_STARTS = frozenset(word[:4] for word in (*MONTHS, *_CENTURY, *["quar", "trim", "kwar", "ad", "q1", "q2", "q3", "q4"]))
"""The first four letters of dates that begin with a word, except fiscal years."""

Day = tuple[int, int, int]


class Date(NamedTuple):
    """A date as an inclusive interval of days, `begin` to `end`; both are zeros for a date without a year.

    `month` and `day` are 0 and `year` is None if the text does not give them; years BC are negative.
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


def dates(reading: TokenizedText) -> list[Date]:
    """Return the dates of a text in order, without durations and times of day."""
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
            read = _READERS[str(match.lastgroup)](reading, index, last)
            found += read
            last = max([index, *(date.last for date in read)])
    return found


def _joined(words: Sequence[Word]) -> tuple[str, list[int]]:
    """Return the text that _DATE is matched against, and the offset at which each word begins in it."""
    pieces: list[str] = []
    starts, offset, end = [], -1, 0
    for word in words:
        pieces += ["\t" if word.start == end else " ", "_".join(word.folded.split())]
        starts.append(offset + 1)
        offset, end = offset + 1 + len(pieces[-1]), word.end
    return "".join(pieces[1:]), starts


def _date(reading: TokenizedText, first: int, last: int, year: int | None, month: int = 0, day: int = 0) -> Date:
    begin, end = (0, 0, 0), (0, 0, 0)
    if year is not None:
        begin, end = (year, month or 1, day or 1), (year, month or 12, day or 31)
    return Date(reading.written(first, last), year, month, day, begin, end, reading.near(first, last), first, last)


def _spanning(reading: TokenizedText, first: int, last: int, begin: int, end: int) -> list[Date]:
    date = _date(reading, first, last, begin)
    return [date._replace(end=(end, 12, 31))]


def _year_of(word: Word) -> int | None:
    return int(word.text) if re.fullmatch(_YEAR, word.text) else None


def _numeric(reading: TokenizedText, index: int) -> list[Date]:
    """Read `2020-03-12`, `12.03.2020`, `3/12/2020`, `2020年3月12日`; with slashes the month comes first in English."""
    text = reading.words[index].text
    numbers = [int(piece) for piece in _NUMBERS.findall(text)]
    if len(numbers) < 3:
        return [_date(reading, index, index, numbers[0], *numbers[1:])]
    if numbers[0] > 31:
        year, month, day = numbers
    elif "/" in text:
        first, second, year = numbers
        is_american = (reading.code == "en" and first <= 12) or second > 12
        month, day = (first, second) if is_american else (second, first)
        year = year if year > 99 else 2000 + year if year < 50 else 1900 + year
    else:
        day, month, year = numbers
    if not (0 < month <= 12 and 0 < day <= 31):
        return []
    return [_date(reading, index, index, year, month, day)]


def _fiscal(reading: TokenizedText, first: int, last: int) -> list[Date]:
    year = int(reading.words[first].text.lstrip("FYfy'’"))
    return [_date(reading, first, last, year if year > 99 else 2000 + year)]


def _century(reading: TokenizedText, first: int, last: int) -> list[Date]:
    """Read `19th century`, `nineteenth century`, `XIXe siècle`, `siglo XIX`, with `BC` behind it or without."""
    indexes = [first] if reading.words[first].text.isdecimal() else [first - 1, first + 1]
    for index in indexes:
        number_word = reading.folded(index)
        number = (
            int(number_word) if number_word.isdecimal() else ordinal(number_word, reading.code) or _roman(number_word)
        )
        if 0 < number < 31:
            is_before = re.match(_BC, reading.folded(last)) is not None
            year = -100 * number if is_before else 100 * (number - 1)
            return _spanning(reading, min(index, first), max(index, last), year, year + 100 - (not is_before))
    return []


def _roman(folded: str) -> int:
    match = _ROMAN.fullmatch(folded) if folded else None
    return 10 * len(match[1]) + _ROMAN_DIGITS.get(match[2], 0) if match else 0


def _era(reading: TokenizedText, first: int, last: int) -> list[Date]:
    """Read `44 BC`, `AD 79`."""
    if reading.folded(first) == "ad":
        return [_date(reading, first, last, int(reading.folded(last)))]
    is_before = reading.folded(first + 1) not in ("ad", "ce")
    return [_date(reading, first, last, int(reading.folded(first)) * (-1 if is_before else 1))]


def _day(reading: TokenizedText, first: int, last: int) -> list[Date]:
    """Read `12 March 2020`, `12th of March`, `1º de março de 2020`, `March 12, 2020`, `March 2020`, `in March`."""
    words = reading.words[first : last + 1]
    month = next(MONTHS[word.folded] for word in words if word.folded in MONTHS)
    day = next((int(word.text) for word in words if word.text.isdecimal() and len(word.text) < 3), 0)
    year = _year_of(words[-1])
    if day or year is not None:
        return [_date(reading, first, last, year, month, day)]
    word = words[0]
    if len(word.folded) < 4 and word.folded != "may":
        return []
    is_capitalized = word.text[0].isupper() or reading.code not in ("en", "de")
    is_introduced = reading.folded(first - 1) in _LISTS["on"] and not word.opens
    is_month = is_capitalized and (is_introduced or word.folded not in _ALSO_WORDS)
    return [_date(reading, first, first, None, month)] if is_month else []


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
    """Read a year, a decade after a plural article, or the two years of `2020/21`; not a number with a unit."""
    words, year = reading.words, int(reading.folded(first))
    if reading.folded(first - 1) in ("annees", "anni", "anos", "jaren") and year % 10 == 0:
        return _spanning(reading, first, last, year, year + 9)
    short = reading.folded(first + 2)
    if reading.folded(first + 1) in ("/", "-", "–") and re.fullmatch(r"\d\d", short):
        end = year - year % 100 + int(short) + 100 * (year % 100 == 99)
        if end > year:
            return [_date(reading, first, first, year), _date(reading, first + 2, first + 2, end)]
    behind = words[first + 1 : first + 4]
    is_amount = behind and unit_at([word.text for word in behind], [word.folded for word in behind], False)
    if is_amount or reading.folded(first - 1) in ("$", "€", "£", "¥", "+"):
        return []
    return [_date(reading, first, first, year)]


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
    date = _date(reading, begin, last, year)
    return [date._replace(begin=(year, 3 * number - 2, 1), end=(year, 3 * number, 31))]


_READERS = {
    "fiscal": _fiscal, "century": _century, "worded": _century, "era": _era, "day": _day, "month": _day,
    "decade": _decade, "year": _years, "quarter": _quarter,
}  # fmt: skip


def differing(claim: "Facts", span: "Facts", context: "Facts") -> Iterator[FactMismatch]:
    """Yield the dates of a claim for which the span has neither the same date nor one within it.

    A day or month without a year may take its year from the span or the headings; a bare number, `2020`, may be a year.
    """
    known = {date.year for date in (*span.dates, *context.dates) if date.year is not None}
    numbers = {value for quantity in span.quantities for value in quantity.raw}
    matched = {stated.first for claimed in claim.dates for stated in span.dates if covers(claimed, stated, known)}
    for claimed in claim.dates:
        is_number = not claimed.month and claimed.begin[0] == claimed.end[0] and claimed.year in numbers
        if is_number or any(covers(claimed, stated, known) for stated in span.dates):
            continue
        rivals = [stated for stated in span.dates if stated.first not in matched and _rivals(claimed, stated)]
        best = max(rivals, key=lambda stated: len(claimed.near & stated.near), default=None)
        yield FactMismatch("date", claimed.text, best.text if best else "", opposed=best is not None)


def shared(claim: Sequence[Date], span: Sequence[Date]) -> list[Date]:
    """Return the dates of a claim that the span has with the same year, month and day, in any notation."""
    return [claimed for claimed in claim if any(claimed[1:6] == stated[1:6] for stated in span)]


def covers(claimed: Date, stated: Date, years: Collection[int] = ()) -> bool:
    """Whether a date of the span lies within a date of the claim; `years` are those a date without one may mean."""
    if claimed.year is not None and stated.year is not None:
        return claimed.begin <= stated.begin and stated.end <= claimed.end
    same = claimed.month == stated.month and (not claimed.day or claimed.day == stated.day)
    if claimed.year is None:
        return same
    return same and bool(claimed.month) and claimed.year in years


def _rivals(claimed: Date, stated: Date) -> bool:
    """Whether two dates do not overlap (if both have a year) and have similar context words."""
    have_years = claimed.year is not None and stated.year is not None
    overlap = have_years and claimed.begin <= stated.end and stated.begin <= claimed.end
    return not overlap and aligned(claimed.near, stated.near)
