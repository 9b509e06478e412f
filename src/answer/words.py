"""Words that are nearly the same: inflected, compounded, or misspelt forms of each other."""

from functools import lru_cache

SHORTEST = 4
"""Letters that two forms of a word share at least."""

DERIVED = 0.9
"""How much two words are alike that differ only in how one is made of the other."""

_FAMILIES = {
    "bl": ["bility", "bilit", "bilidad", "bilita", "bilitat", "biliteit", "bil", "biel", "vel"],
    "bar": ["barkeit"],
    "baar": ["baarheid"],
    "": ["ness", "ung", "heit", "keit", "heid"],
}
"""Endings of roots, the longest of a family first, that one of a family may stand for: stability, stabile, stable."""


@lru_cache(maxsize=200_000)
def alike(one: str, other: str) -> float:
    """Return how much two content words are forms of one, from 0 to 1.

    1 for equal ones; else the share of the longer that their common beginning has, or that the shorter one has where it
    stands in the other (`hafen`, `hafenbecken`); 0 below .55; what differs in the ending of a derivation alone is
    DERIVED (`stability`, `stabl`). Numbers are equal or not.
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
    """Return a root with the ending that stands for those of its family; the rest of it has three letters at least."""
    found = ((end, base) for base, ends in _FAMILIES.items() for end in ends if root.endswith(end))
    end, base = max(found, key=lambda pair: len(pair[0]), default=("", ""))
    return root.removesuffix(end) + base if len(root) - len(end) >= SHORTEST - (base != "") else root
