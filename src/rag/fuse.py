"""Joins what the legs of a search found into one order."""

from collections.abc import Sequence
from dataclasses import dataclass

K = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009)."""


@dataclass(frozen=True, slots=True)
class Found:
    """A chunk that a leg found: the number of its index, its row, its score there, and how much of the query it meets.

    `met` lies between 0 and 1: the share of the query's words in the lexical leg, the cosine in the dense one.
    """

    index: int
    row: int
    score: float
    met: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk with its place in the fused order: its score, at most 1, and its rank in each leg, from 1."""

    index: int
    row: int
    score: float
    lexical: int | None
    dense: int | None


def fused(lexical: Sequence[Found], dense: Sequence[Found], dense_weight: float) -> list[Candidate]:
    """Return every chunk of the two legs, each best first, with its fused score; the lexical leg has weight 1."""
    lexical_ranks = {(one.index, one.row): rank for rank, one in enumerate(lexical, start=1)}
    dense_ranks = {(one.index, one.row): rank for rank, one in enumerate(dense, start=1)}
    best = (1 + (dense_weight if dense else 0)) / (K + 1)
    return [
        Candidate(
            *key,
            (_share(lexical_ranks.get(key), 1) + _share(dense_ranks.get(key), dense_weight)) / best,
            lexical_ranks.get(key),
            dense_ranks.get(key),
        )
        for key in dict.fromkeys((*lexical_ranks, *dense_ranks))
    ]


def _share(rank: int | None, weight: float) -> float:
    return 0.0 if rank is None else weight / (K + rank)
