"""Days of the year that a text names, in any notation: “3 March”, “Tue 3 Mar”, “3.3.”, “2026-03-03”, “24/25 Aug”."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import lru_cache
from itertools import pairwise

from ..evidence.date import MONTHS, WEEKDAYS
from ..kernel.term import fold

Day = tuple[int, int]
"""A month and a day."""

_MONTH = rf"(?P<month>{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b"
_TH = r"(?:st|nd|rd|th|er|\.|º)?"
_JOINT = r"\s?(?:[-–/,&+]|to|and|or|bis|auf den|und|oder|al?|y|o|au|et|e|tot|en)\s?"
_DAY = re.compile(
    rf"(?<![\d.,:])(?P<days>\d{{1,2}}{_TH}(?:{_JOINT}\d{{1,2}}{_TH}){{0,3}})\s?(?:of |de )?{_MONTH}"
    rf"|\b{_MONTH.replace('month', 'before')}\.? (?P<after>\d{{1,2}}(?:{_JOINT}\d{{1,2}})?)(?:st|nd|rd|th)?(?![\d.:])"
    r"|(?<![\d-])\d{4}-(?P<iso>\d\d-\d\d)(?!\d)"
    r"|(?<![\d.,:])(?:(?P<from>\d{1,2})\.(?:(?P<of>\d{1,2})\.)?\s?[-–]\s?)?(?P<dotted>\d{1,2}\.\d{1,2})\."
    r"|(?<![\d/])(?P<slashed>\d{1,2}/\d{1,2})(?:/\d{2,4})?(?![\d/])"
)
_RANGE = re.compile(r"[\s.]*(?:\d{4}[\s.]*)?(?:[-–]|(?:to|until|till|bis|al?|hasta|au|tot)\b)(?:[\s.]*(?:\w+[\s.]+)?)")
"""What may stand between the two ends of a range."""

_BETWEEN = re.compile(r"\b(?:between|zwischen|entre|tra|tussen)\b[\w\s.]{0,20}\Z")
_AND = re.compile(r"[\s.]*(?:\d{4}[\s.]*)?(?:and|und|et|y|e|en)\b[\s.]*(?:\w+[\s.]+)?")
_OPEN = re.compile(
    r"\b(?:from|until|till|by|before|after|since|between|through|ab|bis|vor|nach|seit|zwischen|desde|hasta|antes|despues|"
    r"partir|entre|depuis|jusqu|avant|apres|dal?|fino|entro|dopo|prima|tra|ate|tot|vanaf|voor|na|sinds|tussen)\b[\w\s.]{0,12}\Z"
)
"""Words before a day that name a time around it: “until 31 October”."""

_WORD = re.compile(r"[^\W\d_]+")
_GAP = re.compile(r"(?P<space>,?[ ]{1,3})(?:(?:the|den|dem|el|le|il|de) )?")
"""What may stand between a weekday and its day."""

_LONGEST_DAY = 40  # characters
_LEAP_YEAR, _LONGEST = 2024, 183  # days of a range; a longer one is none


@lru_cache(maxsize=4_000)
def days(text: str) -> frozenset[Day]:
    """Return the days that a text names, and those between the ends of a range; of “3/4” both readings."""
    folded = fold(text)
    found = list(_DAY.finditer(folded))
    named = {day for match in found for day in _named(match)}
    for one, other in pairwise(found):
        is_between = _BETWEEN.search(folded[max(0, one.start() - 40) : one.start()]) is not None
        if (_AND if is_between else _RANGE).fullmatch(folded, one.end(), other.start()):
            named |= {*_between(_named(one)[-1:], _named(other)[:1])}
    return frozenset(named)


def without_weekdays(text: str) -> str:
    """Return a text without the weekday that stands before a day: beside that day, a rota may write it shorter."""
    needless = []
    for word in _WORD.finditer(text):
        if fold(word[0]) in WEEKDAYS and (gap := _GAP.match(text, word.end())):
            day = _DAY.match(fold(text[gap.end() : gap.end() + _LONGEST_DAY]))
            if day and not day["slashed"]:
                needless.append((word.start(), gap.end("space")))
    for start, end in reversed(needless):
        text = text[:start] + text[end:]
    return text


def is_open(text: str) -> bool:
    """Return whether a text may mean a time before, after or between the days that it names."""
    folded = fold(text)
    before = (folded[max(0, match.start() - 24) : match.start()] for match in _DAY.finditer(folded))
    return any(map(_OPEN.search, before))


def _named(match: re.Match[str]) -> list[Day]:
    """Return the days of one place in a text, in order."""
    numbers = [int(number) for number in re.findall(r"\d+", match[0])]
    if month := match["month"] or match["before"]:
        of_month = [int(number) for number in re.findall(r"\d+", match["days"] or match["after"])]
        pairs = [(MONTHS[month], number) for number in of_month]
        is_range = len(pairs) == 2 and re.search(r"[-–]|to|bis|a|tot", match["days"] or match["after"]) is not None
    elif match["iso"]:
        pairs, is_range = [(numbers[1], numbers[2])], False
    elif match["dotted"]:
        last, of_last = numbers[-2:]
        first = [(int(match["of"] or of_last), int(match["from"]))] if match["from"] else []
        pairs, is_range = [*first, (of_last, last)], bool(first)
    else:
        pairs, is_range = [(numbers[1], numbers[0]), (numbers[0], numbers[1])], False
    valid = [pair for pair in pairs if _is_day(pair)]
    return [*_between(valid[:1], valid[1:])] if is_range and len(valid) == 2 else valid


def _is_day(pair: Day) -> bool:
    try:
        date(_LEAP_YEAR, *pair)
    except ValueError:
        return False
    return True


def _between(first: list[Day], last: list[Day]) -> Iterator[Day]:
    """Yield the days from one to another, perhaps in the next year; if there are too many, only these two."""
    ends = [date(_LEAP_YEAR, *pair) for pair in (*first, *last)]
    number = (ends[-1] - ends[0]).days % 366
    if number < _LONGEST:
        ends = [ends[0] + timedelta(one) for one in range(number + 1)]
    yield from ((day.month, day.day) for day in ends)
