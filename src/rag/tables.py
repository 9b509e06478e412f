"""The SQLite tables of a local index; their commit is the commit point of the whole index."""

import sqlite3
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..kernel.cleanup import rollback_on_error
from ..kernel.errors import RetrievalError
from ..kernel.notice import Notice

FORMAT = 15  # incremented when the tables or their contents change; an index of another format is rebuilt

_TABLES = """
BEGIN;
CREATE TABLE file (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL, sha256 TEXT NOT NULL, key TEXT NOT NULL, title TEXT NOT NULL, kind TEXT NOT NULL,
    text_hash TEXT, reason TEXT, notes TEXT NOT NULL, ocr TEXT NOT NULL
);
CREATE INDEX file_text ON file (text_hash);
CREATE TABLE text (hash TEXT PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE chunk (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
    heading TEXT NOT NULL, line INTEGER, last_line INTEGER, page INTEGER, vector TEXT NOT NULL
);
CREATE INDEX chunk_file ON chunk (file);
CREATE INDEX chunk_vector ON chunk (vector);
CREATE VIRTUAL TABLE words USING fts5 (context, body, tokenize = 'porter unicode61');
INSERT INTO words (words, rank) VALUES ('rank', 'bm25(2.0, 1.0)');
CREATE VIRTUAL TABLE named USING fts5 (terms, tokenize = 'unicode61');
CREATE VIRTUAL TABLE explained USING fts5 (terms, tokenize = 'porter unicode61');
CREATE TABLE made (embedder TEXT NOT NULL, vector TEXT NOT NULL, data BLOB NOT NULL, UNIQUE (embedder, vector));
CREATE TABLE embedded (embedder TEXT NOT NULL, vector TEXT NOT NULL, PRIMARY KEY (embedder, vector)) WITHOUT ROWID;
CREATE TABLE window (
    seq INTEGER PRIMARY KEY, model TEXT NOT NULL, key TEXT NOT NULL, data BLOB NOT NULL, UNIQUE (model, key)
);
COMMIT;
"""
"""A word in `context` (path, title, headings) counts twice as much as in `body`: on the Cranfield abstracts the lexical
nDCG@10 is .375 with a weight of 0, .383 with 1, .392 with 2 and .390 with 3. The terms that a chunk explains have their
own table, because BM25 counts the words of all columns. `named` has the terms of the path and title of each file."""

EDGE = "\ue000"
"""Separator before and after each term that a chunk explains, for searches of whole terms. A private-use character is a
token for FTS5, and no text has it as a word."""


_OF_THE_CONNECTION = """
CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab (main, words, row);
CREATE VIRTUAL TABLE temp.standing USING fts5vocab (main, words, instance);
"""
"""The stems of all words, and their positions, as temporary tables."""


class IndexTables:
    """A connection to the SQLite file, shared by threads; transactions are atomic, even if the process is killed.

    Without `writable`, the file can be read while another process writes. With it, a file that is damaged or of another
    format is replaced, and `made_anew` is True. Raises RetrievalError for any error of SQLite.
    """

    made_anew = False

    def __init__(self, path: Path, *, writable: bool) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._counts: dict[tuple[str, ...], tuple[tuple[int, int], int]] = {}
        try:
            self._db = self._open(writable)
        except (sqlite3.Error, _OtherFormatError) as error:
            raise self._error(error) from error

    def _open(self, writable: bool) -> sqlite3.Connection:
        try:
            return _connected(self.path, writable)
        except (sqlite3.DatabaseError, _OtherFormatError) as error:
            if not writable or isinstance(error, sqlite3.OperationalError):
                raise
        self.made_anew = True
        for suffix in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        return _connected(self.path, writable)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Lock the connection for one transaction, which is rolled back if the block raises."""
        with self._lock:
            try:
                with self._db:
                    self._db.execute("BEGIN")
                    yield self._db
            except sqlite3.Error as error:
                raise self._error(error) from error

    def all(self, query: str, *values: object) -> list[Any]:
        """Return all rows of a query."""
        with self.transaction() as db:
            return db.execute(query, values).fetchall()

    def count(self, *query: str) -> int:
        """Return the number that a query gives, cached until any process changes the file."""
        with self.transaction() as db:
            version = (db.total_changes, db.execute("PRAGMA data_version").fetchone()[0])
            if self._counts.get(query, (None, 0))[0] != version:
                self._counts[query] = version, int(db.execute(query[0], query[1:]).fetchone()[0])
            return self._counts[query][1]

    def _error(self, error: Exception) -> RetrievalError:
        return RetrievalError(
            Notice("index_unusable", error=str(error)),
            where=str(self.path),
            remedy=Notice("index_may_be_deleted"),
        )


class _OtherFormatError(Exception):
    """The file was written by another version."""


def _connected(path: Path, writable: bool) -> sqlite3.Connection:
    address = path.as_uri() + ("" if writable else "?mode=ro")
    db = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
    with rollback_on_error(db.close):
        _prepare(db, writable)
    return db


def _prepare(db: sqlite3.Connection, writable: bool) -> None:
    if writable:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
    format_number = db.execute("PRAGMA user_version").fetchone()[0]
    if format_number == 0 and writable:
        db.executescript(_TABLES.replace("COMMIT", f"PRAGMA user_version = {FORMAT}; COMMIT"))
    elif format_number != FORMAT:
        raise _OtherFormatError(f"it has format {format_number}, this version reads format {FORMAT}")
    db.executescript(_OF_THE_CONNECTION)


def marks(values: Collection[object]) -> str:
    """Return the placeholders (`?,?,?`) for a list of values in a statement."""
    return ",".join("?" * len(values))
