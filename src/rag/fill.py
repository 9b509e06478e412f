"""Gives every chunk of an index its vector."""

import asyncio
from array import array
from collections.abc import Sequence

from ..kernel.events import IngestProgress
from ..kernel.run import Run
from ..kernel.thread import in_thread
from .embed import Embedder, Vector
from .index import Pending, VectorIndex
from .store import Store


async def fill(run: Run, store: Store, embedder: Embedder, *, pause: float = 0.0) -> int:
    """Embed chunks without a vector and sweep unused vectors, after a pause; return how many were stored.

    Every batch is stored when it is made, so this may be ended at any time and continued later, in another run, too. Of
    the runs that share the store one fills it, and the others wait. Raises EmbedderError, and does nothing in a store
    that another process holds.
    """
    if store.vectors is None:
        return 0
    await asyncio.sleep(pause)
    async with store.filling:
        return await _fill(run, store.vectors, embedder)


async def _fill(run: Run, vectors: VectorIndex, embedder: Embedder) -> int:
    total = await in_thread(vectors.missing, embedder.id)
    done, began, after = 0, run.seconds, 0
    while True:
        batch = await in_thread(vectors.pending, embedder.id, after, embedder.batch)
        if not batch and after == 0:
            await in_thread(vectors.sweep, embedder.id)
            return done
        if batch:
            new_vectors = await _vectors_of(run, embedder, batch)
            await in_thread(vectors.add, embedder.id, batch, new_vectors)
            done += len(batch)
            left = (run.seconds - began) / done * max(0, total - done)
            run.emit(IngestProgress("embed", done, max(done, total), left))
        # Once through, look again: opening the store may have shown that vectors noted before are not there.
        after = batch[-1].row if batch else 0


async def _vectors_of(run: Run, embedder: Embedder, chunks: Sequence[Pending]) -> list[Vector]:
    """Return the vectors of chunks; existing vectors are reused."""
    new_vectors = iter(await embedder.embed(run, [chunk.text for chunk in chunks if chunk.existing is None]))
    return [next(new_vectors) if chunk.existing is None else array("f", chunk.existing).tolist() for chunk in chunks]
