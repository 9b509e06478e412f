"""Words that are nearly the same: inflected, compounded, or misspelt forms of each other."""

from functools import lru_cache

SHORTEST = 4
"""Letters that two forms of a word share at least."""


@lru_cache(maxsize=200_000)
def alike(one: str, other: str) -> float:
    """Return how much two content words are forms of one, from 0 to 1.

    1 for equal ones; else the share of the longer that their common beginning has, or that the shorter one has where it
    stands in the other (`hafen`, `hafenbecken`); 0 below .55. Numbers are equal or not.
    """
    if one == other:
        return 1.0
    short, long = sorted((one, other), key=len)
    if len(short) < SHORTEST or short[:1].isdigit() or long[:1].isdigit():
        return 0.0
    common = next((n for n, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short))
    share = common / len(long) if common >= SHORTEST else 0.0
    if len(short) > SHORTEST and short in long:
        share = max(share, 0.6)
    return share if share >= 0.55 else 0.0
