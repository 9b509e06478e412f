"""The vectors of an index, in ChromaDB; which of them it holds is noted in the index's tables."""

import shutil
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ..errors import EmbedderError
from ..source import digest
from .chunk import HEADINGS
from .embed import Vector
from .tables import Tables, marks

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

Value = TypeVar("Value")

BATCH = 500
"""How many vectors are deleted or listed at a time."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A chunk without a vector: its row, the id that its vector will have, its file, and the text to embed."""

    row: int
    vector: str
    path: str
    text: str


class Vectors:
    """The vectors of one index: a collection for each embedder and dimension. Thread-safe; every call blocks.

    The id of a vector is derived from what was embedded: a new version of a chunk has a new id, and an unchanged
    chunk of a changed file keeps its vector. The tables say what counts: a vector that no chunk has is never a hit. A
    store that is damaged is emptied, and filled again by the next ingest. Raises EmbedderError.
    """

    def __init__(self, tables: Tables, folder: Path) -> None:
        self._tables = tables
        self._folder = folder
        self._lock = threading.RLock()
        self._client: ClientAPI | None = None
        self._collections: dict[tuple[str, int], Collection] = {}

    def close(self) -> None:
        """Close the client."""
        with self._lock:
            if self._client is not None:
                self._client.close()  # type: ignore[attr-defined]  # PersistentClient is declared less than it is
            self._client = None
            self._collections.clear()

    # What has a vector, by the tables

    def dimension(self, embedder: str) -> int | None:
        """Return the dimension of the vectors that an embedder has here, None when it has none."""
        with self._tables.transaction() as db:
            row = db.execute("SELECT dimension FROM embedded WHERE embedder = ? LIMIT 1", (embedder,)).fetchone()
            return None if row is None else int(row[0])

    def missing(self, embedder: str) -> int:
        """Return how many chunks have no vector of this embedder; counted again only after a change."""
        return self._tables.remembered(f"missing {embedder}", lambda: self._count_missing(embedder))

    def _count_missing(self, embedder: str) -> int:
        with self._tables.transaction() as db:
            row = db.execute(
                "SELECT count(*) FROM chunk WHERE vector NOT IN (SELECT vector FROM embedded WHERE embedder = ?)",
                (embedder,),
            ).fetchone()
            return int(row[0])

    def pending(self, embedder: str, after: int, limit: int) -> list[Pending]:
        """Return the next chunks behind the row `after` that have no vector of this embedder."""
        with self._tables.transaction() as db:
            rows = db.execute(
                "SELECT chunk.id, vector, path, title, heading, start, end, text_hash "
                "FROM chunk JOIN file ON file.id = chunk.file WHERE chunk.id > ? AND NOT EXISTS (SELECT 1 FROM "
                "embedded WHERE embedder = ? AND embedded.vector = chunk.vector) ORDER BY chunk.id LIMIT ?",
                (after, embedder, limit),
            ).fetchall()
            texts = {}
            for *_, text_hash in rows:
                if text_hash not in texts:
                    (texts[text_hash],) = db.execute("SELECT text FROM text WHERE hash = ?", (text_hash,)).fetchone()
        return [
            Pending(row, vector, path, _in_context(title, heading, texts[text_hash][start:end]))
            for row, vector, path, title, heading, start, end, text_hash in rows
        ]

    def stale(self, embedder: str) -> list[str]:
        """Return the vectors that no chunk has any more."""
        with self._tables.transaction() as db:
            rows = db.execute(
                "SELECT vector FROM embedded WHERE embedder = ? AND vector NOT IN (SELECT vector FROM chunk)",
                (embedder,),
            )
            return [vector for (vector,) in rows]

    # What is stored, in Chroma

    def add(self, embedder: str, chunks: Sequence[Pending], vectors: Sequence[Vector]) -> None:
        """Store the vectors of these chunks, and only then note that they are there."""
        import numpy as np

        unique = {chunk.vector: (chunk.path, vector) for chunk, vector in zip(chunks, vectors, strict=True)}
        dimension = len(vectors[0])
        if self.dimension(embedder) not in (None, dimension):
            self._forget(embedder)  # another model under the same name: its vectors are of no use beside these
        matrix = np.array([vector for _, vector in unique.values()], dtype=np.float32)
        self._with_collection(
            embedder,
            dimension,
            lambda collection: collection.upsert(
                ids=list(unique), embeddings=matrix, metadatas=[{"path": path} for path, _ in unique.values()]
            ),
        )
        with self._tables.transaction() as db:
            rows = [(embedder, vector, dimension) for vector in unique]
            db.executemany("INSERT OR REPLACE INTO embedded VALUES (?, ?, ?)", rows)

    def sweep(self, embedder: str) -> None:
        """Delete the vectors that no chunk has any more."""
        dimension = self.dimension(embedder)
        stale = self.stale(embedder)
        for start in range(0, len(stale), BATCH):
            gone = stale[start : start + BATCH]
            assert dimension is not None
            self._with_collection(embedder, dimension, partial(_delete, gone))
            self._forget(embedder, gone)

    def nearest(self, embedder: str, vector: Vector, limit: int) -> list[tuple[int, float]]:
        """Return the rows of the chunks that are nearest to a vector, nearest first, each with its cosine."""
        import numpy as np

        if self.dimension(embedder) != len(vector):
            self._forget(embedder)
            raise EmbedderError(
                f"The embedder {embedder} now makes vectors of another dimension",
                remedy="The next `spyglass ingest` embeds the passages again.",
            )
        query = np.array([vector], dtype=np.float32)
        answer = self._with_collection(
            embedder,
            len(vector),
            lambda collection: collection.query(query_embeddings=query, n_results=limit, include=["distances"]),
        )
        ids, distances = answer["ids"][0], (answer["distances"] or [[]])[0]
        with self._tables.transaction() as db:
            rows = dict(
                db.execute(
                    f"SELECT vector, min(id) FROM chunk WHERE vector IN ({marks(ids)}) GROUP BY vector",  # noqa: S608
                    ids,
                ).fetchall()
            )
        return [(rows[key], 1 - distance) for key, distance in zip(ids, distances, strict=True) if key in rows]

    def _with_collection(self, embedder: str, dimension: int, use: "Callable[[Collection], Value]") -> Value:
        """Return what `use` makes of the collection; tries once more with a new client, then empties the store."""
        with self._lock:
            try:
                return use(self._collection(embedder, dimension))
            except EmbedderError:
                raise
            except Exception:  # noqa: BLE001 (Chroma's errors have no common base but Exception)
                self.close()
            try:
                return use(self._collection(embedder, dimension))
            except Exception as error:
                self._empty()
                raise EmbedderError(
                    f"The vectors cannot be used: {error}",
                    where=str(self._folder),
                    remedy="The next `spyglass ingest` makes them anew.",
                ) from error

    def _collection(self, embedder: str, dimension: int) -> "Collection":
        key = (embedder, dimension)
        if key not in self._collections:
            self._collections[key] = self._open(embedder, dimension)
        return self._collections[key]

    def _open(self, embedder: str, dimension: int) -> "Collection":
        try:
            import chromadb
            from chromadb.config import Settings as ChromaSettings
        except ImportError as error:
            raise EmbedderError(f"ChromaDB cannot be loaded: {error}", remedy="Install chromadb again.") from error
        client = self._client
        if client is None:
            # Without `_env_file` Chroma reads the `.env` of the working directory.
            options = ChromaSettings(_env_file=None, anonymized_telemetry=False)
            client = self._client = chromadb.PersistentClient(str(self._folder), settings=options)
        collection = client.get_or_create_collection(
            digest(embedder, str(dimension)),
            embedding_function=None,
            configuration={"hnsw": {"space": "cosine"}},
            metadata={"embedder": embedder, "dimension": dimension},
        )
        self._reconcile(collection, embedder)
        return collection

    def _reconcile(self, collection: "Collection", embedder: str) -> None:
        """Make collection and tables say the same: a kill may have come between the one and the other."""
        with self._tables.transaction() as db:
            noted = {vector for (vector,) in db.execute("SELECT vector FROM embedded WHERE embedder = ?", (embedder,))}
        if collection.count() == len(noted):
            return
        stored = collection.get(include=[])["ids"]
        unknown = [vector for vector in stored if vector not in noted]
        for start in range(0, len(unknown), BATCH):
            _delete(unknown[start : start + BATCH], collection)
        self._forget(embedder, sorted(noted.difference(stored)))

    def _forget(self, embedder: str, vectors: Sequence[str] | None = None) -> None:
        """Note that these vectors of an embedder, or all, are no more."""
        with self._tables.transaction() as db:
            if vectors is None:
                db.execute("DELETE FROM embedded WHERE embedder = ?", (embedder,))
            else:
                gone = [(embedder, vector) for vector in vectors]
                db.executemany("DELETE FROM embedded WHERE embedder = ? AND vector = ?", gone)

    def _empty(self) -> None:
        """Delete whatever Chroma has here, and note that nothing is embedded."""
        with self._tables.transaction() as db:
            db.execute("DELETE FROM embedded")
        self.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _delete(ids: list[str], collection: "Collection") -> None:
    collection.delete(ids=ids)


def _in_context(title: str, heading: str, text: str) -> str:
    """Return a chunk's text below those of its title and headings that it does not hold itself.

    On the Cranfield abstracts the fused nDCG@10 is .438 so, .431 with the bare text, .432 with all of them always.
    """
    around = dict.fromkeys((title, *heading.split(HEADINGS)))
    return "\n".join([*(line for line in around if line and line not in text), text])
