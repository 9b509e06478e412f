"""The SQLite record of everything a run asked of the world, and of what came back."""

import hashlib
import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import JournalError

FORMAT = 1
"""Raised whenever the tables change; a journal of another format is refused, never guessed at."""

_TABLES = """
CREATE TABLE IF NOT EXISTS run (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS effect (
    seq INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
    request TEXT NOT NULL, answer TEXT, error TEXT
);
CREATE TABLE IF NOT EXISTS message (seq INTEGER PRIMARY KEY, sender TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS snapshot (hash TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
"""

LONGEST_WAIT = 0.2
"""Seconds for which a write waits for another process's: a journal has one owner, and the event loop stands still."""


def canonical(value: Any) -> str:
    """Return the one JSON spelling of a value: sorted keys, no spaces, text as it is unless it cannot be encoded."""
    spelt = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    try:
        spelt.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which only an escape can spell
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    return spelt


def effect_key(kind: str, request: Any) -> str:
    """Return the content address of a request: equal requests have equal keys, whatever their order of starting."""
    return hashlib.sha256(f"{kind}\x1f{canonical(request)}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request got: a value, or the record of the error it ended in."""

    value: Any = None
    error: dict[str, Any] | None = None


class Journal:
    """One run's record, in one SQLite file, or in memory when `path` is None.

    A write is on its way to disk when the call returns, so it survives the death of the process (not of the
    machine: `synchronous=NORMAL`). Writes take some 0.03 ms, which is why they run on the event loop's own thread.
    Raises JournalError when the file is unusable.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(
                path or ":memory:", isolation_level=None, check_same_thread=False, timeout=LONGEST_WAIT
            )
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(_TABLES)
        except (OSError, sqlite3.Error) as error:
            raise JournalError(
                f"The journal cannot be opened: {error}", where=str(path), remedy="Set data_dir to a writable folder."
            ) from error
        self._check_format()

    def _check_format(self) -> None:
        found = self.get("format")
        if found is None:
            self.put("format", FORMAT)
        elif found != FORMAT:
            raise JournalError(
                f"The journal has format {found}, this version reads format {FORMAT}",
                where=str(self.path),
                remedy="Use the version of Spyglass that wrote it.",
            )

    def get(self, name: str) -> Any:
        """Return a fact about the run itself (its id, its question), or None."""
        rows = self._read("SELECT value FROM run WHERE name = ?", name)
        return json.loads(rows[0][0]) if rows else None

    def put(self, name: str, value: Any) -> None:
        """Keep a fact about the run itself."""
        self._write("INSERT OR REPLACE INTO run VALUES (?, ?)", (name, canonical(value)))

    def find(self, key: str) -> Answer | None:
        """Return the recorded answer to a request, or None when it was never answered."""
        rows = self._read("SELECT answer, error FROM effect WHERE key = ?", key)
        return _answer(*rows[0]) if rows else None

    def record(self, key: str, kind: str, request: Any, answer: Answer) -> None:
        """Keep the answer to a request; the first answer stays."""
        value = None if answer.error is not None else canonical(answer.value)
        error = None if answer.error is None else canonical(answer.error)
        self._write(
            "INSERT OR IGNORE INTO effect (key, kind, request, answer, error) VALUES (?, ?, ?, ?, ?)",
            (key, kind, canonical(request), value, error),
        )

    def effects(self) -> list[tuple[str, Any, Answer]]:
        """Return every effect as (kind, request, answer), in the order in which the answers came."""
        rows = self._read("SELECT kind, request, answer, error FROM effect ORDER BY seq")
        return [(kind, json.loads(request), _answer(answer, error)) for kind, request, answer, error in rows]

    def log(self, sender: str, message: Any) -> None:
        """Keep a message that the server dispatched."""
        self._write("INSERT INTO message (sender, body) VALUES (?, ?)", (sender, json.dumps(message, default=str)))

    def messages(self) -> list[tuple[str, Any]]:
        """Return every dispatched message as (sender, message), in order."""
        return [
            (sender, json.loads(body)) for sender, body in self._read("SELECT sender, body FROM message ORDER BY seq")
        ]

    def keep_snapshot(self, text_hash: str, text: str) -> None:
        """Keep the text of a source as it was when it was read."""
        self._write("INSERT OR IGNORE INTO snapshot VALUES (?, ?)", (text_hash, text))

    def snapshot(self, text_hash: str) -> str | None:
        """Return a kept text, or None."""
        rows = self._read("SELECT text FROM snapshot WHERE hash = ?", text_hash)
        return str(rows[0][0]) if rows else None

    def close(self) -> None:
        """Close the file; nothing can be recorded after."""
        self._db.close()

    def _read(self, query: str, *values: str) -> list[Any]:
        try:
            return self._db.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise JournalError(f"The journal cannot be read: {error}", where=str(self.path)) from error

    def _write(self, statement: str, values: tuple[Any, ...]) -> None:
        try:
            self._db.execute(statement, values)
        except sqlite3.Error as error:
            raise JournalError(
                f"The journal cannot be written: {error}", where=str(self.path), remedy="Is the disk full?"
            ) from error


def _answer(value: str | None, error: str | None) -> Answer:
    """Return the answer that two columns hold."""
    return (
        Answer(value=json.loads(value))
        if error is None and value is not None
        else Answer(error=json.loads(error or ""))
    )
