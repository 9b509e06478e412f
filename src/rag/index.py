"""The index of a folder: the records of files and chunks, and the interfaces that each storage implements."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from pathlib import PurePosixPath
from typing import Any, Protocol

from ..kernel.notice import NoticeOrText, from_column, to_column
from ..kernel.source import Recognized, digest
from ..kernel.term import terms
from .chunk import HEADINGS, Chunk
from .embed import Vector
from .explained import explained, names_of
from .walk import Stamp

FILE_COLUMNS = "path, size, mtime_ns, ctime_ns, sha256, key, title, kind, text_hash, reason, notes, ocr"
"""The columns of the table `file`."""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """The record of a file: stamp and hash when it was read, the key of the reading, the reason if it has no text.

    `notes` names the parts inside it without text.
    """

    stamp: Stamp
    sha256: str
    key: str
    reason: NoticeOrText | None
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls, size: int, mtime: int, ctime: int, sha256: str, key: str, reason: str | None, notes: str
    ) -> "FileRecord":
        """Return the record in the columns of a table."""
        parsed_reason = None if reason is None else from_column(reason)
        return cls((size, mtime, ctime), sha256, key, parsed_reason, tuple(json.loads(notes)))


@dataclass(frozen=True, slots=True)
class FileReading:
    """The result of reading a file: a text with its chunks, or the reason why there is none."""

    path: str
    stamp: Stamp
    sha256: str
    key: str
    title: str = ""
    kind: str = ""
    text: str = ""
    chunks: Sequence[Chunk] = ()
    reason: NoticeOrText | None = None
    notes: tuple[str, ...] = ()
    ocr: tuple[Recognized, ...] = ()

    @property
    def text_hash(self) -> str | None:
        """The SHA-256 of the text, None where there is none."""
        return digest(self.text, size=64) if self.reason is None else None

    def columns(self) -> tuple[Any, ...]:
        """Return the values of FILE_COLUMNS."""
        reason = None if self.reason is None else to_column(self.reason)
        lists = (json.dumps(self.notes), json.dumps(list(map(astuple, self.ocr))))
        return (self.path, *self.stamp, self.sha256, self.key, self.title, self.kind, self.text_hash, reason, *lists)


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk in the index, and its file; `text_hash` is the SHA-256 of the file's text.

    `ocr` contains the parts of that text that were recognised in pictures.
    """

    chunk: Chunk
    path: str
    title: str
    kind: str
    text_hash: str
    ocr: tuple[Recognized, ...]


@dataclass(frozen=True, slots=True)
class Pending:
    """A chunk without a searchable vector: its row, the id of its vector, its file, the text to embed.

    `existing` is the vector if it was computed before and only has to be stored again.
    """

    row: int
    vector: str
    path: str
    text: str
    existing: bytes | None


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk to be indexed: its vector's id, the terms of its context and body, and those that it explains."""

    chunk: Chunk
    vector: str
    context: list[str]
    body: list[str]
    explained: list[list[str]]


class TextIndex(Protocol):
    """Index of files, texts, chunks and words. Thread-safe; each call blocks and is one transaction.

    Raises RetrievalError.
    """

    def file_records(self, paths: Collection[str] | None = None) -> dict[str, FileRecord]:
        """Return the record of each file, or of those in `paths`, by path."""
        ...

    def keep(self, readings: Iterable[FileReading]) -> None:
        """Store readings, replacing the records of the same files."""
        ...

    def restamp(self, stamps: Iterable[tuple[str, Stamp]]) -> None:
        """Update the stamps of files whose content is unchanged."""
        ...

    def remove(self, paths: Iterable[str]) -> None:
        """Delete files that no longer exist, with their texts and chunks."""
        ...

    def counts(self) -> tuple[int, int]:
        """Return the number of files with text, and of chunks."""
        ...

    def texts(self, hashes: Collection[str]) -> dict[str, str]:
        """Return the whole texts with these hashes, by hash; replaced texts are left out."""
        ...

    def frequencies(self, words: Collection[str], bound: int) -> dict[str, int]:
        """Return how many chunks contain each term, at most `bound`."""
        ...

    def vocabulary(self, letter: str) -> dict[str, int]:
        """Return the stems that begin with a letter, and how many chunks contain each."""
        ...

    def spelling(self, stem: str) -> str:
        """Return a word of the texts that has this stem; "" if none has."""
        ...

    def best(self, words: Sequence[str], limit: int, files: Sequence[int] = ()) -> list[tuple[int, float]]:
        """Return the rows of the chunks that contain any of the words, best first, with their BM25 scores.

        With `files`, only chunks of these files.
        """
        ...

    def explaining(self, words: Sequence[str], limit: int) -> list[int]:
        """Return the rows of the chunks that explain exactly this term, then of those whose terms have all its words.

        Within each group, chunks with the fewest terms come first.
        """
        ...

    def first(self, limit: int) -> list[int]:
        """Return the rows of chunks, the first chunks of files before all others."""
        ...

    def openings(self, limit: int) -> list[int]:
        """Return the rows of the first chunks of files, ordered by path."""
        ...

    def words_in_names(self, words: Collection[str]) -> dict[int, frozenset[str]]:
        """Return, by file id, the words that its path or title contains; files without any are left out."""
        ...

    def holding(self, words: Collection[str], rows: Collection[int]) -> dict[str, set[int]]:
        """Return, for each word, those of the rows whose chunks contain it."""
        ...

    def stored_chunks(self, rows: Collection[int]) -> dict[int, StoredChunk]:
        """Return the chunks of these rows; missing rows are left out."""
        ...


class VectorIndex(Protocol):
    """The vectors of the chunks. Thread-safe; every call blocks. Raises EmbedderError and RetrievalError.

    The id of a vector is a digest of what was embedded: a new version of a chunk has a new id, and an unchanged chunk
    of a changed file keeps its vector. A vector to which no chunk refers is never a hit.
    """

    def missing(self, embedder: str) -> int:
        """Return how many chunks cannot be searched with this embedder."""
        ...

    def pending(self, embedder: str, after: int, limit: int) -> list[Pending]:
        """Return the next chunks after the row `after` that cannot be searched with this embedder."""
        ...

    def add(self, embedder: str, chunks: Sequence[Pending], vectors: Sequence[Vector]) -> None:
        """Store the vectors of these chunks."""
        ...

    def sweep(self, embedder: str) -> None:
        """Delete the vectors to which no chunk refers any more."""
        ...

    def nearest(self, embedder: str, vector: Vector, limit: int) -> list[tuple[int, float]]:
        """Return the rows of the chunks that are nearest to a vector, nearest first, each with its cosine."""
        ...


def context(path: str, title: str, heading: str) -> str:
    """Return the context of a chunk, one item a line: its file's path without suffix, its title, its headings."""
    return "\n".join(dict.fromkeys((PurePosixPath(path).with_suffix("").as_posix(), title, heading)))


def names(path: str, title: str) -> frozenset[str]:
    """Return the terms of a file's path and title."""
    return frozenset(terms(f"{PurePosixPath(path).with_suffix('').as_posix()}\n{title}"))


def indexed(reading: FileReading) -> Iterator[IndexedChunk]:
    """Yield the chunks of a file, prepared for the index."""
    for chunk in reading.chunks:
        body = reading.text[chunk.start : chunk.end]
        yield IndexedChunk(
            chunk,
            digest(reading.path, reading.title, chunk.heading, body),
            terms(context(reading.path, reading.title, chunk.heading)),
            terms(body),
            [terms(name) for term, _ in explained(body) for name in names_of(term)],
        )


def embedded_text(title: str, heading: str, text: str) -> str:
    """Return the text to embed for a chunk: its title and headings, unless the chunk contains them, then its text.

    The fused nDCG@10 on the Cranfield abstracts is .438; with the bare text .431, with all of them always .432.
    """
    context_lines = dict.fromkeys((title, *heading.split(HEADINGS)))
    return "\n".join([*(line for line in context_lines if line and line not in text), text])


def recognized(stored: str) -> tuple[Recognized, ...]:
    """Return the parts of a text that OCR recognised, from their stored JSON."""
    return tuple(Recognized(*part) for part in json.loads(stored))
