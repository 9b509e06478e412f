"""The vector index of a folder in PostgreSQL, which pgvector searches."""

from collections.abc import Collection, Sequence
from typing import Any, Final

import psycopg
from psycopg.sql import SQL, Composed, Identifier, Literal

from ..kernel.errors import EmbedderError
from ..kernel.notice import Notice
from ..kernel.source import digest
from .embed import Vector
from .index import Pending, VectorIndex, embedded_text
from .shared_texts import Db, Folder, SharedTexts

EXACT: Final = 10_000
"""Chunks of a folder up to which all vectors are compared; larger folders are searched by an HNSW graph."""

MOST_DIMENSIONS: Final = 4_000
"""The limit of pgvector's HNSW graphs of 16-bit vectors."""

LINKED_BY: Final = 128
"""HNSW's `ef_construction`: the candidates considered when a vector is linked into the graph.

A search with `ef_search` 200 then finds all of the 10 nearest among 10⁶ vectors in 2,000 clusters. With pgvector's 64
some were unreachable: .90 were found, and .94 with an `ef_search` of 400 or 1,000.
"""

LOOKED_AT: Final = 200
"""HNSW's `ef_search`: the candidates that a search of the graph keeps. More candidates give a higher recall."""

_LOCK: Final = 0x5059_474C_5645
"""The number of the advisory lock that one process holds while it creates the table."""

_TABLE: Final = """
CREATE TABLE IF NOT EXISTS embedding (
    embedder text COLLATE "C" NOT NULL, vector text COLLATE "C" NOT NULL, data vector NOT NULL,
    PRIMARY KEY (embedder, vector)
)
"""

_EXACT: Final = """
SELECT min(chunk.id), 1 - min(data <=> {vector}) FROM chunk JOIN embedding USING (vector)
WHERE folder = {folder} AND embedder = {embedder}
GROUP BY vector ORDER BY min(data <=> {vector}), 1 LIMIT {limit}
"""

_BY_GRAPH: Final = """
WITH near AS MATERIALIZED (
    SELECT vector, data::halfvec({dimension}) <=> {vector}::halfvec({dimension}) AS rough,
        data <=> {vector} AS distance
    FROM embedding
    WHERE embedder = {embedder} AND EXISTS
        (SELECT 1 FROM chunk WHERE chunk.vector = embedding.vector AND chunk.folder = {folder})
    ORDER BY data::halfvec({dimension}) <=> {vector}::halfvec({dimension}) LIMIT {limit}
)
SELECT (SELECT min(id) FROM chunk WHERE chunk.vector = near.vector AND folder = {folder}), 1 - distance
FROM near ORDER BY distance
"""


class SharedVectors(VectorIndex):
    """The vectors of one folder, in a table that all folders share: equal texts are embedded once.

    A folder with more than `exact` chunks is searched by a graph. Raises EmbedderError if the database has no pgvector,
    and DatabaseError.
    """

    def __init__(self, texts: SharedTexts, *, exact: int = EXACT) -> None:
        self._texts = texts
        self._exact = exact
        self._database = texts.database
        self._is_ready = False
        self._complete: dict[str, int] = {}

    def missing(self, embedder: str) -> int:
        """Return how many chunks have no vector of this embedder; a count of 0 is cached until the folder changes."""
        self._make_ready()

        def count(db: Db) -> tuple[int, int]:
            folder = Folder.of(db, self._texts.key)
            if self._complete.get(embedder) == folder.version:
                return 0, folder.version
            [(missing,)] = db.execute(
                "SELECT count(*) FROM chunk WHERE folder = %s AND NOT EXISTS"
                " (SELECT 1 FROM embedding WHERE embedder = %s AND embedding.vector = chunk.vector)",
                (folder.id, embedder),
            ).fetchall()
            return missing, folder.version

        missing, version = self._database.use(count, waits=True)
        if not missing:
            self._complete[embedder] = version
        return missing

    def pending(self, embedder: str, after: int, limit: int, paths: Collection[str] | None = None) -> list[Pending]:
        """Return the next chunks after the row `after`, of `paths` if given, that have no vector of this embedder."""
        self._make_ready()

        def read(db: Db) -> list[Any]:
            return db.execute(
                "SELECT chunk.id, chunk.vector, path, title, heading, begins, ends, text_hash"
                " FROM chunk JOIN file ON file.id = file"
                " WHERE chunk.folder = %s AND chunk.id > %s AND (%s::text[] IS NULL OR path = ANY(%s))"
                " AND NOT EXISTS (SELECT 1 FROM embedding WHERE embedder = %s AND embedding.vector = chunk.vector)"
                " ORDER BY chunk.id LIMIT %s",
                (Folder.of(db, self._texts.key).id, after, *2 * [paths and list(paths)], embedder, limit),
            ).fetchall()

        rows = self._database.use(read, waits=True)
        texts = self._texts.texts({row[-1] for row in rows})
        return [
            Pending(row, vector, path, embedded_text(title.decode(), heading.decode(), texts[name][begins:ends]), None)
            for row, vector, path, title, heading, begins, ends, name in rows
            if name in texts  # else the file has just been replaced
        ]

    def add(self, embedder: str, chunks: Sequence[Pending], vectors: Sequence[Vector]) -> None:
        """Store the vectors of these chunks."""
        self._make_ready()
        rows = sorted((embedder, chunk.vector, _written(vector)) for chunk, vector in zip(chunks, vectors, strict=True))

        def write(db: Db) -> None:
            if _dimension(db, embedder) not in (None, len(vectors[0])):
                _forget(db, embedder)  # another model of the same name made the former vectors: they are useless
            db.cursor().executemany("INSERT INTO embedding VALUES (%s, %s, %s) ON CONFLICT DO NOTHING", rows)

        if rows:
            self._database.use(write, waits=True)

    def sweep(self, embedder: str) -> None:
        """Create the graph of an embedder's vectors for a large folder; unused vectors are already deleted."""
        self._make_ready()

        def make(db: Db) -> None:
            dimension = _dimension(db, embedder)
            folder = Folder.of(db, self._texts.key)
            if dimension is None or dimension > MOST_DIMENSIONS or folder.chunks <= self._exact:
                return
            db.execute(
                SQL(
                    "CREATE INDEX IF NOT EXISTS {} ON embedding"
                    " USING hnsw ((data::halfvec({})) halfvec_cosine_ops)"
                    " WITH (ef_construction = {}) WHERE embedder = {}"
                ).format(Identifier(_graph(embedder)), Literal(dimension), Literal(LINKED_BY), Literal(embedder))
            )

        self._database.use(make, waits=True)

    def nearest(self, embedder: str, vector: Vector, limit: int) -> list[tuple[int, float]]:
        """Return the rows of the chunks that are nearest to a vector, nearest first, each with its cosine."""
        self._make_ready()

        def search(db: Db) -> list[tuple[int, float]] | None:
            if _dimension(db, embedder) not in (None, len(vector)):
                _forget(db, embedder)
                return None
            folder = Folder.of(db, self._texts.key)

            def matches_of(query: str) -> list[tuple[int, float]]:
                return db.execute(_filled(query, embedder, vector, folder.id, limit), prepare=False).fetchall()

            if folder.chunks > self._exact:
                for setting in (f"hnsw.ef_search = {LOOKED_AT}", "hnsw.iterative_scan = strict_order"):
                    db.execute(f"SET LOCAL {setting}".encode())
                if len(matches := matches_of(_BY_GRAPH)) == limit:
                    return matches
            return matches_of(_EXACT)  # also if nearer vectors of other folders have exhausted the graph search

        matches = self._database.use(search, waits=True)
        if matches is None:
            raise EmbedderError(
                Notice("vectors_of_other_dimension", embedder=embedder), remedy=Notice("ingest_makes_them_anew")
            )
        return matches

    def _make_ready(self) -> None:
        """Create the table if it is missing. Raises EmbedderError without pgvector."""
        if not self._is_ready:
            self._database.use(_make_ready, waits=True)
            self._is_ready = True


def _make_ready(db: Db) -> None:
    db.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
    try:
        with db.transaction():
            if db.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone() is None:
                db.execute("CREATE EXTENSION vector")
            db.execute(_TABLE)
    except (
        psycopg.errors.FeatureNotSupported,
        psycopg.errors.UndefinedFile,
        psycopg.errors.UndefinedObject,
        psycopg.errors.InsufficientPrivilege,
    ) as error:
        message = " ".join(str(error).split())
        raise EmbedderError(Notice("no_pgvector", said=message), remedy=Notice("install_pgvector")) from None


def _dimension(db: Db, embedder: str) -> int | None:
    row = db.execute("SELECT vector_dims(data) FROM embedding WHERE embedder = %s LIMIT 1", (embedder,)).fetchone()
    return None if row is None else int(row[0])


def _forget(db: Db, embedder: str) -> None:
    """Delete all vectors of an embedder, and mark every folder as changed."""
    db.execute(SQL("DROP INDEX IF EXISTS {}").format(Identifier(_graph(embedder))))
    db.execute("DELETE FROM embedding WHERE embedder = %s", (embedder,))
    db.execute("UPDATE folder SET version = version + 1")


def _filled(query: str, embedder: str, vector: Vector, folder: int, limit: int) -> Composed:
    """Return a search with literal values: the database uses an embedder's graph only for its literal name."""
    return SQL(query).format(
        embedder=Literal(embedder),
        vector=SQL("{}::vector").format(Literal(_written(vector))),
        dimension=Literal(len(vector)),
        folder=Literal(folder),
        limit=Literal(limit),
    )


def _graph(embedder: str) -> str:
    return f"embedding_{digest(embedder, size=16)}"


def _written(vector: Vector) -> str:
    return f"[{','.join(map(repr, map(float, vector)))}]"
