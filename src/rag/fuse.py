"""Reciprocal rank fusion of the legs of a search: the lexical (by words) and the dense one (by vectors)."""

from collections.abc import Sequence
from dataclasses import dataclass

K = 60  # the constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009)
BESIDE = 0.8
"""The share of a leg's threshold that a chunk must reach to accompany an answer. On the Cranfield abstracts the nDCG@10
of the lexical leg is .388 with .5, .387 with .8, .381 with 1; that of both legs is .437 with .5, .434 with .8."""

Key = tuple[int, int]  # the number of an index, and a row in it


@dataclass(frozen=True, slots=True)
class LegHit:
    """A chunk that a leg found: its key, its score in the leg, and how well it covers the query, from 0 to 1.

    `coverage` is the weighted share of the query's words in the lexical leg, the nearness in the dense leg.
    """

    key: Key
    score: float
    coverage: float


@dataclass(frozen=True, slots=True)
class Leg:
    """The hits of one search method, best first, its weight in the fusion, and the least `coverage` of an answer.

    With a `least` over 1, no chunk is an answer.
    """

    hits: Sequence[LegHit]
    weight: float
    least: float

    @property
    def answers(self) -> bool:
        """Whether any chunk covers enough of the query to be an answer."""
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
    """Return the chunks of both legs with their fused scores.

    With `floor`, a chunk has ranks only if it is near in a leg, and no chunk has ranks if none is an answer.
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
