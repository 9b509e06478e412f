"""Numbers that are written out, in seven languages."""

from collections.abc import Iterator, Sequence

_SMALL = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen",
    "de": "null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn "
    "siebzehn achtzehn neunzehn",
    "fr": "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept "
    "dix-huit dix-neuf",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis "
    "diecisiete dieciocho diecinueve",
    "it": "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici "
    "diciassette diciotto diciannove",
    "pt": "zero um dois tres quatro cinco seis sete oito nove dez onze doze treze quatorze quinze dezasseis dezassete "
    "dezoito dezanove",
    "nl": "nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien "
    "zeventien achttien negentien",
}
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig",
    "fr": "vingt trente quarante cinquante soixante soixante-dix quatre-vingt quatre-vingt-dix",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "it": "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
    "pt": "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
    "nl": "twintig dertig veertig vijftig zestig zeventig tachtig negentig",
}
_HUNDREDS = {
    "en": "hundred hundreds",
    "de": "hundert",
    "fr": "cent cents",
    "es": "cien ciento",
    "it": "cento",
    "pt": "cem cento",
    "nl": "honderd",
}
_MORE: dict[str, dict[str, float]] = {
    "en": {"dozen": 12, "nought": 0, "both": 2},
    "de": {
        "ein": 1,
        "zwo": 2,
        "anderthalb": 1.5,
        "eineinhalb": 1.5,
        "zweieinhalb": 2.5,
        "dreieinhalb": 3.5,
        "dutzend": 12,
        "beide": 2,
        "beiden": 2,
    },
    "fr": {"une": 1, "septante": 70, "huitante": 80, "nonante": 90, "quatre-vingts": 80, "douzaine": 12},
    "es": {"un": 1.0, "una": 1, "quinientos": 500, "quinientas": 500, "setecientos": 700, "novecientos": 900}
    | {f"{small}cientos": n * 100 for n, small in ((2, "dos"), (3, "tres"), (4, "cuatro"), (6, "seis"), (8, "ocho"))}
    | {
        f"veinti{small}": 20 + n
        for n, small in enumerate(["uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve"], 1)
    }
    | {"docena": 12, "ambos": 2, "ambas": 2},
    "it": {"un": 1, "una": 1, "dozzina": 12, "entrambi": 2, "entrambe": 2},
    "pt": {"uma": 1.0, "duas": 2, "catorze": 14, "duzentos": 200, "trezentos": 300, "quinhentos": 500, "duzia": 12}
    | {"dezesseis": 16, "dezessete": 17, "dezenove": 19, "ambos": 2, "ambas": 2}
    | {f"{small}centos": n * 100 for n, small in ((4, "quatro"), (6, "seis"), (7, "sete"), (8, "oito"), (9, "nove"))},
    "nl": {"dozijn": 12, "beide": 2},
}
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
_LINKS = frozenset({"and", "und", "et", "y", "e", "en", "-"})


def _cardinals(code: str) -> dict[str, float]:
    known = {word: n for n, word in enumerate(_SMALL[code].split())}
    tens = {word: n * 10 for n, word in enumerate(_TENS[code].split(), 2)}
    ones = [(word, n) for word, n in known.items() if 0 < n < 10]
    joined: dict[str, float] = {}
    for ten, value in tens.items():
        for one, n in ones:
            if code in ("de", "nl"):
                unit = "ein" if one == "eins" else one
                joined |= (
                    {f"{unit}und{ten}": value + n, f"{unit}en{ten}": value + n}
                    if code == "de"
                    else {f"{one}en{ten}": value + n}
                )
            elif code == "it":
                joined |= {f"{ten}{one}": value + n, f"{ten[:-1]}{one}": value + n}
            else:
                joined[f"{ten}-{one}"] = value + n
    if code == "fr":
        teens = [(word, n) for word, n in known.items() if 10 <= n < 20]
        joined |= {f"soixante-{word}": 60 + n for word, n in teens}
        joined |= {f"quatre-vingt-{word}": 80 + n for word, n in teens}
    return known | tens | joined | _MORE[code]


_CARDINALS = {code: _cardinals(code) for code in _SMALL}
_FRACTION_OF = {code: {word: _FRACTIONS[word] for word in listed.split()} for code, listed in _FRACTION_TONGUES.items()}
_ORDINAL_OF = {code: {word: n for n, word in enumerate(listed.split(), 1)} for code, listed in _ORDINALS.items()}
_HUNDRED_OF = {code: frozenset(listed.split()) for code, listed in _HUNDREDS.items()}
_THOUSAND = {"de": "tausend", "nl": "duizend", "it": "mila"}


_STARTERS = {
    code: frozenset({*_CARDINALS[code], *_FRACTION_OF[code], *_ORDINAL_OF[code], *_HUNDRED_OF[code], *MULTIPLES})
    - {"a", "an"}
    for code in _SMALL
}


def may_begin(folded: str, code: str) -> bool:
    """Say whether a written number may begin with a word; cheap."""
    if folded in _STARTERS[code]:
        return True
    if "-" in folded:
        return folded.partition("-")[0] in _STARTERS[code]
    if code == "de":
        return folded.rstrip("nrsm") in _ORDINAL_OF[code] or (len(folded) > 7 and cardinal(folded, code) is not None)
    return code in _THOUSAND and len(folded) > 7 and cardinal(folded, code) is not None


def scale(folded: str, code: str) -> float | None:
    """Return what a word multiplies the number before it by; a German or French `billion` is a thousand times ours."""
    if folded in ("billion", "billions", "billones") and code in _LONG_SCALE:
        return 1e12
    return SCALES.get(folded)


def cardinal(folded: str, code: str) -> float | None:
    """Return the value of one number word of a language: `three`, `twenty-one`, `dreihundertfünfzig`."""
    value = _CARDINALS[code].get(folded)
    if value is None and code in _THOUSAND and len(folded) > 7:
        return _compound(folded, code)
    return value


def _compound(folded: str, code: str) -> float | None:
    """Return the value of a number that is written as one word: hundreds and thousands around smaller ones."""
    for mark, factor in ((_THOUSAND[code], 1000), (_HUNDREDS[code], 100)):
        before, found, after = folded.partition(mark)
        if not found:
            continue
        first = 1 if not before else cardinal(before.removesuffix("und"), code)
        rest = 0 if not after else cardinal(after.removeprefix("und"), code)
        return None if first is None or rest is None else first * factor + rest
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


def is_hundred(folded: str, code: str) -> bool:
    """Say whether a word multiplies by a hundred in a language."""
    return folded in _HUNDRED_OF[code]


def read(folded: Sequence[str], code: str) -> tuple[float, int] | None:
    """Return the number that some words begin with, and how many of them it takes: `two hundred and fifty thousand`.

    A lone `hundred` or `million` is none; it says no number.
    """
    total, current, taken = 0.0, 0.0, 0
    started = False
    for place, word in _steps(folded):
        if place < taken:
            continue
        if (started and tuple(folded[place : place + 3]) in _AND_A_HALF) or tuple(
            folded[place : place + 2]
        ) in _AND_A_HALF:
            current += 0.5
            taken = place + (3 if tuple(folded[place : place + 3]) in _AND_A_HALF else 2)
            continue
        value = cardinal(word, code)
        if value is not None and (not started or _fits(current, value)):
            current, started = current + value, True
        elif is_hundred(word, code) and (started or code != "en"):
            current, started = (current % 1000 or 1) * 100 + (current - current % 1000), True
        elif (factor := scale(word, code)) and started:
            total, current = total + (current or 1) * factor, 0.0
        elif word in _LINKS and started and _continues(folded, place, code, current or total):
            continue
        else:
            break
        taken = place + 1
    return (total + current, taken) if started else None


def _steps(folded: Sequence[str]) -> Iterator[tuple[int, str]]:
    yield from enumerate(folded[:12])


def _fits(current: float, value: float) -> bool:
    """Say whether a number word goes on with what was read: a smaller one after tens, hundreds or thousands."""
    if current == 0:
        return True
    if current % 100 == 0:
        return value < 100
    return current % 10 == 0 and current % 100 >= 20 and 0 < value < 10


def _continues(folded: Sequence[str], place: int, code: str, current: float) -> bool:
    if place + 1 >= len(folded):
        return False
    value = cardinal(folded[place + 1], code)
    if value is None:
        return False
    if code == "en" and folded[place] != "-":
        return current >= 100 and current % 100 == 0 and value < 100
    return _fits(current, value) and current >= 20
