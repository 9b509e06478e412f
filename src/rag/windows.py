"""The stored vectors of passage windows, so that later queries need not encode them again."""

import io
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..kernel.errors import RetrievalError
from ..kernel.source import digest
from .tables import IndexTables, marks

MOST = 4_000  # windows whose vectors an index keeps, the newest, some 30 KB each


class WindowTable:
    """The vectors of an index's windows: arrays, by model and text. Blocks.

    Vectors that cannot be stored, as in an index that another process has locked, are computed again next time.
    """

    def __init__(self, tables: IndexTables) -> None:
        self._tables = tables

    def load(self, model: str, texts: Sequence[str]) -> dict[str, Any]:
        """Return the stored arrays of these texts, by text. Raises RetrievalError."""
        import numpy as np

        by_key = {digest(text): text for text in texts}
        query = f"SELECT key, data FROM window WHERE model = ? AND key IN ({marks(by_key)})"  # noqa: S608
        rows = self._tables.all(query, model, *by_key)
        return {by_key[key]: np.load(io.BytesIO(data), allow_pickle=False) for key, data in rows}

    def keep(self, model: str, vectors: Mapping[str, Any]) -> None:
        """Store arrays by text; beyond MOST the oldest are deleted."""
        rows = [(model, digest(text), _as_bytes(vector)) for text, vector in vectors.items()]
        with suppress(RetrievalError), self._tables.transaction() as db:
            db.executemany("INSERT OR REPLACE INTO window (model, key, data) VALUES (?, ?, ?)", rows)
            db.execute("DELETE FROM window WHERE seq <= (SELECT max(seq) FROM window) - ?", (MOST,))


def _as_bytes(array: Any) -> bytes:
    import numpy as np

    target = io.BytesIO()
    np.save(target, array, allow_pickle=False)
    return target.getvalue()


TableOfText = Mapping[str, WindowTable]  # maps each text to the table that stores its vector


def load(model: str, tables: TableOfText) -> dict[str, Any]:
    """Return the stored vectors of texts, each from its own index. Blocks. Raises RetrievalError."""
    vectors: dict[str, Any] = {}
    for table in set(tables.values()):
        vectors |= table.load(model, [text for text in tables if tables[text] is table])
    return vectors


def keep(model: str, tables: TableOfText, vectors: Mapping[str, Any]) -> None:
    """Store the vectors of texts, each in its own index. Blocks."""
    for table in set(tables.values()):
        table.keep(model, {text: vector for text, vector in vectors.items() if tables[text] is table})
