"""What a worker does of an ingest: it reads some documents, cuts, embeds and writes them."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from .. import __version__
from ..kernel.errors import EmbedderError, RunError
from ..kernel.journal import Journal
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..rag.embed import embedder_of
from ..rag.ingest import FileReader, Keys
from ..rag.shared_vectors import SharedVectors
from ..rag.store import Store, store_of
from ..rag.walk import WalkedFile, found_at


def read(root: Path, paths: Sequence[str], settings: Settings, version: str) -> None:
    """Bring documents of a folder into the index in the database, with their vectors; those that are in it stay.

    So it may be done again, wherever it was left. Raises RunError for a worker of another version, and DatabaseError.
    """
    if version != __version__:
        raise RunError(f"This worker has Spyglass {__version__}, the ingest is one of {version}", remedy="Update it.")
    asyncio.run(_read(root, paths, settings))


async def _read(root: Path, paths: Sequence[str], settings: Settings) -> None:
    async with Run(f"ingest {root}", settings, journal=Journal()) as run:
        store = await store_of(run, settings, root)
        keys = await in_thread(Keys, settings)
        files = await in_thread(_missing, store, keys, paths)
        await FileReader(run, settings, store, store.base, keys).read(files, None)
        if settings.retrieval.dense:
            await _embed(run, settings, store, paths)


def _missing(store: Store, keys: Keys, paths: Sequence[str]) -> list[WalkedFile]:
    """Return the documents that the index has not as they are."""
    known = store.texts.known(paths)
    files = [found for path in paths if (found := found_at(store.base, path)) is not None]
    return [
        file
        for file in files
        if file.path not in known or known[file.path].stamp != file.stamp or not keys.fits(known[file.path])
    ]


async def _embed(run: Run, settings: Settings, store: Store, paths: Sequence[str]) -> None:
    """Give the passages of documents their vectors; who began the ingest says why there are none."""
    vectors = store.vectors
    assert isinstance(vectors, SharedVectors)
    after = 0
    try:
        embedder = embedder_of(settings)
        while batch := await in_thread(vectors.pending, embedder.id, after, embedder.batch, paths):
            made = await embedder.embed(run, [chunk.text for chunk in batch])
            await in_thread(vectors.add, embedder.id, batch, made)
            after = batch[-1].row
    except EmbedderError:
        pass
