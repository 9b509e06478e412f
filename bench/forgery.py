"""Claims made wrong on purpose, by plain patterns that know nothing of how claims are read."""

import json
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

CLAIMS = Path(__file__).with_name("claims.jsonl")
DISTORTIONS = Path(__file__).with_name("distortions.jsonl")

_YEAR = re.compile(r"\b(?:1[0-9]|20)\d\d\b(?![.,]?\d|\s?(?:km|m|metres|Meter|kilo))")
_NUMBER = re.compile(r"(?<![\w.,/–-])(?:RFC )?\d[\d.,]*\d|(?<![\w.,/–-])\d(?![\w.])")
_MONTHS = re.compile(
    r"\b(January|February|March|April|May|June|July|August|September|October|November|December|Januar|Oktober|"
    r"Dezember|mars)\b"
)
_ENGLISH_MONTHS = _MONTHS.pattern[3:].split("|")[:12]
_OTHER_MONTH = {"mars": "juin", "Januar": "Mai", "Oktober": "Februar", "Dezember": "Juli"}
_WRITTEN = {
    "two": "seven", "three": "five", "four": "nine", "ten": "forty", "twelve": "twenty",
    "dozen": "hundred", "zehn": "zwanzig", "deux": "cinq", "half": "a quarter", "third": "tenth", "twice": "ten times",
    "first": "fourth", "vingt": "trente", "eighteen": "thirty",
}  # fmt: skip
_UNITS = {
    "metres": "feet", "m": "km", "km": "miles", "kilometres": "miles", "kilometre": "mile", "kg": "tonnes",
    "kilograms": "pounds", "percent": "percentage points", "%": "‰", "ms": "s", "seconds": "minutes",
    "second": "hour", "milliseconds": "seconds", "hours": "days", "days": "weeks", "minutes": "hours",
    "months": "weeks", "weeks": "months", "years": "months", "year": "month", "tonnes": "kilograms", "MiB": "KiB",
    "MW": "kW", "W": "kW", "mg": "g", "g": "mg", "°C": "°F", "m/s": "km/h", "leagues": "miles", "million": "billion",
    "billion": "million", "euros": "dollars", "Euro": "Dollar", "guilders": "florins", "Milliarden": "Millionen",
    "Mio.": "Mrd.", "Prozent": "Promille", "Metern": "Kilometern", "Meter": "Kilometer", "mètres": "kilomètres",
    "millions": "milliards", "jours": "semaines", "jour": "semaine", "heures": "jours", "ans": "mois",
    "Quadratkilometer": "Hektar", "km²": "hectares", "Werktage": "Wochen", "W.": "kW.", "km.": "miles.",
}  # fmt: skip
_UNIT_WORDS = "|".join(sorted((re.escape(unit) for unit in _UNITS if unit.isalpha()), key=len, reverse=True))
_UNIT = re.compile(
    rf"(?<=\d)\s?({'|'.join(sorted(map(re.escape, _UNITS), key=len, reverse=True))})(?![\w²/])"
    rf"|(?<=one|two|ten) ({_UNIT_WORDS})\b"
)
_CURRENCY = {"$": "€", "€": "$"}
_NAME = re.compile(r"(?<=[a-zàéèê,] )(?:[dl]')?[A-ZÉ][\wéèäöüß-]+(?: [A-ZÉ][\wéèäöüß-]+){0,2}")
_TWO = re.compile(r"(?<=[a-zü,] )[A-ZÄÖÜ][a-zäöüß]+ [A-ZÄÖÜ][a-zäöüß]+\b")
_NO_NAME = re.compile(r"RFC|Article|Chief Justice|The\b")
_AUXILIARY = re.compile(
    r"\b(is|was|were|are|has|had|can|could|may|must|will|should|ist|wurde|wird|war|hat|haben|galt|gilt|stieg)\b(?! not)"
)
_DENIED = re.compile(r"(?<!but)(?<!,) (?:not|never|nicht(?! mehr))(?= )|(?<=can)not\b|(?<= )n[e']\s?(?=\w+ pas\b)")
_VERBS = {
    "remained": "remain", "reached": "reach", "divided": "divide", "connects": "connect", "started": "start",
    "collected": "collect", "burned": "burn", "left": "leave", "declared": "declare", "occurred": "occur",
    "compared": "compare", "ranges": "range", "protects": "protect", "showed": "show", "fixes": "fix",
    "writes": "write", "keeps": "keep", "reported": "report", "raised": "raise", "charges": "charge",
    "dropped": "drop", "peaked": "peak", "sold": "sell", "spends": "spend", "demonstrated": "demonstrate",
    "incubates": "incubate", "survive": "survive", "wrote": "write", "repealed": "repeal", "passed": "pass",
    "contains": "contain", "flows": "flow", "recorded": "record", "runs": "run", "rises": "rise", "became": "become",
    "consists": "consist", "consist": "consist", "provides": "provide", "retains": "retain", "received": "receive",
    "needed": "need", "attracted": "attract", "moves": "move", "raises": "raise", "cut": "cut", "declined": "decline",
    "managed": "manage", "shared": "share", "owes": "owe", "supplies": "supply", "granted": "grant", "begins": "begin",
}  # fmt: skip
_QUOTES = {
    "en": ["there was simply no other way of doing it", "nobody will ever come close to this again",
           "we knew from the first day that it would succeed", "this is the most important thing I have ever seen",
           "a triumph of patience over common sense"],
    "de": ["so etwas hat hier noch niemand gesehen", "das war der schönste Tag unseres Lebens"],
    "fr": ["personne ne croyait que ce serait possible", "nous avons toujours su que cela réussirait"],
}  # fmt: skip
_HEDGED = re.compile(
    r"\b(?:about|around|roughly|some|nearly|almost|over|approximately|quelque|environ|than|to|wenigstens)\s$"
)


@dataclass(frozen=True, slots=True)
class Row:
    """A passage with a claim near its words, and one that paraphrases it; `held` ones nothing is fitted on."""

    domain: str
    language: str
    held: bool
    passage: str
    near: str
    paraphrase: str


@dataclass(frozen=True, slots=True)
class Case:
    """A claim and the passage that it is judged against; `kind` says how it was made wrong, if it was."""

    kind: str
    claim: str
    passage: str


def pairs(path: Path = CLAIMS) -> list[Row]:
    """Return the rows of the data file."""
    return [Row(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def by_hand(held: bool, path: Path = DISTORTIONS) -> list[Case]:
    """Return paraphrases and distortions that were written by hand, those of the passages that are held out or not."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    chosen = [row for row in rows if row["held"] is held]
    true = [Case("true", claim, row["passage"]) for row in chosen for claim in row["true"]]
    forged = [(kind, claim, row) for row in chosen for kind, claims in row["forged"].items() for claim in claims]
    return [*true, *(Case(kind, claim, row["passage"]) for kind, claim, row in forged)]


def true_cases(rows: Sequence[Row]) -> list[Case]:
    return [
        Case(f"true, {style}", claim, row.passage)
        for row in rows
        for claim, style in ((row.near, "near the words"), (row.paraphrase, "paraphrased"))
    ]


def forged(rows: Sequence[Row], pool: Sequence[Row], seed: int, most: int) -> list[Case]:
    """Return at most `most` forged claims of each kind, with names and passages of a pool; the same for a seed."""
    random_of = random.Random(seed)
    found: list[Case] = []
    for kind, change in KINDS.items():
        cases = [
            Case(kind, *made)
            for row in rows
            for claim in (row.near, row.paraphrase)
            if (made := change(pool, row, claim, random_of)) and made != (claim, row.passage)
        ]
        random_of.shuffle(cases)
        found += cases[:most]
    return found


Change = Callable[[Sequence[Row], Row, str, random.Random], tuple[str, str] | None]
"""From the rows, one of them and its claim: the claim made wrong, and the passage that it is judged against."""


def _in_place(edit: Callable[[str, random.Random], str | None]) -> Change:
    """Make a change of one that edits a claim and leaves its passage."""

    def change(_: Sequence[Row], row: Row, claim: str, random_of: random.Random) -> tuple[str, str] | None:
        made = edit(claim, random_of)
        return None if made is None else (made, row.passage)

    return change


def _put(claim: str, match: re.Match[str], new: str, group: int = 0) -> str:
    return claim[: match.start(group)] + new + claim[match.end(group) :]


def _number(claim: str, random_of: random.Random) -> str | None:
    years = {match.start() for match in _YEAR.finditer(claim)}
    days = {match.end() + 1 for match in _MONTHS.finditer(claim)}
    found = [
        match
        for match in _NUMBER.finditer(claim)
        if match.start() not in years | days and not _MONTHS.match(claim, match.end() + 1) and claim[match.end()] != "."
    ]
    written = [match for match in re.finditer(rf"\b({'|'.join(_WRITTEN)})\b(?!-)", claim) if match[0] in _WRITTEN]
    if not found and not written:
        return None
    match = random_of.choice([*found, *written])
    if match[0] in _WRITTEN:
        return _put(claim, match, _WRITTEN[match[0]])
    return _put(claim, match, _other_number(match[0], bool(_HEDGED.search(claim[: match.start()])), random_of))


def _other_number(text: str, hedged: bool, random_of: random.Random) -> str:
    """Return another number that is written alike: two digits swapped, one changed, or the first one raised."""
    places = [place for place, char in enumerate(text) if char.isdigit()]
    if len(places) > 1 and not hedged and random_of.random() < 0.4:
        for left, right in pairwise(places):
            if text[left] != text[right] and text[right] != "0":
                return text[:left] + text[right] + text[left + 1 : right] + text[left] + text[right + 1 :]
    place = places[0] if hedged else random_of.choice(places[:2])
    digit = str((int(text[place]) - 1 + random_of.randint(1, 8)) % 9 + 1)
    return text[:place] + digit + text[place + 1 :]


def _date(claim: str, random_of: random.Random) -> str | None:
    found = [*_YEAR.finditer(claim), *_MONTHS.finditer(claim)]
    found += [
        match
        for match in re.finditer(r"\b\d\d?\.?(?= ([A-Z]\w+|mars)\b)", claim)
        if _MONTHS.match(claim, match.end() + 1)
    ]
    if not found:
        return None
    match = random_of.choice(found)
    if len(match[0]) == 4 and match[0].isdecimal():
        shift = random_of.choice([-30, -10, -4, -2, -1, 1, 2, 3, 7, 10, 20])
        return _put(claim, match, str(int(match[0]) + shift))
    if match[0][0].isdecimal():
        day = int(match[0].rstrip("."))
        return _put(claim, match, match[0].replace(str(day), str(day % 27 + 1)))
    other = _OTHER_MONTH.get(match[0]) or random_of.choice([month for month in _ENGLISH_MONTHS if month != match[0]])
    return _put(claim, match, other)


def _unit(claim: str, random_of: random.Random) -> str | None:
    found = list(_UNIT.finditer(claim))
    signs = list(re.finditer(r"[$€](?=\d)", claim))
    if not found and not signs:
        return None
    match = random_of.choice([*found, *signs])
    if match[0] in _CURRENCY:
        return _put(claim, match, _CURRENCY[match[0]])
    group = 1 if match[1] else 2
    return _put(claim, match, _UNITS[match[group]], group)


def _name(rows: Sequence[Row], row: Row, claim: str, random_of: random.Random) -> tuple[str, str] | None:
    """Replace a name by one of another passage in the same language that has as many words."""
    language = row.language
    found = _names(claim, language)
    others = [
        match[0]
        for other in rows
        if other.language == language and other is not row
        for match in _names(other.near, language)
    ]
    if not found:
        return None
    match = random_of.choice(found)
    alike = [other for other in others if len(other.split()) == len(match[0].split()) and other not in row.passage]
    return (_put(claim, match, random_of.choice(alike)), row.passage) if alike else None


def _names(text: str, language: str) -> list[re.Match[str]]:
    pattern = _TWO if language == "de" else _NAME
    return [match for match in pattern.finditer(text) if not _MONTHS.search(match[0]) and not _NO_NAME.match(match[0])]


def _negation(claim: str, _: random.Random) -> str | None:
    """Take a denial out, or put one in where an auxiliary or a known verb stands."""
    if match := _DENIED.search(claim):
        without = _put(claim, match, "")
        return re.sub(r"(\w+) pas\b", r"\1", without, count=1) if " pas " in claim else without
    if match := _AUXILIARY.search(claim):
        word = (
            "nicht" if match[0] in ("ist", "wurde", "wird", "war", "hat", "haben", "galt", "gilt", "stieg") else "not"
        )
        return _put(claim, match, f"{match[0]} {word}")
    verbs = [match for match in re.finditer(r"\b[a-z]+\b", claim) if match[0] in _VERBS]
    if not verbs:
        return None
    does = "does not" if verbs[0][0].endswith("s") else "did not"
    return _put(claim, verbs[0], f"{does} {_VERBS[verbs[0][0]]}")


def _swapped(rows: Sequence[Row], row: Row, claim: str, random_of: random.Random) -> tuple[str, str]:
    """Judge a claim against the passage of another of the same language, of its domain where there is one."""
    same = [other for other in rows if other is not row and other.language == row.language]
    near = [other for other in same if other.domain == row.domain]
    return claim, random_of.choice(near or same).passage


def _merged(rows: Sequence[Row], row: Row, claim: str, random_of: random.Random) -> tuple[str, str]:
    """Join a claim with one of another passage of the same language, and judge it against its own passage."""
    same = [other for other in rows if other is not row and other.language == row.language]
    other = random_of.choice(same).near
    joint = {"en": ", and ", "de": ", und ", "fr": ", et "}[row.language]
    return claim.rstrip(".") + joint + _lowered(other), row.passage


def _lowered(claim: str) -> str:
    first = claim.split()[0]
    return (
        claim[0].lower() + claim[1:]
        if first in ("The", "A", "In", "An", "By", "On", "Le", "La", "Der", "Die")
        else claim
    )


def _quote(_: Sequence[Row], row: Row, claim: str, random_of: random.Random) -> tuple[str, str]:
    """Add words in quotation marks that nobody said."""
    language = row.language
    quoted = random_of.choice(_QUOTES[language])
    added = {
        "en": f', or as the source puts it, "{quoted}".',
        "de": f", oder wie es dort heißt: „{quoted}“.",
        "fr": f", ou comme on l'a dit, « {quoted} ».",
    }[language]
    return claim.rstrip(".") + added, row.passage


KINDS: dict[str, Change] = {
    "changed number": _in_place(_number),
    "changed date": _in_place(_date),
    "changed unit": _in_place(_unit),
    "changed name": _name,
    "negation": _in_place(_negation),
    "swapped source": _swapped,
    "merged claims": _merged,
    "invented quote": _quote,
}
