"""The local vector index of a folder: vectors stored in SQLite, searched in ChromaDB."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..kernel.errors import EmbedderError
from ..kernel.notice import Notice
from .chroma import Chroma
from .embed import Vector
from .index import Pending, VectorIndex, embedded_text
from .tables import IndexTables, marks

if TYPE_CHECKING:
    from chromadb.api.models.Collection import Collection

BATCH = 500  # how many vectors are deleted at a time


class LocalVectors(VectorIndex):
    """The vectors of one local index.

    The table `made` has every vector, `embedded` the ids of those that Chroma has: Chroma's folder can be filled again
    without embedding anything.
    """

    def __init__(self, tables: IndexTables, folder: Path) -> None:
        self._tables = tables
        self._synchronised: set[str] = set()
        self._chroma = Chroma(folder, self._on_empty)

    def close(self) -> None:
        """Close Chroma's client."""
        self._chroma.close()

    # In the tables

    def dimension(self, embedder: str) -> int | None:
        """Return the dimension of the stored vectors of an embedder; None if there are none."""
        rows = self._tables.all("SELECT length(data) / 4 FROM made WHERE embedder = ? LIMIT 1", embedder)
        return rows[0][0] if rows else None

    def missing(self, embedder: str) -> int:
        """Return how many chunks have no vector of this embedder, cached until the tables change."""
        query = "SELECT count(*) FROM chunk WHERE vector NOT IN (SELECT vector FROM embedded WHERE embedder = ?)"
        return self._tables.count(query, embedder)

    def pending(self, embedder: str, after: int, limit: int) -> list[Pending]:
        """Return the next chunks after the row `after` that cannot be searched with this embedder."""
        with self._tables.transaction() as db:
            rows = db.execute(
                "SELECT chunk.id, chunk.vector, path, data, title, heading, start, end, text_hash "
                "FROM chunk JOIN file ON file.id = chunk.file "
                "LEFT JOIN made ON made.embedder = ?1 AND made.vector = chunk.vector "
                "WHERE chunk.id > ?2 AND NOT EXISTS "
                "(SELECT 1 FROM embedded WHERE embedded.embedder = ?1 AND embedded.vector = chunk.vector) "
                "ORDER BY chunk.id LIMIT ?3",
                (embedder, after, limit),
            ).fetchall()
            texts = {}
            for *_, text_hash in rows:
                if text_hash not in texts:
                    (texts[text_hash],) = db.execute("SELECT text FROM text WHERE hash = ?", (text_hash,)).fetchone()
        return [
            Pending(row, vector, path, embedded_text(title, heading, texts[text_hash][start:end]), made)
            for row, vector, path, made, title, heading, start, end, text_hash in rows
        ]

    def stale(self, embedder: str) -> list[str]:
        """Return the ids of the vectors to which no chunk refers any more."""
        query = "SELECT vector FROM made WHERE embedder = ? AND vector NOT IN (SELECT vector FROM chunk)"
        return [vector for (vector,) in self._tables.all(query, embedder)]

    # In Chroma

    def add(self, embedder: str, chunks: Sequence[Pending], vectors: Sequence[Vector]) -> None:
        """Store the vectors of these chunks: first in the tables, then in Chroma, then record that Chroma has them."""
        import numpy as np

        matrix = np.array(vectors, dtype=np.float32)
        dimension = matrix.shape[1]
        if self.dimension(embedder) not in (None, dimension):
            self._forget(embedder)  # another model of the same name made the former vectors: they are useless
        rows = {chunk.vector: number for number, chunk in enumerate(chunks)}  # equal chunks of a file have one vector
        with self._tables.transaction() as db:
            new_rows = [(embedder, vector, matrix[number].tobytes()) for vector, number in rows.items()]
            db.executemany("INSERT OR REPLACE INTO made VALUES (?, ?, ?)", new_rows)
        metadata = [{"path": chunks[number].path} for number in rows.values()]
        places = list(rows.values())
        self._synchronise(embedder, dimension)
        self._chroma.use(
            embedder,
            dimension,
            lambda collection: collection.upsert(ids=list(rows), embeddings=matrix[places], metadatas=[*metadata]),
        )
        with self._tables.transaction() as db:
            db.executemany("INSERT OR IGNORE INTO embedded VALUES (?, ?)", [(embedder, vector) for vector in rows])

    def sweep(self, embedder: str) -> None:
        """Delete the vectors to which no chunk refers any more."""
        stale, dimension = self.stale(embedder), self.dimension(embedder)
        for start in range(0, len(stale), BATCH):
            gone = stale[start : start + BATCH]
            assert dimension is not None
            self._chroma.use(embedder, dimension, partial(_delete, gone))
            self._forget(embedder, gone)

    def nearest(self, embedder: str, vector: Vector, limit: int) -> list[tuple[int, float]]:
        """Return the rows of the chunks that are nearest to a vector, nearest first, each with its cosine."""
        import numpy as np

        if (dimension := self.dimension(embedder)) is None:
            return []
        if dimension != len(vector):
            self._forget(embedder)
            raise EmbedderError(
                Notice("vectors_of_other_dimension", embedder=embedder), remedy=Notice("ingest_makes_them_anew")
            )
        self._synchronise(embedder, len(vector))
        queried = np.array([vector], dtype=np.float32)
        answer = self._chroma.use(
            embedder,
            len(vector),
            lambda collection: collection.query(query_embeddings=queried, n_results=limit, include=["distances"]),
        )
        if self.missing(embedder):
            raise EmbedderError(Notice("vectors_lost"), remedy=Notice("ingest_makes_them_anew"))
        ids, distances = answer["ids"][0], (answer["distances"] or [[]])[0]
        query = f"SELECT vector, min(id) FROM chunk WHERE vector IN ({marks(ids)}) GROUP BY vector"  # noqa: S608
        rows = dict(self._tables.all(query, *ids))
        return [(rows[key], 1 - distance) for key, distance in zip(ids, distances, strict=True) if key in rows]

    def _synchronise(self, embedder: str, dimension: int) -> None:
        """Make Chroma and the tables agree at first use: a process may have been killed between the two writes."""
        if embedder in self._synchronised:
            return
        count = self._chroma.use(embedder, dimension, lambda collection: collection.count())
        rows = self._tables.all("SELECT vector FROM embedded WHERE embedder = ?", embedder)
        recorded = {vector for (vector,) in rows}
        if count != len(recorded):
            stored = self._chroma.use(embedder, dimension, lambda collection: collection.get(include=[]))["ids"]
            unknown = sorted(set(stored) - recorded)
            for start in range(0, len(unknown), BATCH):
                self._chroma.use(embedder, dimension, partial(_delete, unknown[start : start + BATCH]))
            with self._tables.transaction() as db:
                lost = [(embedder, vector) for vector in sorted(recorded.difference(stored))]
                db.executemany("DELETE FROM embedded WHERE embedder = ? AND vector = ?", lost)
        self._synchronised.add(embedder)

    def _forget(self, embedder: str, vectors: Sequence[str] | None = None) -> None:
        """Delete these vectors of an embedder, or all, from the tables."""
        with self._tables.transaction() as db:
            for table in ("made", "embedded"):
                if vectors is None:
                    db.execute(f"DELETE FROM {table} WHERE embedder = ?", (embedder,))  # noqa: S608
                else:
                    gone = [(embedder, vector) for vector in vectors]
                    db.executemany(f"DELETE FROM {table} WHERE embedder = ? AND vector = ?", gone)  # noqa: S608

    def _on_empty(self) -> None:
        """Record that Chroma is empty, so that all vectors are stored in it again."""
        with self._tables.transaction() as db:
            db.execute("DELETE FROM embedded")
        self._synchronised.clear()


def _delete(ids: list[str], collection: "Collection") -> None:
    collection.delete(ids=ids)
