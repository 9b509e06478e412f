"""Numbers that are written out, in seven languages.

text2num reads whole ones. It knows no dozens, halves, parts and places, which are listed here, and takes no words whose
accents are folded away, which get theirs back.
"""

from collections.abc import Sequence
from functools import lru_cache

_TONGUES = ("en", "de", "fr", "es", "it", "pt", "nl")
_MORE: dict[str, dict[str, float]] = {
    "en": {"dozen": 12, "both": 2, "o": 0},
    "de": {"anderthalb": 1.5, "eineinhalb": 1.5, "zweieinhalb": 2.5, "dreieinhalb": 3.5, "dutzend": 12, "beide": 2}
    | {"beiden": 2},
    "fr": {"douzaine": 12},
    "es": {"docena": 12, "ambos": 2, "ambas": 2},
    "it": {"dozzina": 12, "entrambi": 2, "entrambe": 2},
    "pt": {"duzia": 12, "ambos": 2, "ambas": 2},
    "nl": {"dozijn": 12, "beide": 2},
}
_ACCENTED = {
    "de": {"funf": "fünf", "zwolf": "zwölf"},
    "es": {"dieciseis": "dieciséis", "veintidos": "veintidós", "veintitres": "veintitrés", "veintiseis": "veintiséis"},
    "pt": {"milhao": "milhão", "milhoes": "milhões", "bilhao": "bilhão", "bilhoes": "bilhões"},
    "nl": {"tweeen": "tweeën", "drieen": "drieën"},
}
_LONGEST = 12
"""Words of a number."""

SCALES = {
    "thousand": 1e3, "thousands": 1e3, "million": 1e6, "millions": 1e6, "billion": 1e9, "billions": 1e9,
    "trillion": 1e12, "trillions": 1e12, "mn": 1e6, "mln": 1e6, "bn": 1e9, "tn": 1e12, "crore": 1e7, "lakh": 1e5,
    "tausend": 1e3, "millionen": 1e6, "mio": 1e6, "milliarde": 1e9, "milliarden": 1e9, "mrd": 1e9, "billionen": 1e12,
    "tsd": 1e3, "mille": 1e3, "milliard": 1e9, "milliards": 1e9, "md": 1e9, "mds": 1e9, "mil": 1e3, "millon": 1e6,
    "millones": 1e6, "milione": 1e6, "milioni": 1e6, "miliardo": 1e9, "miliardi": 1e9, "mila": 1e3, "milhao": 1e6,
    "milhoes": 1e6, "bilhao": 1e9, "bilhoes": 1e9, "duizend": 1e3, "miljoen": 1e6, "miljard": 1e9, "biljoen": 1e12,
    "dozen": 12, "dozens": 12, "dutzend": 12, "douzaine": 12, "docena": 12, "dozzina": 12, "duzia": 12, "dozijn": 12,
    "万": 1e4, "億": 1e8, "亿": 1e8, "千": 1e3, "百万": 1e6, "兆": 1e12,
}  # fmt: skip
"""Folded words and signs that multiply the number before them; of `billion`, see `scale`."""

_LONG_SCALE = frozenset({"de", "fr", "es", "it", "nl"})
_FRACTIONS = {
    "half": 1 / 2, "third": 1 / 3, "thirds": 1 / 3, "quarter": 1 / 4, "quarters": 1 / 4, "fifth": 1 / 5,
    "fifths": 1 / 5, "sixth": 1 / 6, "tenth": 1 / 10, "tenths": 1 / 10,
    "halfte": 1 / 2, "drittel": 1 / 3, "viertel": 1 / 4, "funftel": 1 / 5, "zehntel": 1 / 10,
    "moitie": 1 / 2, "tiers": 1 / 3, "quart": 1 / 4, "quarts": 1 / 4, "mitad": 1 / 2, "tercio": 1 / 3,
    "tercios": 1 / 3, "cuarto": 1 / 4, "cuartos": 1 / 4, "meta": 1 / 2, "terzo": 1 / 3, "terzi": 1 / 3,
    "metade": 1 / 2, "terco": 1 / 3, "tercos": 1 / 3, "helft": 1 / 2, "derde": 1 / 3, "kwart": 1 / 4,
}  # fmt: skip
_FRACTION_TONGUES = {
    "en": "half third thirds quarter quarters fifth fifths sixth tenth tenths",
    "de": "halfte drittel viertel funftel zehntel",
    "fr": "moitie tiers quart quarts",
    "es": "mitad tercio tercios cuartos",
    "it": "meta terzi",
    "pt": "metade terco tercos",
    "nl": "helft kwart",
}
MULTIPLES = {
    "twice": 2, "double": 2, "doubled": 2, "doubles": 2, "doubling": 2, "twofold": 2, "thrice": 3, "triple": 3,
    "tripled": 3, "triples": 3, "tripling": 3, "threefold": 3, "quadrupled": 4, "fourfold": 4, "tenfold": 10,
    "halved": 0.5, "halves": 0.5, "halving": 0.5,
    "doppelt": 2, "verdoppelt": 2, "verdoppelte": 2, "verdoppelten": 2, "verdreifacht": 3, "halbiert": 0.5,
    "doublé": 2, "triplé": 3, "duplico": 2, "raddoppiato": 2, "verdubbeld": 2, "verdubbelde": 2,
}  # fmt: skip
_ORDINALS = {
    "en": "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first",
    "de": "erste zweite dritte vierte funfte sechste siebte achte neunte zehnte elfte zwolfte",
    "fr": "premier deuxieme troisieme quatrieme cinquieme sixieme septieme huitieme neuvieme dixieme",
    "es": "primer segundo tercer cuarto quinto sexto septimo octavo noveno decimo",
    "it": "primo secondo terzo quarto quinto sesto settimo ottavo nono decimo",
    "pt": "primeiro segundo terceiro quarto quinto sexto setimo oitavo nono decimo",
    "nl": "eerste tweede derde vierde vijfde zesde zevende achtste negende tiende",
}
_AND_A_HALF = frozenset(
    {("and", "a", "half"), ("et", "demi"), ("et", "demie"), ("y", "medio"), ("y", "media"), ("e", "mezzo")}
)
_FRACTION_OF = {code: {word: _FRACTIONS[word] for word in listed.split()} for code, listed in _FRACTION_TONGUES.items()}
_ORDINAL_OF = {code: {word: n for n, word in enumerate(listed.split(), 1)} for code, listed in _ORDINALS.items()}
_NO_NUMBER = frozenset(
    {"hundred", "hundreds", "thousand", "thousands"} | {word for word in SCALES if SCALES[word] >= 1e5}
)
"""Words that say no number where they stand alone."""

_STARTERS = {code: frozenset({*_MORE[code], *_FRACTION_OF[code], *_ORDINAL_OF[code], *MULTIPLES}) for code in _TONGUES}


def may_begin(folded: str, code: str) -> bool:
    """Say whether a written number may begin with a word; cheap."""
    head = folded.partition("-")[0]
    return head in _STARTERS[code] or ordinal(head, code) is not None or _whole(head, code) is not None


def scale(folded: str, code: str) -> float | None:
    """Return what a word multiplies the number before it by; a German or French `billion` is a thousand times ours."""
    if folded in ("billion", "billions", "billones") and code in _LONG_SCALE:
        return 1e12
    return SCALES.get(folded)


def cardinal(folded: str, code: str) -> float | None:
    """Return the value of one number word of a language: `three`, `twenty-one`, `dreihundertfünfzig`."""
    return None if folded in _NO_NUMBER else _whole(folded, code)


@lru_cache(maxsize=8192)
def _whole(words: str, code: str) -> float | None:
    """Return the number that some words are, all of them."""
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
    """Return the place that an ordinal word stands for."""
    known = _ORDINAL_OF[code]
    if code == "de" and folded not in known:
        folded = folded.rstrip("nrsm")
    return known.get(folded)


def fraction(folded: str, code: str) -> float | None:
    """Return the part that a word stands for: `half`, `Drittel`."""
    return _FRACTION_OF[code].get(folded)


def read(folded: Sequence[str], code: str) -> tuple[float, int] | None:
    """Return the number that some words begin with, and how many of them it takes: `two hundred and fifty thousand`.

    A lone `hundred` or `million` is none; it says no number.
    """
    if not folded or cardinal(folded[0], code) is None:
        return None
    value, taken = 0.0, 0
    for size in range(min(len(folded), _LONGEST), 0, -1):
        if (found := _whole(" ".join(folded[:size]), code)) is not None:
            value, taken = found, size
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
