"""The stored vectors of passage windows, so that later queries need not embed them again."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..kernel.errors import RetrievalError
from ..kernel.source import digest
from .tables import IndexTables, marks

MOST = 50_000  # vectors that an index keeps, the newest, some 800 bytes each


class WindowTable:
    """The vectors of an index's windows: arrays in 16 bits, by embedder and text. Blocks.

    Vectors that cannot be stored, as in an index that another process has locked, are computed again next time.
    """

    def __init__(self, tables: IndexTables) -> None:
        self._tables = tables

    def load(self, embedder: str, texts: Sequence[str]) -> dict[str, Any]:
        """Return the stored vectors of these texts, by text. Raises RetrievalError."""
        import numpy as np

        by_key = {digest(text): text for text in texts}
        query = f"SELECT key, data FROM window WHERE embedder = ? AND key IN ({marks(by_key)})"  # noqa: S608
        rows = self._tables.all(query, embedder, *by_key)
        return {by_key[key]: np.frombuffer(data, np.float16) for key, data in rows}

    def keep(self, embedder: str, vectors: Mapping[str, Any]) -> None:
        """Store arrays in 16 bits by text; beyond MOST the oldest are deleted."""
        rows = [(embedder, digest(text), vector.tobytes()) for text, vector in vectors.items()]
        with suppress(RetrievalError), self._tables.transaction() as db:
            db.executemany("INSERT OR REPLACE INTO window (embedder, key, data) VALUES (?, ?, ?)", rows)
            db.execute("DELETE FROM window WHERE seq <= (SELECT max(seq) FROM window) - ?", (MOST,))


TableOfText = Mapping[str, WindowTable]  # maps each text to the table that stores its vector


def load(embedder: str, tables: TableOfText) -> dict[str, Any]:
    """Return the stored vectors of texts, each from its own index. Blocks. Raises RetrievalError."""
    vectors: dict[str, Any] = {}
    for table in set(tables.values()):
        vectors |= table.load(embedder, [text for text in tables if tables[text] is table])
    return vectors


def keep(embedder: str, tables: TableOfText, vectors: Mapping[str, Any]) -> None:
    """Store the vectors of texts, each in its own index. Blocks."""
    for table in set(tables.values()):
        table.keep(embedder, {text: vector for text, vector in vectors.items() if tables[text] is table})
