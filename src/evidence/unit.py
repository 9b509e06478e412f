"""Units of measure and money: what they measure, and how many of the base unit they are."""

from collections.abc import Sequence
from typing import NamedTuple


class Unit(NamedTuple):
    """A unit of a dimension; `value * factor + offset` is in the dimension's base unit.

    The dimension of a rate is `length/time`, say, and `above` the factor of what is above the stroke alone.
    """

    dimension: str
    factor: float = 1.0
    offset: float = 0.0
    above: float = 1.0


_PREFIXES = {"n": 1e-9, "μ": 1e-6, "m": 1e-3, "c": 1e-2, "d": 1e-1, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_LONG_PREFIXES = {
    "nano": 1e-9, "micro": 1e-6, "mikro": 1e-6, "milli": 1e-3, "mili": 1e-3, "centi": 1e-2, "zenti": 1e-2,
    "deci": 1e-1, "dezi": 1e-1, "": 1.0, "hecto": 1e2, "hekto": 1e2, "kilo": 1e3, "quilo": 1e3, "chilo": 1e3,
    "mega": 1e6, "giga": 1e9, "tera": 1e12, "peta": 1e15,
}  # fmt: skip

_SCALED_SYMBOLS = """
m length n μ m c d k; g mass n μ m k; s time n μ m; L volume μ m c d; l volume μ m c d; W power m k M G T;
Wh energy k M G T; J joule k M G; Hz frequency k M G T; V voltage m k M; A current m μ k; Pa pressure k M G;
eV electronvolt k M G T; N force k M; mol amount m μ n; Ω resistance k M; cal calorie k; bit bit k M G T;
bps bit/time k M G T; Sv sievert m μ; T tesla m; M molar μ; dB decibel; ppm ppm; ppb ppb
"""
"""Symbols, what they measure, and the prefixes that they take."""

_SYMBOLS: dict[str, tuple[str, float]] = {
    "%": ("percent", 1), "‰": ("percent", 0.1), "°": ("degree", 1), "B": ("byte", 1), "h": ("time", 3600),
    "hr": ("time", 3600), "hrs": ("time", 3600), "min": ("time", 60), "mins": ("time", 60), "sec": ("time", 1),
    "secs": ("time", 1), "d": ("time", 86400), "t": ("mass", 1e6), "kt": ("mass", 1e9), "Mt": ("mass", 1e12),
    "Gt": ("mass", 1e15), "lb": ("mass", 453.592), "lbs": ("mass", 453.592), "oz": ("mass", 28.3495),
    "ha": ("area", 1e4), "ft": ("length", 0.3048), "in": ("length", 0.0254), "yd": ("length", 0.9144),
    "mi": ("length", 1609.344), "nmi": ("length", 1852), "kmh": ("length/time", 1 / 3.6), "hl": ("volume", 100),
    "kph": ("length/time", 1 / 3.6), "mph": ("length/time", 0.44704), "kn": ("length/time", 0.514444),
    "bar": ("pressure", 1e5), "mbar": ("pressure", 100), "hPa": ("pressure", 100), "atm": ("pressure", 101325),
    "psi": ("pressure", 6894.757), "mmHg": ("mmhg", 1), "hp": ("power", 745.7), "PS": ("power", 735.5),
    "rpm": ("rpm", 1), "fps": ("fps", 1), "px": ("pixel", 1), "pt": ("point", 1), "ct": ("cent", 1), "pp": ("point", 1),
    "KB": ("byte", 1e3), "Kbit": ("bit", 1e3), "$": ("dollar", 1), "US$": ("dollar", 1), "USD": ("dollar", 1),
    "€": ("euro", 1), "EUR": ("euro", 1), "£": ("sterling", 1), "GBP": ("sterling", 1), "¥": ("yen", 1),
    "JPY": ("yen", 1), "CHF": ("franc", 1), "₹": ("rupee", 1), "INR": ("rupee", 1), "₽": ("rouble", 1),
    "RUB": ("rouble", 1), "₩": ("won", 1), "元": ("yuan", 1), "円": ("yen", 1), "CNY": ("yuan", 1), "RMB": ("yuan", 1),
    "CAD": ("canadian dollar", 1), "C$": ("canadian dollar", 1), "AUD": ("australian dollar", 1),
    "A$": ("australian dollar", 1), "SEK": ("krona", 1), "NOK": ("krona", 1), "DKK": ("krona", 1),
}  # fmt: skip


def _symbols() -> dict[str, Unit]:
    known = {symbol: Unit(dimension, factor) for symbol, (dimension, factor) in _SYMBOLS.items()}
    for line in _SCALED_SYMBOLS.split(";"):
        base, dimension, *prefixes = line.split()
        known |= {prefix + base: Unit(dimension, _PREFIXES[prefix]) for prefix in ("", *prefixes)}
    for ambiguous in ("M", "T", "A", "N", "V"):
        del known[ambiguous]
    for prefix in ("m", "c", "d", "", "k"):
        square, cubic = _PREFIXES[prefix] ** 2, 1000 * _PREFIXES[prefix] ** 3
        known |= dict.fromkeys((f"{prefix}m2", f"{prefix}m^2", f"{prefix}m²"), Unit("area", square))
        known |= dict.fromkeys((f"{prefix}m3", f"{prefix}m^3", f"{prefix}m³"), Unit("volume", cubic))
    for power, symbol in enumerate("KMGTP", start=1):
        known[f"{symbol}iB"] = Unit("byte", 1024.0**power)
        known |= dict.fromkeys((f"{symbol}b", f"{symbol}bit"), Unit("bit", 1000.0**power))
        known |= dict.fromkeys((f"{symbol}B", f"{symbol.lower()}B"), Unit("byte", 1000.0**power))
    del known["mB"]
    return known | {
        "°C": Unit("temperature"), "℃": Unit("temperature"), "K": Unit("temperature", 1, -273.15),
        "°F": Unit("temperature", 1 / 1.8, -32 / 1.8), "℉": Unit("temperature", 1 / 1.8, -32 / 1.8),
    }  # fmt: skip


SYMBOLS = _symbols()
"""Signs and abbreviations, in the case in which they are written."""

_SCALED_NAMES = """
meter metre metro metri meters metres metros metern: length;
liter litre litro litri liters litres litros litern: volume;
gram gramm gramme grammo gramo grama grams gramos grammi grammes gramas: mass; watt watts vatio vatios: power;
second seconde segundo secondo sekunde seconds secondes segundos secondi sekunden seconden: time; hertz: frequency;
volt volts voltios: voltage; ampere amperes: current; joule joules: joule; byte bytes octet octets: byte; bit bits: bit;
calorie calories kalorie kalorien caloria calorias: calorie; pascal pascals: pressure; newton newtons: force;
wattstunde wattstunden: energy
"""
"""Names that take a prefix, and what they measure."""

_PLAIN_NAMES = """
percent pct prozent prozents percento procent: percent; per_cent: percent; pour_cent: percent; por_ciento: percent;
por_cento: percent; prozentpunkt prozentpunkte prozentpunkten procentpunt procentpunten: point; percentage_point: point;
percentage_points: point; points_de_pourcentage: point; point_de_pourcentage: point; puntos_porcentuales: point;
punti_percentuali: point; pontos_percentuais: point; %_points: point; percent_points: point; basis_points: point 0.01;
basis_point: point 0.01; kilo kilos quilo quilos chilo chili: mass 1000;
tonne tonnes tonnen ton tons tonelada toneladas tonnellata tonnellate: mass 1e6; metric_tons: mass 1e6;
kiloton kilotons kilotonne kilotonnes kilotonnen: mass 1e9;
megaton megatons megatonne megatonnes megatonnen: mass 1e12;
gigaton gigatons gigatonne gigatonnes gigatonnen: mass 1e15; short_tons: mass 907184.74; long_tons: mass 1016046.9;
minute minutes minuten minuto minutos minuti minuut: time 60;
hour hours stunde stunden heure heures hora horas ora ore uur uren: time 3600;
day days tag tage tagen jour jours dia dias giorno giorni dag dagen: time 86400;
week weeks woche wochen semaine semaines semana semanas settimana settimane weken: time 604800;
month months monat monate monaten mois mes meses mese mesi maand maanden: month;
year years yr yrs jahr jahre jahren an ans annee annees ano anos anni anno jaar jaren: month 12;
decade decades jahrzehnt jahrzehnte jahrzehnten decennie decennies decada decadas decennium: month 120;
century centuries jahrhundert jahrhunderte jahrhunderten siecle siecles siglo siglos secolo secoli: month 1200;
millennium millennia jahrtausend jahrtausende: month 12000;
mile miles meile meilen milla millas miglia milha milhas mijl: length 1609.344; nautical_mile: length 1852;
nautical_miles: length 1852; foot feet fuss: length 0.3048; inch inches zoll: length 0.0254; yard yards: length 0.9144;
fathom fathoms: length 1.8288; league leagues: league; light_year: light-year; light_years: light-year;
light-year light-years lichtjahr lichtjahre lichtjahren: light-year; astronomical_units: astronomical unit;
parsec parsecs: parsec; acre acres: area 4046.856; hectare hectares hektar hectarea hectareas ettari: area 1e4;
square_mile: area 2589988; square_miles: area 2589988; square_foot: area 0.092903; square_feet: area 0.092903;
sq_km: area 1e6; sq_mi: area 2589988; sq_ft: area 0.092903; cubic_foot: volume 28.3168; cubic_feet: volume 28.3168;
gallon gallons: volume 3.78541; pint pints: volume 0.473176; quart quarts: volume 0.946353;
barrel barrels: volume 158.987; bushel bushels: volume 35.2391; cup cups: cup; tablespoon tablespoons: tablespoon;
teaspoon teaspoons: teaspoon; ounce ounces unze unzen: mass 28.3495; pound pounds pfund: mass 453.592;
stone: mass 6350.29; knot knots knoten: length/time 0.514444; stundenkilometer stundenkilometern: length/time 0.277778;
degree degrees grad: degree; degrees_celsius: temperature; grad_celsius: temperature; degrees_c: temperature;
degres_celsius: temperature; grados_celsius: temperature; °_c: temperature; horsepower: power 745.7;
kilowatt_hours: energy 1e3; kilowatt-hours: energy 1e3; megawatt_hours: energy 1e6; megawatt-hours: energy 1e6;
gigawatt_hours: energy 1e9; gigawatt-hours: energy 1e9; terawatt_hours: energy 1e12; terawatt-hours: energy 1e12;
kibibyte kibibytes: byte 1024; mebibyte mebibytes: byte 1048576; gibibyte gibibytes: byte 1073741824;
decibel decibels: decibel; pixel pixels: pixel; lumen lumens: lumen; lux: lux;
dollar dollars: dollar; us_dollar: dollar;
us_dollars: dollar; u.s_dollars: dollar; canadian_dollars: canadian dollar; australian_dollars: australian dollar;
euro euros: euro; cent cents: cent; penny pence: penny; pounds_sterling: sterling; yen: yen; yuan renminbi: yuan;
franc francs franken: franc; swiss_francs: franc; schweizer_franken: franc; rupee rupees: rupee;
rouble roubles ruble rubles rubel: rouble; peso pesos: peso; krona kronor krone kroner kronen: krona; won: won;
lira liras lire: lira; mark: mark; shilling shillings: shilling;
guilder guilders gulden: guilder; florin florins: florin;
ducat ducats: ducat; taler thaler thalers: taler; dinar dinars: dinar; dirham dirhams: dirham; shekel shekels: shekel;
rand: rand; zloty: zloty; forint: forint; baht: baht; real reais: real; bitcoin bitcoins: bitcoin
"""
"""Folded names of one to three words (joined by `_`), what they measure, and how many of the base unit they are."""


def _names() -> dict[str, Unit]:
    known: dict[str, Unit] = {}
    for listed, dimension, factor in _lines(_SCALED_NAMES):
        for name in listed.split():
            known |= {prefix + name: Unit(dimension, factor * times) for prefix, times in _LONG_PREFIXES.items()}
    for listed, dimension, factor in _lines(_PLAIN_NAMES):
        known |= dict.fromkeys((name.replace("_", " ") for name in listed.split()), Unit(dimension, factor))
    fahrenheit = Unit("temperature", 1 / 1.8, -32 / 1.8)
    known |= dict.fromkeys(("degrees fahrenheit", "degrees f", "° f", "grad fahrenheit"), fahrenheit)
    known["kelvin"] = Unit("temperature", 1, -273.15)
    return known | _powers()


def _powers() -> dict[str, Unit]:
    """Return the squares and cubes: `square metres`, `Quadratkilometer`, `kilomètres carrés`."""
    known: dict[str, Unit] = {}
    for prefix, short in (("", ""), ("kilo", "k"), ("quilo", "k"), ("chilo", "k"), ("centi", "c"), ("milli", "m")):
        for stem in ("meter", "meters", "metern", "metre", "metres", "metro", "metros", "metri"):
            name, square, cubic = prefix + stem, SYMBOLS[f"{short}m2"], SYMBOLS[f"{short}m3"]
            for before, after in (("square ", ""), ("quadrat", ""), ("vierkante ", ""), ("", " carres"),
                                  ("", " cuadrados"), ("", " quadrati"), ("", " quadrados")):  # fmt: skip
                known[f"{before}{name}{after}"] = square
            for before, after in (("cubic ", ""), ("kubik", ""), ("", " cubes"), ("", " cubicos"), ("", " cubi")):
                known[f"{before}{name}{after}"] = cubic
    return known


def _lines(table: str) -> list[tuple[str, str, float]]:
    """Return the entries of a table: names, dimension, factor."""
    found = []
    for entry in table.split(";"):
        names, _, meaning = " ".join(entry.split()).rpartition(": ")
        *dimension, factor = [*meaning.split(), "1"] if not meaning[-1].isdecimal() else meaning.split()
        found.append((names, " ".join(dimension), float(factor)))
    return found


NAMES = _names()

AMBIGUOUS = {"sterling": Unit("mass", 453.592), "cent": Unit("dollar", 0.01)}
"""What an amount in one dimension may mean in another: `5 pounds` are a weight or money."""

_NEVER_BARE = frozenset(
    ["d", "an", "won", "real", "mark", "stone", "ore", "ora", "mes", "t", "bar", "pt", "h", "K", "rand"]
)
"""Words that are a unit behind digits (`5 t`), and too often something else behind a number word."""

_PER = frozenset({"/", "per", "pro", "par", "por", "je", "al", "a", "an", "each", "every"})
_ARTICLES = frozenset({"a", "an", "each", "every", "je", "al"})


def unit_at(
    texts: Sequence[str], folded: Sequence[str], digits: bool, attached: bool = False
) -> tuple[Unit, int] | None:
    """Return the unit that some words begin with, a rate with what it is per, and how many of the words it takes.

    `digits` says that digits stand before it, `attached` that not even a space is between: `5in` are inches.
    """
    found = _single(texts, folded, digits, attached)
    if found is None:
        return None
    unit, size = found
    if len(folded) > size + 1 and folded[size] in _PER and unit.dimension != "percent":
        below = _single(texts[size + 1 :], folded[size + 1 :], digits=True, attached=folded[size] == "/")
        timed = below is not None and below[0].dimension in ("time", "month")
        if below is not None and (timed or folded[size] not in _ARTICLES):
            return _rate(unit, below[0]), size + 1 + below[1]
    return found


def _single(texts: Sequence[str], folded: Sequence[str], digits: bool, attached: bool) -> tuple[Unit, int] | None:
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


def _rate(unit: Unit, below: Unit) -> Unit:
    return Unit(f"{unit.dimension}/{below.dimension}", unit.factor / below.factor, above=unit.factor)
