"""Parses numbers with their units into one form."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .lexicon import NEGATORS, labels, vocabulary
from .numeral import MULTIPLES, SCALES, cardinal, digits, fraction, may_begin, ordinal, precision, read, scale
from .unit import AMBIGUOUS, SYMBOLS, MeasureUnit, unit_at
from .word import NONE, TokenizedText, Word, parts

_BARE = MeasureUnit("")
_TIMES = MeasureUnit("times")
_TIMES_WORDS = vocabulary("times fold mal fach fois veces volte vezes keer x ×")
_ORDINAL_ENDS = vocabulary("st nd rd th e er eme ste de º ª")
_CONNECTORS = vocabulary("– - to and or bis und oder a et y e o tot en ± x")
_MONEY = {
    sign: unit
    for sign, unit in SYMBOLS.items()
    if unit.dimension in vocabulary("dollar euro sterling yen franc rupee rouble won yuan krona")
    or "dollar" in unit.dimension
}
_SHORT_SCALES = {
    "k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "b": 1e9, "B": 1e9, "bn": 1e9, "T": 1e12, "tn": 1e12, "mn": 1e6,
}  # fmt: skip
_ONLY_MONEY = frozenset({"m", "b", "B", "T"})
"""Short scales that count only for amounts of money; elsewhere they are a unit or meaningless."""

_SHORTENED_SCALES = frozenset({"mio", "mrd", "tsd"})
_DECADES = vocabulary("decade jahrzehnt decennie decada decennio")
"""Words for ten years; such numbers are `soft`, since they are rarely meant as a measure."""

_ARTICLES = vocabulary("a an un une ein einem eine")
_NO_PART = vocabulary("year time hour century day brother sister")
"""Nouns behind an ordinal that looks like a fraction: `the third time`."""

_OUT_OF, _MOST_OF = vocabulary("in von sur"), 10
"""Words between the two numbers of a fraction, and the largest second number."""

_FEW = 2
"""Largest number in words that is `soft`: a claim may count two things that the text only names."""


_BEFORE = {phrase.replace("_", " "): mark for phrase, mark in labels("bound").items()}
_BEHIND = {phrase.replace("_", " "): mark for phrase, mark in labels("bound_behind").items()}
_LAST_WORDS = frozenset(phrase.split()[-1] for phrase in _BEFORE)
_OPPOSITE = {"+": "-", "-": "+"}
_ROLE_OF = {"by": "by", "um": "by", "to": "to", "auf": "to"}


class Quantity(NamedTuple):
    """A number: each reading is a (dimension, value in its base unit); `raw` are the values as written.

    `hint` is `+` for at least, `-` for at most, `~` for about, `≈` for about a fraction. A `soft` number is reported
    only if the span has another one in its place: a small count in words, or a possible name (`3M`). `noun` are the
    roots of what is counted, `role` is `by` or `to` behind a change, `part` the numerator of a rate in its base unit.
    """

    text: str
    readings: tuple[tuple[str, float], ...]
    raw: tuple[float, ...]
    digits: int
    hint: str
    soft: bool
    noun: frozenset[str]
    near: frozenset[str]
    role: str
    first: int
    last: int
    part: float = 0.0

    @property
    def dimension(self) -> str:
        """The dimension of its first reading; empty for a bare number."""
        return self.readings[0][0]


@dataclass(slots=True)
class _Draft:
    """A number while it is parsed: its values as written, and the index of its last word so far."""

    first: int
    last: int
    raw: tuple[float, ...]
    digits: int
    signed: bool = False
    soft: bool = False
    unit: MeasureUnit = _BARE
    other: tuple[tuple[str, float], ...] = ()
    hint: str = ""


def quantities(reading: TokenizedText, used: Collection[int]) -> list[Quantity]:
    """Return the numbers of a text in order, skipping words whose indexes are in `used` (dates and labels)."""
    found: list[Quantity] = []
    last = -1
    for index, word in enumerate(reading.words):
        if index <= last or index in used or word.kind not in ("number", "word"):
            continue
        draft = _in_digits(reading, index, used) if word.kind == "number" else _in_words(reading, index)
        if draft is not None:
            found.append(_finished(reading, draft))
            last = draft.last
    return _share_units(found, reading)


def _finished(reading: TokenizedText, draft: _Draft) -> Quantity:
    words, unit, first, last = reading.words, draft.unit, draft.first, draft.last
    start = first - (first > 0 and unit.dimension != "" and _MONEY.get(words[first - 1].text) == unit)
    readings = [(unit.dimension, value * unit.factor + unit.offset) for value in draft.raw]
    if other := AMBIGUOUS.get(unit.dimension):
        readings += [(other.dimension, value * other.factor) for value in draft.raw]
    return Quantity(
        text=reading.written(start - (draft.signed and start == first), last),
        readings=(*readings, *draft.other),
        raw=draft.raw,
        digits=draft.digits,
        hint=draft.hint or _bound(reading, start, last),
        soft=draft.soft,
        noun=NONE if unit.dimension else _counted(reading, last + 1),
        near=reading.near(start, last),
        role=_role(reading, start),
        first=first,
        last=last,
        part=draft.raw[0] * unit.above if "/" in unit.dimension else 0.0,
    )


def _counted(reading: TokenizedText, start: int) -> frozenset[str]:
    """Return the roots of the noun that a number counts: the content words right behind it, at most three."""
    noun = NONE
    for roots in reading.roots[start : start + 3]:
        if not roots:
            break
        noun |= roots
    return noun


def _in_digits(reading: TokenizedText, index: int, used: Collection[int]) -> _Draft | None:
    words = reading.words
    if _is_marker(words, index):
        return None
    text, last = words[index].text, index
    raw = digits(text, reading.code)
    if _is_fraction(words, index) and index + 2 not in used:
        below = digits(words[index + 2].text, reading.code)[0]
        raw, last = ((raw[0] / below,) if below else raw), index + 2
    signed = _is_negative(words, index)
    if signed:
        raw = tuple(-value for value in raw)
    draft = _Draft(index, last, raw, precision(text), signed)
    money = _MONEY.get(words[index - 1].text) if index else None
    _scale_digits(reading, draft, money is not None)
    if money is not None:
        draft.unit = money
    else:
        _take_unit(reading, draft, in_digits=True)
    return draft


def _is_marker(words: Sequence[Word], index: int) -> bool:
    """Whether a number opens a list item: `1.`, `2)`, or `kinds: 1.` where a sentence was cut off before it."""
    word = words[index]
    if len(word.text) > 3 or index + 1 >= len(words) or words[index + 1].start != word.end:
        return False
    if index + 2 == len(words):
        is_behind_mark = words[index - 1].kind == "stop" or words[index - 1].text in (":", "#")
        return index > 0 and is_behind_mark and words[index + 1].text in (".", ")")
    is_first = index == 0 or words[index - 1].kind == "stop" or words[index - 1].sentence != word.sentence
    return word.opens and is_first and words[index + 1].text in (".", ")")


def _is_fraction(words: Sequence[Word], index: int) -> bool:
    """Whether a number, a slash and a number follow each other without a space: `3/4`."""
    if index + 2 >= len(words) or words[index + 1].text != "/" or words[index + 2].kind != "number":
        return False
    return words[index].end == words[index + 1].start and words[index + 1].end == words[index + 2].start


def _is_negative(words: Sequence[Word], index: int) -> bool:
    """Whether a hyphen or dash before a number is its minus sign: attached to it, and not to a word before."""
    if index == 0:
        return False
    before = words[index - 1]
    if before.folded == "minus":
        return True
    if before.text not in ("-", "–") or before.end != words[index].start:
        return False
    above = words[index - 2] if index > 1 else None
    return above is None or above.text in ("(", "[") or (above.end != before.start and above.kind != "number")


def _scale_digits(reading: TokenizedText, draft: _Draft, is_money: bool) -> None:
    """Multiply a number by the scale behind it: `2.5 million`, `5k`, `3万`."""
    words, last = reading.words, draft.last
    if last + 1 >= len(words):
        return
    following, factor = words[last + 1], 1.0
    short = following.text.removesuffix("'s")
    if short in _SHORT_SCALES and following.start == words[last].end:
        if is_money or short not in _ONLY_MONEY:
            factor, draft.last = _SHORT_SCALES[short], last + 1
            draft.soft = not is_money and (short != following.text or not _counted(reading, last + 2))
        if following.text == "K" and not is_money:
            draft.other = (("temperature", draft.raw[0] - 273.15),)
    elif following.kind == "wide":
        factor = next((times for size in (2, 1) if (times := SCALES.get(following.text[:size]))), 1.0)
    elif times := scale(following.folded, reading.code):
        stopped = following.folded in _SHORTENED_SCALES and reading.folded(last + 2) == "."
        factor, draft.last = times, last + 1 + stopped
    draft.raw = tuple(value * factor for value in draft.raw)


def _take_unit(reading: TokenizedText, draft: _Draft, in_digits: bool) -> None:
    """Read the unit behind a number, also behind a hyphen: `5-km run`, `18-year-old`."""
    words, last = reading.words, draft.last
    start = last + 1
    if start + 1 < len(words) and words[start].text == "-" and words[start].start == words[last].end:
        start += 1
    behind = words[start : start + 5]
    if not behind:
        return
    attached = start == last + 1 and behind[0].start == words[last].end
    texts, folded = [word.text for word in behind], [word.folded for word in behind]
    head = parts(folded[0])[0] if behind[0].kind == "word" and "-" in folded[0] else ""
    match = unit_at([head], [head], in_digits) if head else None
    match = match or unit_at(texts, folded, in_digits, attached)
    if match is not None:
        draft.unit, draft.last = match[0], start + match[1] - 1
    elif {head, folded[0]} & _TIMES_WORDS or folded[0].endswith(("fold", "fach")):
        draft.unit, draft.last = _TIMES, start
    elif in_digits and attached and folded[0] in _ORDINAL_ENDS:
        draft.unit, draft.last = MeasureUnit("ordinal"), start


def _in_words(reading: TokenizedText, index: int) -> _Draft | None:
    word, code = reading.words[index], reading.code
    if word.folded in _DECADES:
        return _Draft(index, index, (10.0,), 1, soft=True, unit=MeasureUnit("month", 12))
    if not may_begin(word.folded, code):
        return None
    if word.folded in MULTIPLES and (word.folded != "double" or code == "en"):
        return _Draft(index, index, (float(MULTIPLES[word.folded]),), 1, soft=True, unit=_TIMES)
    share = _fraction(reading, index) or _ratio(reading, index)
    if share is not None:
        return share
    if word.folded in ("one", "ein") and _stands_for_noun(reading, index):
        return None
    number = read([term.folded for term in reading.words[index : index + 12] if term.kind == "word"], code)
    if number is not None:
        value, size = number
        draft = _Draft(index, index + size - 1, (value,), precision(f"{value:.10g}"), soft=size == 1 and value <= _FEW)
        _take_unit(reading, draft, in_digits=False)
        if draft.unit.dimension not in ("", "month") or (draft.unit.dimension and value > 1):
            draft.soft = False
        return draft
    rank = ordinal(word.folded, code)
    if rank is not None:
        return _Draft(index, index, (float(rank),), 2, soft=rank <= _FEW, unit=MeasureUnit("ordinal"))
    return _compound(reading, index)


def _stands_for_noun(reading: TokenizedText, index: int) -> bool:
    """Whether `one` is not a count: `the old one`, `a steel one`, the German `schaltet ein`."""
    before = {reading.folded(index - 1), reading.folded(index - 2)}
    is_particle = reading.folded(index) == "ein"
    return not _counted(reading, index + 1) and (
        is_particle or not before.isdisjoint(("a", "an", "the", "this", "that"))
    )


def _compound(reading: TokenizedText, index: int) -> _Draft | None:
    """Read a number that is the first part of a compound: `five-year`, `twenty-one-year`, `three-fold`."""
    head, *rest = parts(reading.words[index].folded)
    if len(rest) > 1 and cardinal(f"{head}-{rest[0]}", reading.code) is not None:
        head, rest = f"{head}-{rest[0]}", rest[1:]
    value = cardinal(head, reading.code) if rest else None
    if value is None:
        return None
    match = unit_at(rest[:1], rest[:1], digits=False)
    unit = match[0] if match else _TIMES if rest[0] in _TIMES_WORDS else _BARE
    return _Draft(index, index, (value,), 1, soft=value <= _FEW, unit=unit)


def _fraction(reading: TokenizedText, index: int) -> _Draft | None:
    """Read a fraction in words: `half of`, `a third`, `two-thirds`, `drei Viertel`."""
    code, folded = reading.code, reading.words[index].folded
    *above, below = folded.split("-")
    value, last = fraction(below, code), index
    if value is None:
        times, last = cardinal(folded, code), index + 1
        value = fraction(reading.folded(last), code)
    elif above:
        times = cardinal(above[0], code)
    else:
        times = 1.0 if _is_part(reading, index, value) else None
    if not times or value is None or times * value >= 1:
        return None
    return _part(reading, index, last, value * times)


def _ratio(reading: TokenizedText, index: int) -> _Draft | None:
    """Read a fraction of two numbers: `four in five`, `nine out of ten`, `vier von fünf`."""
    code, last = reading.code, index + 2
    if reading.folded(index + 1) == "out" and reading.folded(last) == "of":
        last += 1
    elif reading.folded(index + 1) not in _OUT_OF:
        return None
    above, below = cardinal(reading.folded(index), code), cardinal(reading.folded(last), code)
    if not above or not below or above >= below or below > _MOST_OF:
        return None
    return _part(reading, index, last, above / below)


def _part(reading: TokenizedText, first: int, last: int, share: float) -> _Draft:
    start = first - (reading.folded(first - 1) in _ARTICLES)
    hint = "≈" if _bound(reading, start, last) == "~" else "~"
    return _Draft(first, last, (share,), 1, unit=MeasureUnit("percent", 100), other=(("", share),), hint=hint)


def _is_part(reading: TokenizedText, index: int, value: float) -> bool:
    """Whether a lone `half` or `third` is a fraction, not an ordinal (`the third time`) or an addend (`and a half`)."""
    before, after = reading.folded(index - 1), reading.folded(index + 1)
    if after in _NO_PART or reading.folded(index - 2) == "and":
        return False
    return value == 1 / 2 or before in _ARTICLES or after in ("of", "der", "des")


def _share_units(numbers: list[Quantity], reading: TokenizedText) -> list[Quantity]:
    """Give the first number of a range the unit and scale of the second: `5–7 km`, `between 2 and 3 million`."""
    for index in range(len(numbers) - 2, -1, -1):
        low, high = numbers[index], numbers[index + 1]
        if low.dimension or low.noun or high.first - low.last != 2 or high.dimension == "times" or not high.raw[0]:
            continue
        if reading.folded(low.last + 1) not in _CONNECTORS:
            continue
        written = reading.words[high.first].text
        times = abs(round(high.raw[0] / (digits(written, reading.code)[0] or 1))) if written[0].isdecimal() else 1
        raw = tuple(value * (times if times >= 1000 else 1) for value in low.raw)
        factor = 1.0 if high.dimension == "temperature" else high.readings[0][1] / high.raw[0]
        readings = tuple((high.dimension, value * factor) for value in raw)
        numbers[index] = low._replace(readings=readings, raw=raw, noun=high.noun)
    return numbers


def _bound(reading: TokenizedText, first: int, last: int) -> str:
    """Return the bound that the words around a number give it: `+` at least, `-` at most, `~` about, empty for none.

    A negator before them reverses it: `never below 5` is at least 5.
    """
    before = [reading.folded(index) for index in range(first - 3, first)]
    if before[-1] in _LAST_WORDS:
        for size in (3, 2, 1):
            mark = _BEFORE.get(" ".join(before[-size:]))
            if mark:
                denied = any(reading.folded(index) in NEGATORS for index in range(first - 3 - size, first - size))
                return _OPPOSITE.get(mark, mark) if denied else mark
    if reading.folded(last + 1) == "+":
        return "+"
    return _BEHIND.get(f"{reading.folded(last + 1)} {reading.folded(last + 2)}", "")


def _role(reading: TokenizedText, first: int) -> str:
    """Return `by` before the amount of a change, `to` before its result, else and in a range an empty string."""
    in_range = first > 1 and reading.words[first - 2].kind == "number"
    return "" if in_range else _ROLE_OF.get(reading.folded(first - 1), "")
