"""The worker's side of an ingest: the steps of the pipeline, each for one batch of documents."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from .. import __version__
from ..kernel.database import database_of
from ..kernel.errors import DatabaseError, EmbedderError, FolderError, RunError
from ..kernel.journal import Journal
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..rag import WalkedFile, passage_embedder
from ..rag.index import FileReading
from ..rag.ingest import FileReader, Keys
from ..rag.shared_vectors import SharedVectors
from ..rag.store import Store, store_of
from ..rag.walk import found_at
from .ingest_rows import IngestRows, Step

MOST_TRIES: Final = 3  # failures on a document, alone or with its batch, before it is set aside
Batch: TypeAlias = dict[str, Any]  # a row of the pipeline: the `paths` of some documents
Work: TypeAlias = Callable[[Run, Store, list[str]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Reader:
    """Indexes documents of a folder in the database, except unchanged ones.

    A step can be repeated after its worker died anywhere: the database records which documents it was processing, and
    each of them is then tried by itself. Raises RunError on a worker of another version, FolderError on one without the
    folder, and DatabaseError.
    """

    root: Path
    settings: Settings
    ingest: int
    version: str = __version__

    def convert(self, batch: Batch) -> Batch:
        """Convert documents, split them into passages, and store these."""
        return asyncio.run(self._process(batch, "converting", self._convert))

    def embed(self, batch: Batch) -> Batch:
        """Embed the passages of documents; the process that started the ingest reports why vectors are missing."""
        return asyncio.run(self._process(batch, "embedding", self._embed_pending))

    async def _process(self, batch: Batch, step: Step, work: Work) -> Batch:
        if self.version != __version__:
            raise RunError(
                f"This worker has Spyglass {__version__}, but the ingest needs {self.version}",
                remedy=f"Install {self.version} on every node.",
            )
        if not await in_thread(self.root.exists):
            raise FolderError(
                f"A worker does not have {self.root}", remedy="Provide it on every node, under the same path."
            )
        async with Run(f"ingest {self.root}", self.settings, journal=Journal()) as run:
            store = await store_of(run, self.settings, self.root)
            rows = IngestRows(database_of(self.settings), self.ingest)
            mark = rows.mark_converted if step == "converting" and self.settings.retrieval.dense else rows.mark_done
            first_tries, retries = await in_thread(rows.begin_step, batch["paths"], step)
            failed = dict.fromkeys(retries, "it crashed its worker's process")
            if first_tries and (why := await _trouble(work(run, store, first_tries))):
                failed |= dict.fromkeys(first_tries, why)
            else:
                await in_thread(mark, first_tries)
            for path, why in failed.items():
                while why and await in_thread(rows.again, path) <= MOST_TRIES:
                    why = await _trouble(work(run, store, [path]))
                await (self._set_aside(store, rows, path, why) if why else in_thread(mark, [path]))
        return batch

    async def _set_aside(self, store: Store, rows: IngestRows, path: str, why: str) -> None:
        reason, key = f"Set aside: {why}", (await in_thread(Keys, self.settings)).of(is_whole=False)
        if (file := await in_thread(found_at, store.base, path)) is not None:
            await in_thread(store.texts.keep, [FileReading(path, file.stamp, "", key, reason=reason)])
        await in_thread(rows.set_aside, path, reason)

    async def _convert(self, run: Run, store: Store, paths: list[str]) -> None:
        keys = await in_thread(Keys, self.settings)
        files = await in_thread(_missing, store, keys, paths)
        await FileReader(run, self.settings, store, store.base, keys).read(files, None)

    async def _embed_pending(self, run: Run, store: Store, paths: list[str]) -> None:
        vectors = store.vectors
        assert isinstance(vectors, SharedVectors)
        after = 0
        try:
            embedder = passage_embedder(self.settings)
            while batch := await in_thread(vectors.pending, embedder.id, after, embedder.batch, paths):
                batch_vectors = await embedder.embed(run, [chunk.text for chunk in batch])
                await in_thread(vectors.add, embedder.id, batch, batch_vectors)
                after = batch[-1].row
        except EmbedderError:
            pass


def _missing(store: Store, keys: Keys, paths: list[str]) -> list[WalkedFile]:
    """Return the documents that are new or changed since they were indexed."""
    known = store.texts.file_records(paths)
    files = [file for path in paths if (file := found_at(store.base, path)) is not None]
    return [
        file
        for file in files
        if file.path not in known or known[file.path].stamp != file.stamp or not keys.fits(known[file.path])
    ]


async def _trouble(work: Awaitable[None]) -> str:
    """Return why work failed, empty if it did not. Raises any RunError but DatabaseError: no document causes it."""
    try:
        await work
    except Exception as error:  # a document may cause any exception in a library or the database
        if isinstance(error, RunError) and not isinstance(error, DatabaseError):
            raise
        return f"its worker failed: {error}"
    return ""
