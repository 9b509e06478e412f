"""Measures the likeness of words: inflected, derived or compound forms of each other."""

from functools import lru_cache

SHORTEST = 4
"""Fewest letters that two forms of a word share."""

DERIVED = 0.9
"""Likeness of two words that differ only in the ending of a derivation."""

_FAMILIES = {
    "bl": ["bility", "bilit", "bilidad", "bilita", "bilitat", "biliteit", "bil", "biel", "vel"],
    "bar": ["barkeit"],
    "baar": ["baarheid"],
    "": ["ness", "ung", "heit", "keit", "heid"],
}
"""Endings of roots that are replaced by the one of their family: stability, stabile, stable."""


@lru_cache(maxsize=200_000)
def alike(one: str, other: str) -> float:
    """Return the likeness of two content words as forms of one word, from 0 to 1.

    It is 1 for equal words, DERIVED if they differ only in the ending of a derivation (`stability`, `stabl`), else the
    share of the longer word in their common beginning, and at least 0.6 if the longer word contains the other (`hafen`,
    `hafenbecken`); 0 below 0.55. Different numbers have 0.
    """
    if one == other:
        return 1.0
    short, long = sorted((one, other), key=len)
    if len(short) < SHORTEST or short[:1].isdigit() or long[:1].isdigit():
        return 0.0
    if _base(one) == _base(other):
        return DERIVED
    common = next((n for n, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short))
    share = common / len(long) if common >= SHORTEST else 0.0
    if len(short) > SHORTEST and short in long:
        share = max(share, 0.6)
    return share if share >= 0.55 else 0.0


def _base(root: str) -> str:
    """Return a root with its ending replaced by the one of its family; three letters at least must remain."""
    found = ((end, base) for base, ends in _FAMILIES.items() for end in ends if root.endswith(end))
    end, base = max(found, key=lambda pair: len(pair[0]), default=("", ""))
    return root.removesuffix(end) + base if len(root) - len(end) >= SHORTEST - (base != "") else root
