"""What the words around a number make of it: a least or most, about, the amount of a change or its goal."""

from .clause import NEGATORS
from .lexicon import lexicon
from .word import TokenizedText

_LISTS = lexicon("bound")

_UP = (
    "at least|more than|over|above|no less than|no fewer than|not less than|upwards of|minimum of|exceeding|"
    "exceeded|exceeds|mindestens|wenigstens|mehr als|uber|au moins|plus de|al menos|mas de|por lo menos|almeno|"
    "piu di|pelo menos|mais de|minstens|meer dan|ten minste"
)
_DOWN = (
    "at most|no longer than|not longer than|no later than|no higher than|at the most|less than|fewer than|"
    "under|below|up to|no more than|not more than|maximum of|hochstens|weniger als|"
    "unter|bis zu|au plus|moins de|jusqu'a|a lo sumo|menos de|como maximo|hasta|al massimo|meno di|no maximo|ate|"
    "hoogstens|minder dan|tot"
)
_ROUGH = (
    "about|around|approximately|approx|roughly|nearly|almost|some|circa|ca|close to|just over|just under|"
    "an estimated|estimated|slightly over|slightly under|well over|as many as|as much as|etwa|rund|ungefahr|fast|"
    "knapp|gut|environ|pres de|presque|quelque|a peu pres|unos|unas|casi|cerca de|alrededor de|aproximadamente|"
    "quasi|quase|ongeveer|bijna|rond|~|≈|c"
)
_BEFORE = {phrase: mark for listed, mark in ((_UP, "+"), (_DOWN, "-"), (_ROUGH, "~")) for phrase in listed.split("|")}
_LAST_WORDS = frozenset(phrase.split()[-1] for phrase in _BEFORE)
_BEHIND = {
    **dict.fromkeys(("at least", "or more", "or above", "or higher", "oder mehr", "ou plus", "o mas"), "+"),
    **dict.fromkeys(
        ("at most", "or less", "or fewer", "or below", "or lower", "oder weniger", "ou moins", "o menos"), "-"
    ),
}
_OPPOSITE = {"+": "-", "-": "+"}
_ROLES = {"by": "by", "um": "by", "to": "to", "auf": "to"}
_CHANGES = _LISTS["changes"]
_BEHIND_CHANGE = 6


def bound(reading: TokenizedText, first: int, last: int) -> str:
    """Return what the words around a number say of it: `+` at least, `-` at most, `~` about, empty for nothing.

    A denial before them turns them round: `never below 5` is at least 5.
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


def role(reading: TokenizedText, first: int) -> str:
    """Return `by` or `to` before the amount or the goal of a change, empty elsewhere."""
    found = _ROLES.get(reading.folded(first - 1), "")
    if not found or reading.words[first - 2].kind == "number":
        return ""
    around = range(first - _BEHIND_CHANGE, first)
    return found if any(reading.folded(index) in _CHANGES for index in around) else ""
