"""Dense search: finds chunks by the nearness of vectors."""

from collections.abc import Sequence

from ..kernel.errors import EmbedderError, IndexBusyError
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.thread import in_thread
from .embed import Embedder
from .fuse import LegHit
from .index import VectorIndex
from .store import Store


class VectorsMissingError(EmbedderError):
    """Some passages have no vector yet."""


async def by_meaning(run: Run, stores: Sequence[Store], embedder: Embedder, query: str, limit: int) -> list[LegHit]:
    """Return the chunks of all indexes whose vectors are nearest to the query's, best first, `limit` of each index.

    Raises IndexBusyError, EmbedderError, and VectorsMissingError unless every chunk of every index has a vector: a
    search over a part of the passages would favour these.
    """
    opened = [_vectors(store) for store in stores]
    for vectors in opened:
        if await in_thread(vectors.missing, embedder.id):
            raise VectorsMissingError(Notice("without_all_vectors"))
    (vector,) = await embedder.embed(run, [query])
    hits = []
    for number, vectors in enumerate(opened):
        nearest = await in_thread(vectors.nearest, embedder.id, vector, limit)
        hits += [LegHit((number, row), cosine, max(0.0, cosine)) for row, cosine in nearest]
    return sorted(hits, key=lambda hit: -hit.score)


def _vectors(store: Store) -> VectorIndex:
    if store.vectors is None:
        held = Notice("index_held", folder=str(store.root))
        raise IndexBusyError(held, remedy=Notice("ask_when_it_has_ended"))
    return store.vectors
