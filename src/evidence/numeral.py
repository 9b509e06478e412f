"""Parses numbers: in digits, and written out in seven languages.

text2num parses whole numbers in words. Dozens, halves, fractions and ordinals, which it does not know, are listed in
lexicon.toml; accents, which it needs, are restored in folded words.
"""

import re
import sys
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from .lexicon import table
from .word import RAISED

_TONGUES = ("en", "de", "fr", "es", "it", "pt", "nl")
_TABLES = table("numeral")


def _values(listed: dict[str, str]) -> dict[str, float]:
    return {word: float(value) for value, words in listed.items() for word in words.split()}


_MORE = {code: _values(listed) for code, listed in _TABLES["more"].items()}
_ACCENTED = {
    "de": {"funf": "fünf", "zwolf": "zwölf"},
    "es": {"dieciseis": "dieciséis", "veintidos": "veintidós", "veintitres": "veintitrés", "veintiseis": "veintiséis"},
    "pt": {"milhao": "milhão", "milhoes": "milhões", "bilhao": "bilhão", "bilhoes": "bilhões"},
    "nl": {"tweeen": "tweeën", "drieen": "drieën"},
}
_LONGEST = 12
"""Most words of a number."""

SCALES = _values(_TABLES["scales"])
"""Folded words and signs that multiply the number before them; of `billion`, see `scale`."""

_LONG_SCALE = frozenset({"de", "fr", "es", "it", "nl"})
_FRACTION_OF = {
    code: {word: 1 / part for word, part in _values(listed).items()} for code, listed in _TABLES["parts"].items()
}
MULTIPLES = _values(_TABLES["multiples"])
_AND_A_HALF = frozenset(
    {("and", "a", "half"), ("et", "demi"), ("et", "demie"), ("y", "medio"), ("y", "media"), ("e", "mezzo")}
)
_ORDINAL_OF = {
    code: {word: n for n, word in enumerate(listed.split(), 1)} for code, listed in _TABLES["ordinals"].items()
}
_NO_NUMBER = frozenset(
    {"hundred", "hundreds", "thousand", "thousands"} | {word for word in SCALES if SCALES[word] >= 1e5}
)
"""Words that are not a number by themselves."""

_EXPONENT = re.compile(r"\s?[x×*·⋅]\s?10\^?\{?|\^?[eE](?=[+-]?\d)")
_RAISED = re.compile(r"(\d{1,15})\^\{?([+-]?\d{1,4})\}?")
_MOST_DIGITS = 40
_LARGEST = 1e250
_GROUP = 3

_STARTERS = {code: frozenset({*_MORE[code], *_FRACTION_OF[code], *_ORDINAL_OF[code], *MULTIPLES}) for code in _TONGUES}


def may_begin(folded: str, code: str) -> bool:
    """Whether a number in words may begin with a word; a cheap test."""
    head = folded.partition("-")[0]
    return head in _STARTERS[code] or ordinal(head, code) is not None or _whole(head, code) is not None


def scale(folded: str, code: str) -> float | None:
    """Return the factor of a scale word, None for others; a German or French `billion` is 10^12."""
    if folded in ("billion", "billions", "billones") and code in _LONG_SCALE:
        return 1e12
    return SCALES.get(folded)


def cardinal(folded: str, code: str) -> float | None:
    """Return the value of a number word, None for other words: `three`, `twenty-one`, `dreihundertfünfzig`."""
    return None if folded in _NO_NUMBER else _whole(folded, code)


@lru_cache(maxsize=8192)
def _whole(words: str, code: str) -> float | None:
    """Return the number that all the words form together, None if they form none."""
    if words in _MORE[code] or words in _ORDINAL_OF[code]:
        return _MORE[code].get(words)
    from text_to_num import text2num

    for plain, written in _ACCENTED.get(code, {}).items():
        words = words.replace(plain, written)
    try:
        return float(text2num(words, code))
    except ValueError:
        return None


def ordinal(folded: str, code: str) -> int | None:
    """Return the rank of an ordinal word, None for other words."""
    known = _ORDINAL_OF[code]
    if code == "de" and folded not in known:
        folded = folded.rstrip("nrsm")
    return known.get(folded)


def fraction(folded: str, code: str) -> float | None:
    """Return the value of a fraction word, None for other words: `half`, `Drittel`."""
    return _FRACTION_OF[code].get(folded)


def read(folded: Sequence[str], code: str) -> tuple[float, int] | None:
    """Parse the number that a text begins with, and return it with its number of words; None without a number.

    `two hundred and fifty thousand` is one number; a lone `hundred` or `million` is none.
    """
    if not folded or cardinal(folded[0], code) is None:
        return None
    value, taken = 0.0, 0
    for size in range(min(len(folded), _LONGEST), 0, -1):
        if (number := _whole(" ".join(folded[:size]), code)) is not None:
            value, taken = number, size
            break
    while taken < len(folded):
        half = next((size for size in (3, 2) if tuple(folded[taken : taken + size]) in _AND_A_HALF), 0)
        factor = scale(folded[taken], code)
        if half:
            value, taken = value + 0.5, taken + half
        elif factor:
            value, taken = value * factor, taken + 1
        else:
            break
    return value, taken


def digits(text: str, code: str) -> tuple[float, ...]:
    """Return the possible values of a number in digits, the most likely in a language first.

    `1.000` is one in English; in other languages it is a thousand, or less likely one.
    """
    if len(text) == 1 and not text.isdecimal():
        return (float(unicodedata.numeric(text)),)
    if raised := _RAISED.fullmatch(text):
        return (_bounded(_power(float(raised[1]), int(raised[2]))),)
    mantissa, *power = _EXPONENT.split(text, maxsplit=1)
    factor = _power(10.0, int(power[0].strip("^{}").translate(RAISED)[:_MOST_DIGITS])) if power else 1.0
    mantissa = mantissa.replace(" ", "").replace("'", "")
    return tuple(_bounded(value * factor) for value in _decimals(mantissa[:_MOST_DIGITS], code))


def _bounded(value: float) -> float:
    """Return a number clipped to a range in which it can be multiplied by any scale."""
    return max(-_LARGEST, min(_LARGEST, value))


def _power(base: float, exponent: int) -> float:
    """Return a power, or the largest float on overflow."""
    try:
        return base**exponent
    except (OverflowError, ZeroDivisionError):
        return sys.float_info.max


def _decimals(text: str, code: str) -> tuple[float, ...]:
    marks = [char for char in text if char in ",."]
    if not marks:
        return (float(text),)
    before, _, after = text.rpartition(marks[-1])
    whole = float(text.replace(",", "").replace(".", ""))
    decimal = float(f"{before.replace(',', '').replace('.', '') or '0'}.{after or '0'}")
    if len(marks) > 1:
        return (whole,) if len(set(marks)) == 1 else (decimal,)
    if len(after) != _GROUP or not 0 < len(before) <= _GROUP or before == "0":
        return (decimal,)
    if code == "en":
        return (whole,) if marks[-1] == "," else (decimal,)
    return (whole, decimal) if marks[-1] == "." else (decimal, whole)


def precision(text: str) -> int:
    """Return the number of significant digits, at least 1: 3 for `1,230,000`, 1 for `0.05`."""
    mantissa = _EXPONENT.split(text, maxsplit=1)[0]
    return len(re.sub(r"[^0-9]", "", mantissa.strip("0., '"))) or 1
