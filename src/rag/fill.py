"""Embedding of the chunks of an index that have no vector yet."""

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
    """Embed the chunks without a vector and delete unused vectors, after a pause; return how many were stored.

    Each batch is stored at once, so the work may be cancelled at any time and continued later, also by another run. Of
    the runs that share the store, one fills it while the others wait. Does nothing if another process has locked the
    store. Raises EmbedderError.
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
        # After a complete pass, start again: opening Chroma may have shown that recorded vectors are missing.
        after = batch[-1].row if batch else 0


async def _vectors_of(run: Run, embedder: Embedder, chunks: Sequence[Pending]) -> list[Vector]:
    """Return the vectors of chunks; existing vectors are reused."""
    new_vectors = iter(await embedder.embed(run, [chunk.text for chunk in chunks if chunk.existing is None]))
    return [next(new_vectors) if chunk.existing is None else array("f", chunk.existing).tolist() for chunk in chunks]
