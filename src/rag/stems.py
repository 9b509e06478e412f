"""Stemming of words exactly as in SQLite's full-text index, FTS5.

`snowballstemmer` stems 47 of 75,000 words differently (`analogy`, `assembly`), and takes 3.7 times as long.
"""

import sqlite3
import threading
from collections.abc import Iterable, Sequence

MOST: int = 200_000  # words whose stems are cached


class Stems:
    """A stemmer that uses FTS5 itself, in memory. Thread-safe.

    A number with a decimal point has two stems, any other word one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, tuple[str, ...]] = {}
        self._db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._db.execute("CREATE VIRTUAL TABLE cut USING fts5 (word, tokenize = 'porter unicode61')")
        self._db.execute("CREATE VIRTUAL TABLE stem USING fts5vocab (cut, instance)")

    def of(self, words: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the stems of each word."""
        wanted = set(words)
        with self._lock:
            if unknown := list(wanted - self._known.keys()):
                if len(self._known) > MOST:
                    self._known.clear()
                    unknown = list(wanted)
                self._known |= self._cut(unknown)
            return {word: self._known[word] for word in wanted}

    def _cut(self, words: list[str]) -> dict[str, tuple[str, ...]]:
        stems_of: dict[int, list[str]] = {number: [] for number in range(len(words))}
        self._db.execute("BEGIN")
        self._db.executemany("INSERT INTO cut (rowid, word) VALUES (?, ?)", enumerate(words))
        for number, stem in self._db.execute("SELECT doc, term FROM stem ORDER BY doc, offset"):
            stems_of[number].append(stem)
        self._db.execute("ROLLBACK")
        return {words[number]: tuple(stems) for number, stems in stems_of.items()}


STEMS = Stems()  # shared by the process


def stem_of(word: str) -> str:
    """Return the first stem of a word."""
    return next(iter(STEMS.of([word])[word]), word)


def first_of_stem(words: Sequence[str], stem: str) -> str:
    """Return the first word that has this stem; "" if none has."""
    stems = STEMS.of(words)
    return next((word for word in words if stems[word][:1] == (stem,)), "")
