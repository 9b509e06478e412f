"""Fuses the results of the legs of a search into one ranking."""

from collections.abc import Sequence
from dataclasses import dataclass

K = 60  # the constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009)
BESIDE = 0.8
"""The share of a leg's threshold that a chunk beside an answer must meet. On the Cranfield abstracts the nDCG@10 by
words is .388 with a half, .387 with this, .381 with all; by meaning too it is .437 with a half, .434 with this."""

Key = tuple[int, int]  # the number of an index, and a row in it


@dataclass(frozen=True, slots=True)
class LegHit:
    """A chunk that a leg found: its key, its score in the leg, and how much of the query it meets, from 0 to 1.

    `coverage` is the share of the query's words in the lexical leg, the nearness in the dense one.
    """

    key: Key
    score: float
    coverage: float


@dataclass(frozen=True, slots=True)
class Leg:
    """The hits of one search method, best first; its weight in the fusion; the least `coverage` of an answer.

    From a leg whose least is over 1 no chunk is an answer.
    """

    hits: Sequence[LegHit]
    weight: float
    least: float

    @property
    def answers(self) -> bool:
        """Whether any chunk meets enough of the query to be an answer to it."""
        return any(hit.coverage >= self.least for hit in self.hits)

    @property
    def near(self) -> set[Key]:
        """The chunks that may accompany an answer."""
        return {hit.key for hit in self.hits if hit.coverage >= BESIDE * self.least}

    def ranks(self) -> dict[Key, int]:
        """Return the rank of each chunk, from 1."""
        return {hit.key: rank for rank, hit in enumerate(self.hits, start=1)}


NO_LEG = Leg((), 0.0, 0.0)  # a leg that was not searched


@dataclass(frozen=True, slots=True)
class FusedChunk:
    """A chunk with its fused score, at most 1, and its rank in each leg."""

    key: Key
    score: float
    lexical: int | None
    dense: int | None


def fused(lexical: Leg, dense: Leg, *, floor: bool = True) -> list[FusedChunk]:
    """Return the chunks with their scores over both legs.

    With a `floor`, chunks that are near in no leg have no rank, and none has one when no chunk is an answer.
    """
    lexical_ranks, dense_ranks = lexical.ranks(), dense.ranks()
    near = lexical_ranks.keys() | dense_ranks.keys()
    if floor:
        near = lexical.near | dense.near if lexical.answers or dense.answers else set()
    most = (lexical.weight + dense.weight) / (K + 1)
    candidates = []
    for key in lexical_ranks.keys() | dense_ranks.keys():
        lexical_rank, dense_rank = lexical_ranks.get(key), dense_ranks.get(key)
        score = (_share(lexical_rank, lexical) + _share(dense_rank, dense)) / most
        ranks = (lexical_rank, dense_rank) if key in near else (None, None)
        candidates.append(FusedChunk(key, score, *ranks))
    return candidates


def _share(rank: int | None, leg: Leg) -> float:
    return 0.0 if rank is None else leg.weight / (K + rank)
