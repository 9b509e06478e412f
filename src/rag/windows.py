"""What windows of passages mean, kept with the index so that a later question or process need not embed them again."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..kernel.errors import RetrievalError
from ..kernel.source import digest
from .tables import IndexTables, marks

MOST = 50_000  # windows that an index keeps, some 800 bytes each; those that were made last


class WindowTable:
    """The vectors of an index's windows: arrays in 16 bits, by embedder and text. Blocks.

    What cannot be kept, in an index that another process holds for example, is embedded again the next time.
    """

    def __init__(self, tables: IndexTables) -> None:
        self._tables = tables

    def recalled(self, embedder: str, texts: Sequence[str]) -> dict[str, Any]:
        """Return what is kept of these texts. Raises RetrievalError."""
        import numpy as np

        by_key = {digest(text): text for text in texts}
        with self._tables.transaction() as db:
            found = db.execute(
                f"SELECT key, data FROM window WHERE embedder = ? AND key IN ({marks(list(by_key))})",  # noqa: S608
                (embedder, *by_key),
            ).fetchall()
        return {by_key[key]: np.frombuffer(data, np.float16) for key, data in found}

    def keep(self, embedder: str, made: Mapping[str, Any]) -> None:
        """Keep arrays of 16 bits by text; the oldest of all go that are too many."""
        rows = [(embedder, digest(text), own.tobytes()) for text, own in made.items()]
        with suppress(RetrievalError), self._tables.transaction() as db:
            db.executemany("INSERT OR REPLACE INTO window (embedder, key, data) VALUES (?, ?, ?)", rows)
            db.execute("DELETE FROM window WHERE seq <= (SELECT max(seq) FROM window) - ?", (MOST,))


Places = Mapping[str, WindowTable]  # Texts, and where what they mean is kept


def recalled(embedder: str, places: Places) -> dict[str, Any]:
    """Return what is kept of texts, each in its own index. Blocks. Raises RetrievalError."""
    found: dict[str, Any] = {}
    for table, texts in _by_table(places).items():
        found |= table.recalled(embedder, texts)
    return found


def keep(embedder: str, places: Places, made: Mapping[str, Any]) -> None:
    """Keep what was made of texts, each in its own index. Blocks."""
    for table, texts in _by_table(places).items():
        table.keep(embedder, {text: made[text] for text in texts if text in made})


def _by_table(places: Places) -> dict[WindowTable, list[str]]:
    found: dict[WindowTable, list[str]] = {}
    for text, table in places.items():
        found.setdefault(table, []).append(text)
    return found
