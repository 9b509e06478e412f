"""The value of a number that is written in digits."""

import re
import sys
import unicodedata

_EXPONENT = re.compile(r"\s?[x×*·⋅]\s?10\^?\{?|\^?[eE](?=[+-]?\d)")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_RAISED = re.compile(r"(\d{1,15})\^\{?([+-]?\d{1,4})\}?")
_LONGEST = 40
_GROUP = 3


def digits(text: str, code: str) -> tuple[float, ...]:
    """Return the values that a number in digits may have, the likelier in a language first.

    `1.000` is one in English; elsewhere it is a thousand, and may be one.
    """
    if len(text) == 1 and not text.isdecimal():
        return (float(unicodedata.numeric(text)),)
    if raised := _RAISED.fullmatch(text):
        return (_power(float(raised[1]), int(raised[2])),)
    mantissa, *power = _EXPONENT.split(text, maxsplit=1)
    factor = 10.0 ** int(power[0].strip("^{}").translate(_SUPERSCRIPTS)) if power else 1.0
    mantissa = mantissa.replace(" ", "").replace("'", "")
    return tuple(value * factor for value in _values(mantissa[:_LONGEST], code))


def _power(base: float, exponent: int) -> float:
    """Return a power; one beyond what a float holds as the largest that it does."""
    try:
        return base**exponent
    except (OverflowError, ZeroDivisionError):
        return sys.float_info.max


def _values(text: str, code: str) -> tuple[float, ...]:
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
    """Return how many digits of a number say something: 3 of `1,230,000`, 2 of `0.05` less its zeros, at least 1."""
    mantissa = _EXPONENT.split(text, maxsplit=1)[0]
    return len(re.sub(r"[^0-9]", "", mantissa.strip("0., '"))) or 1
