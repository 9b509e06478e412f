"""The local text index of a folder: files, texts, chunks and words in SQLite."""

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import astuple

from .chunk import Chunk
from .index import FILE_COLUMNS, FileReading, FileRecord, StoredChunk, TextIndex, indexed, names, recognized
from .stems import first_of_stem
from .tables import EDGE, IndexTables, marks
from .walk import Stamp

_CHUNK = "start, end, heading, line, last_line, page"


class LocalTexts(TextIndex):
    """A text index in one SQLite file."""

    def __init__(self, tables: IndexTables) -> None:
        self._tables = tables

    def file_records(self, paths: Collection[str] | None = None) -> dict[str, FileRecord]:
        """Return the record of each file, or of those in `paths`, by path."""
        rows = self._tables.all("SELECT path, size, mtime_ns, ctime_ns, sha256, key, reason, notes FROM file")
        return {path: FileRecord.of(*rest) for path, *rest in rows if paths is None or path in paths}

    def keep(self, readings: Iterable[FileReading]) -> None:
        """Store readings, replacing the records of the same files."""
        with self._tables.transaction() as db:
            for reading in readings:
                _remove(db, reading.path)
                _insert(db, reading)

    def restamp(self, stamps: Iterable[tuple[str, Stamp]]) -> None:
        """Update the stamps of files whose content is unchanged."""
        with self._tables.transaction() as db:
            db.executemany(
                "UPDATE file SET size = ?, mtime_ns = ?, ctime_ns = ? WHERE path = ?",
                [(*stamp, path) for path, stamp in stamps],
            )

    def remove(self, paths: Iterable[str]) -> None:
        """Delete files that no longer exist, with their texts and chunks."""
        with self._tables.transaction() as db:
            for path in paths:
                _remove(db, path)

    def counts(self) -> tuple[int, int]:
        """Return the number of files with text, and of chunks, cached until the tables change."""
        files = "SELECT count(*) FROM file WHERE text_hash IS NOT NULL"
        return self._tables.count(files), self._tables.count("SELECT count(*) FROM chunk")

    def texts(self, hashes: Collection[str]) -> dict[str, str]:
        """Return the whole texts with these hashes, by hash; replaced texts are left out."""
        return dict(self._tables.all(f"SELECT hash, text FROM text WHERE hash IN ({marks(hashes)})", *hashes))  # noqa: S608

    def frequencies(self, words: Collection[str], bound: int) -> dict[str, int]:
        """Return how many chunks contain each term, at most `bound`."""
        query = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
        with self._tables.transaction() as db:
            return {word: db.execute(query, (quoted(word), bound)).fetchone()[0] for word in words}

    def vocabulary(self, letter: str) -> dict[str, int]:
        """Return the stems that begin with a letter, and how many chunks contain each."""
        query = "SELECT term, doc FROM vocabulary WHERE term >= ? AND term < ?"
        return dict(self._tables.all(query, letter, f"{letter}\U0010ffff"))

    def spelling(self, stem: str) -> str:
        """Return a word of the texts that has this stem; "" if none has."""
        with self._tables.transaction() as db:
            position = db.execute("SELECT doc, col FROM standing WHERE term = ? LIMIT 1", (stem,)).fetchone()
            if position is None:
                return ""
            column = "context" if position[1] == "context" else "body"
            (text,) = db.execute(f"SELECT {column} FROM words WHERE rowid = ?", position[:1]).fetchone()  # noqa: S608
        return first_of_stem(text.split(), stem)

    def best(self, words: Sequence[str], limit: int, files: Sequence[int] = ()) -> list[tuple[int, float]]:
        """Return the rows of the chunks that contain any of the words, best first, with their BM25 scores.

        With `files`, only chunks of these files.
        """
        if not words:
            return []
        within = f"AND rowid IN (SELECT id FROM chunk WHERE file IN ({marks(files)}))" if files else ""  # noqa: S608
        query = f"SELECT rowid, -rank FROM words WHERE words MATCH ? {within} ORDER BY rank LIMIT ?"  # noqa: S608
        return self._tables.all(query, " OR ".join(map(quoted, words)), *files, limit)

    def explaining(self, words: Sequence[str], limit: int) -> list[int]:
        """Return the rows of the chunks that explain exactly this term, then of those whose terms have all its words.

        Within each group, chunks with the fewest terms come first.
        """
        if not words:
            return []
        exact = quoted(f"{EDGE} {' '.join(words)} {EDGE}")
        query = "SELECT rowid FROM explained WHERE explained MATCH ? ORDER BY rank LIMIT ?"
        with self._tables.transaction() as db:
            queries = (exact, " AND ".join(map(quoted, words)))
            rows = [row for match in queries for (row,) in db.execute(query, (match, limit))]
        return list(dict.fromkeys(rows))[:limit]

    def first(self, limit: int) -> list[int]:
        """Return the rows of chunks, the first chunks of files before all others."""
        rows = self._tables.all("SELECT id FROM chunk ORDER BY start > 0, id LIMIT ?", max(0, limit))
        return [row for (row,) in rows]

    def openings(self, limit: int) -> list[int]:
        """Return the rows of the first chunks of files, ordered by path."""
        query = (
            "SELECT chunk.id, min(start) FROM chunk JOIN file ON file.id = chunk.file"
            " GROUP BY file ORDER BY path LIMIT ?"
        )
        return [row for row, _ in self._tables.all(query, limit)]

    def words_in_names(self, words: Collection[str]) -> dict[int, frozenset[str]]:
        """Return, by file id, the words that its path or title contains; files without any are left out."""
        if not words:
            return {}
        query = "SELECT id, path, title FROM file WHERE id IN (SELECT rowid FROM named WHERE named MATCH ?)"
        rows = self._tables.all(query, " OR ".join(map(quoted, words)))
        named = {number: names(path, title).intersection(words) for number, path, title in rows}
        return {number: file_words for number, file_words in named.items() if file_words}

    def holding(self, words: Collection[str], rows: Collection[int]) -> dict[str, set[int]]:
        """Return, for each word, those of the rows whose chunks contain it."""
        query = "SELECT rowid FROM words WHERE words MATCH ?"
        with self._tables.transaction() as db:
            return {word: {row for (row,) in db.execute(query, (quoted(word),))}.intersection(rows) for word in words}

    def stored_chunks(self, rows: Collection[int]) -> dict[int, StoredChunk]:
        """Return the chunks of these rows; missing rows are left out."""
        records = self._tables.all(
            f"SELECT chunk.id, {_CHUNK}, path, title, kind, text_hash, ocr "  # noqa: S608
            f"FROM chunk JOIN file ON file.id = chunk.file WHERE chunk.id IN ({marks(rows)})",
            *rows,
        )
        return {
            row: StoredChunk(Chunk(*chunk), path, title, kind, text_hash, recognized(ocr))
            for row, *chunk, path, title, kind, text_hash, ocr in records
        }


def quoted(term: str) -> str:
    """Return a term as an FTS5 string literal, in which nothing is an operator."""
    return '"' + term.replace('"', '""') + '"'


def _remove(db: sqlite3.Connection, path: str) -> None:
    row = db.execute("SELECT id, text_hash FROM file WHERE path = ?", (path,)).fetchone()
    if row is None:
        return
    file, text_hash = row
    for table in ("words", "explained"):
        db.execute(f"DELETE FROM {table} WHERE rowid IN (SELECT id FROM chunk WHERE file = ?)", (file,))  # noqa: S608
    db.execute("DELETE FROM named WHERE rowid = ?", (file,))
    db.execute("DELETE FROM chunk WHERE file = ?", (file,))
    db.execute("DELETE FROM file WHERE id = ?", (file,))
    if db.execute("SELECT 1 FROM file WHERE text_hash = ?", (text_hash,)).fetchone() is None:
        db.execute("DELETE FROM text WHERE hash = ?", (text_hash,))


def _insert(db: sqlite3.Connection, reading: FileReading) -> None:
    values = reading.columns()
    *_, text_hash, _reason, _notes, _ocr = values
    file = db.execute(f"INSERT INTO file ({FILE_COLUMNS}) VALUES ({marks(values)})", values).lastrowid  # noqa: S608
    if text_hash is not None:
        db.execute("INSERT OR IGNORE INTO text VALUES (?, ?)", (text_hash, reading.text))
        file_terms = " ".join(names(reading.path, reading.title))
        db.execute("INSERT INTO named (rowid, terms) VALUES (?, ?)", (file, file_terms))
    for chunk in indexed(reading):
        row = db.execute(
            f"INSERT INTO chunk (file, {_CHUNK}, vector) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
            (file, *astuple(chunk.chunk), chunk.vector),
        ).lastrowid
        words = (row, " ".join(chunk.context), " ".join(chunk.body))
        db.execute("INSERT INTO words (rowid, context, body) VALUES (?, ?, ?)", words)
        if chunk.explained:
            edged = f" {EDGE} ".join(["", *(" ".join(name) for name in chunk.explained), ""])
            db.execute("INSERT INTO explained (rowid, terms) VALUES (?, ?)", (row, edged))
