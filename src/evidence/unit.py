"""Units of measure and money: their dimensions, and their factors to the base units."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .lexicon import table


class MeasureUnit(NamedTuple):
    """A unit of a dimension; `value * factor + offset` is in the dimension's base unit.

    The dimension of a rate is, for example, `length/time`, and `above` the factor of its numerator alone.
    """

    dimension: str
    factor: float = 1.0
    offset: float = 0.0
    above: float = 1.0


_FAHRENHEIT = MeasureUnit("temperature", 1 / 1.8, -32 / 1.8)
_KELVIN = MeasureUnit("temperature", 1, -273.15)

_TABLES = table("unit")
_PREFIXES, _LONG_PREFIXES = _TABLES["prefixes"], _TABLES["long_prefixes"]


def _units(listed: dict[str, str]) -> Iterator[tuple[str, MeasureUnit]]:
    """Yield each word of a table with its unit; a key has the dimension and the factor to its base unit."""
    for meaning, words in listed.items():
        dimension, _, factor = meaning.rpartition(" ")
        known = MeasureUnit(dimension, float(factor)) if factor[0].isdecimal() else MeasureUnit(meaning)
        yield from ((word, known) for word in words.split())


def _symbols() -> dict[str, MeasureUnit]:
    known = dict(_units(_TABLES["symbols"]))
    for base, meaning in _TABLES["scaled_symbols"].items():
        dimension, *prefixes = meaning.split()
        known |= {prefix.removeprefix("alone") + base: MeasureUnit(dimension, _PREFIXES[prefix]) for prefix in prefixes}
    for prefix in ("m", "c", "d", "", "k"):
        times = _PREFIXES.get(prefix, 1.0)
        square, cubic = times**2, 1000 * times**3
        known |= dict.fromkeys((f"{prefix}m2", f"{prefix}m^2", f"{prefix}m²"), MeasureUnit("area", square))
        known |= dict.fromkeys((f"{prefix}m3", f"{prefix}m^3", f"{prefix}m³"), MeasureUnit("volume", cubic))
    for power, symbol in enumerate("KMGTP", start=1):
        known[f"{symbol}iB"] = MeasureUnit("byte", 1024.0**power)
        known |= dict.fromkeys((f"{symbol}b", f"{symbol}bit"), MeasureUnit("bit", 1000.0**power))
        known |= dict.fromkeys((f"{symbol}B", f"{symbol.lower()}B"), MeasureUnit("byte", 1000.0**power))
    del known["mB"]
    return known | {
        **dict.fromkeys(("°C", "℃"), MeasureUnit("temperature")),
        **dict.fromkeys(("°F", "℉"), _FAHRENHEIT),
        "K": _KELVIN,
    }


SYMBOLS = _symbols()
"""Signs and abbreviations of units, case-sensitive."""


def _names() -> dict[str, MeasureUnit]:
    known: dict[str, MeasureUnit] = {}
    for name, unit in _units(_TABLES["scaled_names"]):
        known |= {prefix + name: MeasureUnit(unit.dimension, times) for prefix, times in _LONG_PREFIXES.items()}
    known |= {name.replace("_", " "): unit for name, unit in _units(_TABLES["names"])}
    known |= dict.fromkeys(("degrees fahrenheit", "degrees f", "° f", "grad fahrenheit"), _FAHRENHEIT)
    return known | {"kelvin": _KELVIN} | _powers()


def _powers() -> dict[str, MeasureUnit]:
    """Return the names of square and cubic units: `square metres`, `Quadratkilometer`, `kilomètres carrés`."""
    known: dict[str, MeasureUnit] = {}
    for prefix, short in (("", ""), ("kilo", "k"), ("quilo", "k"), ("chilo", "k"), ("centi", "c"), ("milli", "m")):
        for stem in ("meter", "meters", "metern", "metre", "metres", "metro", "metros", "metri"):
            name, square, cubic = prefix + stem, SYMBOLS[f"{short}m2"], SYMBOLS[f"{short}m3"]
            for before, after in (("square ", ""), ("quadrat", ""), ("vierkante ", ""), ("", " carres"),
                                  ("", " cuadrados"), ("", " quadrati"), ("", " quadrados")):  # fmt: skip
                known[f"{before}{name}{after}"] = square
            for before, after in (("cubic ", ""), ("kubik", ""), ("", " cubes"), ("", " cubicos"), ("", " cubi")):
                known[f"{before}{name}{after}"] = cubic
    return known


NAMES = _names()

AMBIGUOUS = {"sterling": MeasureUnit("mass", 453.592), "cent": MeasureUnit("dollar", 0.01)}
"""The other unit that an amount of a dimension may have: `5 pounds` are a weight or money."""

_NEVER_BARE = frozenset(
    ["d", "an", "won", "real", "mark", "stone", "ore", "ora", "mes", "t", "bar", "pt", "h", "K", "rand"]
)
"""Words that are a unit behind digits (`5 t`), but usually not behind a number in words."""

_PER = frozenset({"/", "per", "pro", "par", "por", "je", "al", "a", "an", "each", "every"})
_ARTICLES = frozenset({"a", "an", "each", "every", "je", "al"})


def unit_at(
    texts: Sequence[str], folded: Sequence[str], digits: bool, attached: bool = False
) -> tuple[MeasureUnit, int] | None:
    """Return the unit that the words begin with, or a rate (`litres a day`), and its number of words; None without one.

    `digits` says that the number before it is in digits, `attached` that no space separates them: `5in` are inches.
    """
    match = _single(texts, folded, digits, attached)
    if match is None:
        return None
    unit, size = match
    if len(folded) > size + 1 and folded[size] in _PER and unit.dimension != "percent":
        below = _single(texts[size + 1 :], folded[size + 1 :], digits=True, attached=folded[size] == "/")
        timed = below is not None and below[0].dimension in ("time", "month")
        if below is not None and (timed or folded[size] not in _ARTICLES):
            return _rate(unit, below[0]), size + 1 + below[1]
    return match


def _single(
    texts: Sequence[str], folded: Sequence[str], digits: bool, attached: bool
) -> tuple[MeasureUnit, int] | None:
    for size in (3, 2, 1):
        name = " ".join(folded[:size])
        if len(folded) >= size and name in NAMES and (size > 1 or digits or name not in _NEVER_BARE):
            return NAMES[name], size
    if not texts:
        return None
    if texts[0] in SYMBOLS and (digits or texts[0] not in _NEVER_BARE) and (attached or texts[0] != "in"):
        return SYMBOLS[texts[0]], 1
    above, slash, below = texts[0].partition("/")
    if slash and above in SYMBOLS and below in SYMBOLS:
        return _rate(SYMBOLS[above], SYMBOLS[below]), 1
    return None


def _rate(unit: MeasureUnit, below: MeasureUnit) -> MeasureUnit:
    return MeasureUnit(f"{unit.dimension}/{below.dimension}", unit.factor / below.factor, above=unit.factor)
