"""The text index of a folder in PostgreSQL, which several processes read and write concurrently."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from itertools import chain
from typing import Any, Final, Self, TypeAlias

from psycopg import Connection

from ..kernel.database.database import Database
from ..kernel.database.texts import drop_unheld, keep_texts
from ..kernel.term import terms
from .chunk import Chunk
from .index import (
    FILE_COLUMNS,
    FileReading,
    FileRecord,
    IndexedChunk,
    StoredChunk,
    TextIndex,
    context,
    indexed,
    names,
    recognized,
)
from .stems import STEMS, first_of_stem
from .tables import EDGE
from .walk import Stamp

Db: TypeAlias = Connection[Any]

IN_CONTEXT: Final = 2.0
"""The weight of a word in the path, the title or the headings, relative to 1 in the text, as in a local index."""

_IN_FOLDER: Final = "folder = (SELECT id FROM folder WHERE key = %s)"
_CHUNK: Final = "begins, ends, heading, line, last_line, page"

_RANKED: Final = """
WITH query AS (
    SELECT term, count(*) * greatest(ln((%(total)s::float8 - chunks + 0.5) / (chunks + 0.5)), 1e-6) AS weight
    FROM unnest(%(terms)s::text[]) AS term JOIN word USING (term)
    WHERE folder = %(folder)s GROUP BY term, chunks
), matching AS (
    SELECT chunk,
        sum(weight * frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * size / %(average)s::float8))) AS score
    FROM query JOIN posting USING (term)
    WHERE folder = %(folder)s
        AND (%(files)s::bigint[] IS NULL OR chunk IN (SELECT id FROM chunk WHERE file = ANY(%(files)s)))
    GROUP BY chunk HAVING count(*) >= %(least)s
)
SELECT chunk, score FROM matching ORDER BY round(score::numeric, 9) DESC, chunk LIMIT %(limit)s
"""
"""BM25 as FTS5 computes it: two words of one stem count twice. Sums are rounded, because their order in the database
varies."""


@dataclass(frozen=True, slots=True)
class Folder:
    """The counts of a folder: its files, its chunks and all their words, and its chunks that explain terms.

    `version` increases with every change.
    """

    id: int = 0
    version: int = 0
    files: int = 0
    chunks: int = 0
    words: int = 0
    explaining: int = 0
    explained: int = 0

    @classmethod
    def of(cls, db: Db, key: str) -> Self:
        """Return the counts of a folder; zeros if the database does not contain it."""
        columns = "id, version, files, chunks, words, explaining, explained"
        row = db.execute(f"SELECT {columns} FROM folder WHERE key = %s".encode(), (key,)).fetchone()  # noqa: S608
        return cls(*row) if row else cls()


class _Words:
    """The weighted frequency of each index term of a chunk, and its number of words; likewise for terms it explains."""

    def __init__(self, chunk: IndexedChunk) -> None:
        stems = STEMS.of(chain(chunk.context, chunk.body, *chunk.explained))
        self.frequency: dict[str, float] = {}
        self.size = self._count(chunk.context, stems, IN_CONTEXT) + self._count(chunk.body, stems, 1.0)
        self.explained: dict[str, float] = {}
        self.explained_size = len(chunk.explained) + 1 if chunk.explained else 0
        for name in chunk.explained:
            name_stems = [stem for word in name for stem in stems[word]]
            self.explained_size += len(name_stems)
            for key in (*map(explaining, name_stems), whole(name_stems)):
                self.explained[key] = self.explained.get(key, 0.0) + 1.0

    def _count(self, words: Sequence[str], stems: dict[str, tuple[str, ...]], weight: float) -> int:
        for word in words:
            word_stems = stems[word]
            for key in word_stems if len(word_stems) == 1 else (*word_stems, " ".join(word_stems)):
                self.frequency[key] = self.frequency.get(key, 0.0) + weight
        return sum(len(stems[word]) for word in words)

    def postings(self) -> Iterator[tuple[str, float, int]]:
        """Yield each term with its weighted frequency and the size of its field."""
        for frequencies, size in ((self.frequency, self.size), (self.explained, self.explained_size)):
            for term, frequency in frequencies.items():
                yield term, frequency, size


def explaining(stem: str) -> str:
    """Return the index term for one word of an explained term."""
    return EDGE + stem


def whole(stems: Iterable[str]) -> str:
    """Return the index term for an explained term that has exactly these stems."""
    return f"{EDGE}{' '.join(stems)}{EDGE}"


class SharedTexts(TextIndex):
    """The text index of one folder, identified by `key`, in database tables that all folders share.

    Whole texts are stored once for all folders; passages and words are stored per folder, so that no search finds those
    of another. A writer locks the folder's row until the end of the transaction. Raises DatabaseError.
    """

    def __init__(self, database: Database, key: str, path: str) -> None:
        self.database = database
        self.key = key
        self._path = path

    # Writing and deleting

    def file_records(self, paths: Collection[str] | None = None) -> dict[str, FileRecord]:
        """Return the record of each file, or of those in `paths`, by path."""
        rows = self._all(
            "SELECT path, size, mtime_ns, ctime_ns, sha256, key, reason, notes FROM file"  # noqa: S608
            f" WHERE {_IN_FOLDER} AND (%s::text[] IS NULL OR path = ANY(%s))",
            self.key,
            *2 * [None if paths is None else list(paths)],
        )
        return {
            path: FileRecord.of(size, mtime, ctime, sha256, key, reason and reason.decode(), notes)
            for path, size, mtime, ctime, sha256, key, reason, notes in rows
        }

    def keep(self, readings: Iterable[FileReading]) -> None:
        """Store readings, replacing the records of the same files."""
        new_readings = list(readings)
        chunks = [[(chunk, _Words(chunk)) for chunk in indexed(reading)] for reading in new_readings]

        def write(db: Db) -> None:
            folder = self._locked_folder(db)
            gone = _remove(db, folder, [reading.path for reading in new_readings])
            _insert(db, folder, new_readings, chunks)
            _drop_unheld(db, *gone)

        self.database.use(write, waits=True)

    def restamp(self, stamps: Iterable[tuple[str, Stamp]]) -> None:
        """Update the stamps of files whose content is unchanged."""
        rows = [(*stamp, self.key, path) for path, stamp in stamps]
        query = f"UPDATE file SET size = %s, mtime_ns = %s, ctime_ns = %s WHERE {_IN_FOLDER} AND path = %s"  # noqa: S608
        self.database.use(lambda db: db.cursor().executemany(query.encode(), rows), waits=True)

    def remove(self, paths: Iterable[str]) -> None:
        """Delete files that no longer exist, with their texts and chunks."""
        gone = list(paths)
        self.database.use(lambda db: _drop_unheld(db, *_remove(db, self._locked_folder(db), gone)), waits=True)

    def forget(self) -> None:
        """Delete the folder, and the texts and vectors that no other folder uses."""

        def forget(db: Db) -> None:
            folder = self._locked_folder(db)
            paths = [path for (path,) in db.execute("SELECT path FROM file WHERE folder = %s", (folder,))]
            _drop_unheld(db, *_remove(db, folder, paths))
            db.execute("DELETE FROM folder WHERE id = %s", (folder,))
            db.execute("DELETE FROM ingest WHERE key = %s", (self.key,))

        self.database.use(forget, waits=True)

    def _locked_folder(self, db: Db) -> int:
        """Return the id of the folder, inserted if new and locked against other writers for the transaction."""
        db.execute("INSERT INTO folder (key, path) VALUES (%s, %s) ON CONFLICT DO NOTHING", (self.key, self._path))
        query = "UPDATE folder SET version = version + 1 WHERE key = %s RETURNING id"
        [(number,)] = db.execute(query, (self.key,)).fetchall()
        return int(number)

    # Searching

    def counts(self) -> tuple[int, int]:
        """Return the number of files with text, and of chunks."""
        folder = self.database.use(lambda db: Folder.of(db, self.key), waits=True)
        return folder.files, folder.chunks

    def texts(self, hashes: Collection[str]) -> dict[str, str]:
        """Return the whole texts with these hashes, by hash; replaced texts are left out."""
        rows = self._all("SELECT hash, text FROM snapshot WHERE hash = ANY(%s)", list(hashes))
        return {name: text.decode() for name, text in rows}

    def frequencies(self, words: Collection[str], bound: int) -> dict[str, int]:
        """Return how many chunks contain each term, at most `bound`."""
        keys = _keys(words)
        query = f"SELECT term, chunks FROM word WHERE {_IN_FOLDER} AND term = ANY(%s)"  # noqa: S608
        counts = dict(self._all(query, self.key, list(keys.values())))
        return {word: min(bound, counts.get(key, 0)) for word, key in keys.items()}

    def vocabulary(self, letter: str) -> dict[str, int]:
        """Return the stems that begin with a letter, and how many chunks contain each."""
        between = "term >= %s AND term < %s AND position(' ' IN term) = 0"
        query = f"SELECT term, chunks FROM word WHERE {_IN_FOLDER} AND {between}"  # noqa: S608
        return dict(self._all(query, self.key, letter, f"{letter}\U0010ffff"))

    def spelling(self, stem: str) -> str:
        """Return a word of the texts that has this stem; "" if none has."""
        query = f"SELECT chunk FROM posting WHERE {_IN_FOLDER} AND term = %s ORDER BY chunk LIMIT 1"  # noqa: S608
        candidates = list[str]()
        for chunk in self.stored_chunks([row for (row,) in self._all(query, self.key, stem)]).values():
            text = self.texts([chunk.text_hash]).get(chunk.text_hash, "")
            candidates += terms(context(chunk.path, chunk.title, chunk.chunk.heading))
            candidates += terms(text[chunk.chunk.start : chunk.chunk.end])
        return first_of_stem(candidates, stem)

    def best(self, words: Sequence[str], limit: int, files: Sequence[int] = ()) -> list[tuple[int, float]]:
        """Return the rows of the chunks that contain any of the words, best first, with their BM25 scores.

        With `files`, only chunks of these files.
        """
        if not words:
            return []
        within = list(files) or None

        def read(db: Db) -> list[tuple[int, float]]:
            folder = Folder.of(db, self.key)
            return _ranked(db, folder, folder.chunks, folder.words, list(_keys(words).values()), limit, files=within)

        return self.database.use(read, waits=True)

    def explaining(self, words: Sequence[str], limit: int) -> list[int]:
        """Return the rows of the chunks that explain exactly this term, then of those whose terms have all its words.

        Within each group, chunks with the fewest terms come first.
        """
        if not words:
            return []
        stems_of = STEMS.of(words)
        stems = [stem for word in words for stem in stems_of[word]]
        word_terms = [explaining(stem) for stem in stems]

        def read(db: Db) -> list[tuple[int, float]]:
            folder = Folder.of(db, self.key)
            counted = (folder, folder.explaining, folder.explained)
            exact = _ranked(db, *counted, [whole(stems)], limit)
            return exact + _ranked(db, *counted, word_terms, limit, least=len(set(word_terms)))

        return list(dict.fromkeys(row for row, _ in self.database.use(read, waits=True)))[:limit]

    def first(self, limit: int) -> list[int]:
        """Return the rows of chunks, the first chunks of files before all others."""
        query = f"SELECT id FROM chunk WHERE {_IN_FOLDER} ORDER BY begins > 0, id LIMIT %s"  # noqa: S608
        return [row for (row,) in self._all(query, self.key, max(0, limit))]

    def openings(self, limit: int) -> list[int]:
        """Return the rows of the first chunks of files, ordered by path."""
        query = (
            "SELECT DISTINCT ON (path) chunk.id FROM chunk JOIN file ON file.id = file"  # noqa: S608
            f" WHERE file.{_IN_FOLDER} ORDER BY path, begins LIMIT %s"
        )
        return [row for (row,) in self._all(query, self.key, limit)]

    def words_in_names(self, words: Collection[str]) -> dict[int, frozenset[str]]:
        """Return, by file id, the words that its path or title contains; files without any are left out."""
        query = f"SELECT id, names FROM file WHERE {_IN_FOLDER} AND names && %s"  # noqa: S608
        rows = self._all(query, self.key, list(words))
        return {number: frozenset(named).intersection(words) for number, named in rows}

    def holding(self, words: Collection[str], rows: Collection[int]) -> dict[str, set[int]]:
        """Return, for each word, those of the rows whose chunks contain it."""
        keys = _keys(words)
        query = f"SELECT term, chunk FROM posting WHERE {_IN_FOLDER} AND term = ANY(%s) AND chunk = ANY(%s)"  # noqa: S608
        rows_of: dict[str, set[int]] = {key: set() for key in keys.values()}
        for term, row in self._all(query, self.key, list(rows_of), list(rows)):
            rows_of[term].add(row)
        return {word: rows_of[key] for word, key in keys.items()}

    def stored_chunks(self, rows: Collection[int]) -> dict[int, StoredChunk]:
        """Return the chunks of these rows; missing rows are left out."""
        records = self._all(
            f"SELECT chunk.id, {_CHUNK}, path, title, kind, text_hash, ocr "  # noqa: S608
            f"FROM chunk JOIN file ON file.id = file WHERE chunk.id = ANY(%s) AND chunk.{_IN_FOLDER}",
            list(rows),
            self.key,
        )
        return {
            row: StoredChunk(
                Chunk(begins, ends, heading.decode(), *lines), path, title.decode(), kind, name, recognized(ocr)
            )
            for row, begins, ends, heading, *lines, path, title, kind, name, ocr in records
        }

    def _all(self, query: str, *values: Any) -> list[Any]:
        return self.database.use(lambda db: db.execute(query.encode(), values).fetchall(), waits=True)


def _keys(words: Collection[str]) -> dict[str, str]:
    """Return the index term of each word."""
    return {word: " ".join(stems) for word, stems in STEMS.of(words).items()}


def _ranked(
    db: Db,
    folder: Folder,
    total: int,
    words: int,
    query_terms: list[str],
    limit: int,
    *,
    files: list[int] | None = None,
    least: int = 1,
) -> list[tuple[int, float]]:
    """Return the chunks (of `files`, if given) with at least `least` of the terms, best first by BM25."""
    arguments = {
        "folder": folder.id,
        "total": total,
        "average": words / max(1, total) or 1.0,
        "terms": query_terms,
        "files": files,
        "least": least,
        "limit": limit,
    }
    return db.execute(_RANKED, arguments).fetchall()


def _drop_unheld(db: Db, texts: list[str], vectors: list[str]) -> None:
    """Delete those of these texts and vectors to which no file or chunk refers any more."""
    drop_unheld(db, texts)
    [(has_vectors,)] = db.execute("SELECT to_regclass('embedding') IS NOT NULL").fetchall()
    if has_vectors and vectors:
        db.execute(
            "DELETE FROM embedding WHERE vector = ANY(%s)"
            " AND NOT EXISTS (SELECT 1 FROM chunk WHERE chunk.vector = embedding.vector)",
            (vectors,),
        )


def _remove(db: Db, folder: int, paths: list[str]) -> tuple[list[str], list[str]]:
    """Delete files from a folder; return the hashes of their texts and the ids of their vectors; both may be shared."""
    query = "SELECT id FROM file WHERE folder = %s AND path = ANY(%s)"
    files = [file for (file,) in db.execute(query, (folder, paths))]
    if not files:
        return [], []
    returned = "RETURNING id, size, explained, vector"
    gone = db.execute(f"DELETE FROM chunk WHERE file = ANY(%s) {returned}".encode(), (files,)).fetchall()  # noqa: S608
    lost = db.execute(
        "WITH lost AS (DELETE FROM posting WHERE chunk = ANY(%s) RETURNING term)"
        " UPDATE word SET chunks = word.chunks - lost.chunks"
        " FROM (SELECT term, count(*) AS chunks FROM lost GROUP BY term) AS lost"
        " WHERE folder = %s AND word.term = lost.term RETURNING word.term, word.chunks",
        ([row for row, *_ in gone], folder),
    ).fetchall()
    none = [term for term, chunks in lost if not chunks]
    db.execute("DELETE FROM word WHERE folder = %s AND term = ANY(%s)", (folder, none))
    removed = db.execute("DELETE FROM file WHERE id = ANY(%s) RETURNING text_hash", (files,)).fetchall()
    hashes = [name for (name,) in removed if name is not None]
    _count(db, folder, -1, len(hashes), [(size, explained) for _, size, explained, _ in gone])
    return hashes, [vector for *_, vector in gone]


def _insert(
    db: Db, folder: int, readings: Sequence[FileReading], chunks: Sequence[Sequence[tuple[IndexedChunk, _Words]]]
) -> None:
    keep_texts(db, {name: reading.text.encode() for reading in readings if (name := reading.text_hash) is not None})
    files = _numbers(db, "file", len(readings))
    rows = list(zip(files, chunks, strict=True))
    numbers = iter(_numbers(db, "chunk", sum(map(len, chunks))))
    numbered = [(next(numbers), file, chunk, words) for file, file_chunks in rows for chunk, words in file_chunks]
    with db.cursor().copy(_COPY_FILE) as copy:
        for file, reading in zip(files, readings, strict=True):
            copy.write_row((file, folder, *_file(reading)))
    with db.cursor().copy(_COPY_CHUNK) as copy:
        for row, file, chunk, words in numbered:
            begins, ends, heading, *lines = astuple(chunk.chunk)
            values = (begins, ends, heading.encode(), *lines, chunk.vector, words.size, words.explained_size)
            copy.write_row((row, folder, file, *values))
    postings = [(term, row, *rest) for row, _, _, words in numbered for term, *rest in words.postings()]
    with db.cursor().copy("COPY posting (folder, term, chunk, frequency, size) FROM STDIN") as copy:
        for posting in postings:
            copy.write_row((folder, *posting))
    frequency = Counter(term for term, *_ in postings)
    db.execute(
        "INSERT INTO word (folder, term, chunks) SELECT %s, * FROM unnest(%s::text[], %s::int[])"
        " ON CONFLICT (folder, term) DO UPDATE SET chunks = word.chunks + excluded.chunks",
        (folder, list(frequency), list(frequency.values())),
    )
    sizes = [(words.size, words.explained_size) for *_, words in numbered]
    _count(db, folder, 1, sum(reading.reason is None for reading in readings), sizes)


_COPY_FILE: Final = f"COPY file (id, folder, {FILE_COLUMNS}, names) FROM STDIN"
_COPY_CHUNK: Final = f"COPY chunk (id, folder, file, {_CHUNK}, vector, size, explained) FROM STDIN"


def _file(reading: FileReading) -> tuple[Any, ...]:
    """Return the row of a file; fields that may contain U+0000, which PostgreSQL's `text` does not allow, are bytes."""
    *identity, title, kind, text_hash, reason, notes, ocr = reading.columns()
    file_names = sorted(names(reading.path, reading.title)) if reason is None else []
    return (*identity, title.encode(), kind, text_hash, reason and reason.encode(), notes, ocr, file_names)


def _numbers(db: Db, table: str, count: int) -> list[int]:
    """Return `count` ascending ids for new rows of a table."""
    query = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
    return [number for (number,) in db.execute(query, (table, count))]


def _count(db: Db, folder: int, sign: int, files: int, sizes: Sequence[tuple[int, int]]) -> None:
    """Add chunks, given as their numbers of words and explained words, to a folder's counts, or subtract them."""
    counted = (
        files,
        len(sizes),
        sum(size for size, _ in sizes),
        sum(explained > 0 for _, explained in sizes),
        sum(explained for _, explained in sizes),
    )
    db.execute(
        "UPDATE folder SET files = files + %s, chunks = chunks + %s, words = words + %s,"
        " explaining = explaining + %s, explained = explained + %s WHERE id = %s",
        (*(sign * number for number in counted), folder),
    )
