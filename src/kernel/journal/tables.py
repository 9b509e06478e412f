"""The tables of a journal, and the encoding of their values."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from ..cleanup import transaction
from ..errors import JournalError

FORMAT: Final = 4
"""Incremented whenever the tables or their values change; a journal of another format is refused."""

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS run (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS effect (
    seq INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
    request TEXT NOT NULL, answer TEXT, error TEXT, began REAL, ended REAL
);
CREATE TABLE IF NOT EXISTS message (seq INTEGER PRIMARY KEY, sender TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS snapshot (hash TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS phase (name TEXT NOT NULL, status TEXT NOT NULL, after INTEGER NOT NULL, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS lease (
    one INTEGER PRIMARY KEY CHECK (one = 1), owner TEXT NOT NULL, machine TEXT NOT NULL, pid INTEGER NOT NULL,
    birth TEXT NOT NULL, ends REAL NOT NULL
);
"""

_MOST_ROWS: Final = {"run": 100_000, "effect": 100_000, "message": 10_000, "snapshot": 100_000}

_OURS: Final = {"".join(sql.replace("IF NOT EXISTS ", "").split()) for sql in _TABLES.split(";") if sql.strip()}
"""The statements that create the tables, without white space."""


def require_ours(db: sqlite3.Connection, path: Path | None) -> None:
    """Raise JournalError for a file that holds anything but our tables, before any of its content is evaluated."""
    for kind, name, sql in db.execute("SELECT type, name, sql FROM sqlite_schema"):
        automatic = kind == "index" and sql is None
        if not automatic and "".join(str(sql).split()) not in _OURS:
            raise JournalError(
                f"The file is not a run's journal, or was modified: it contains the {kind} {name}", where=str(path)
            )


def require_few(db: sqlite3.Connection, path: Path | None) -> None:
    """Raise JournalError for a journal with more rows than any run writes, which would take long to process."""
    for table, most in _MOST_ROWS.items():
        count = db.execute(f"SELECT COUNT(*) FROM (SELECT 1 FROM {table} LIMIT ?)", (most + 1,)).fetchone()[0]  # noqa: S608
        if count > most:
            raise JournalError(f"The journal has more than {most:,} rows in the table {table}", where=str(path))


def prepare(db: sqlite3.Connection, path: Path | None) -> None:
    """Create the tables of a new journal. Raises JournalError for a journal of another format."""
    current = format_of(db)
    if current == FORMAT:
        return
    with transaction(db):
        current = format_of(db)  # another process may have been quicker
        if current not in (None, FORMAT):
            raise other_format(current, str(path))
        for statement in _TABLES.split(";"):
            db.execute(statement)
        db.execute("INSERT OR REPLACE INTO run VALUES ('format', ?)", (str(FORMAT),))


def other_format(actual: object, where: str) -> JournalError:
    """Return the error for a journal of another format."""
    remedy = "Use the version of Spyglass that wrote it."
    what = f"The journal has format {actual}, this version of Spyglass reads format {FORMAT}"
    return JournalError(what, where=where, remedy=remedy)


def format_of(db: sqlite3.Connection) -> int | None:
    """Return the format of a journal; None for an empty file."""
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'run'").fetchall():
        return None
    rows = db.execute("SELECT value FROM run WHERE name = 'format'").fetchall()
    return int(json.loads(rows[0][0])) if rows else None


Rows: TypeAlias = Mapping[str, Sequence[Sequence[Any]]]  # by table, texts as UTF-8 or, long ones, compressed

_ALL: Final = {
    "run": "SELECT name, CAST(value AS BLOB) FROM run",
    "effect": "SELECT seq, key, kind, CAST(request AS BLOB), CAST(answer AS BLOB), CAST(error AS BLOB), began, ended"
    " FROM effect",
    "message": "SELECT seq, sender, CAST(body AS BLOB) FROM message",
    "phase": "SELECT rowid, name, status, after, at FROM phase",
    "snapshot": "SELECT hash, CAST(text AS BLOB) FROM snapshot",
}

_KEEP: Final = {
    "run": "INSERT INTO run VALUES (?1, iif(substr(?2, 1, 1) = X'78', ?2, CAST(?2 AS TEXT)))",
    "effect": "INSERT INTO effect VALUES (?, ?, ?, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), ?, ?)",
    "message": "INSERT INTO message VALUES (?1, ?2, iif(substr(?3, 1, 1) = X'78', ?3, CAST(?3 AS TEXT)))",
    "phase": "INSERT INTO phase (rowid, name, status, after, at) VALUES (?, ?, ?, ?, ?)",
    "snapshot": "INSERT INTO snapshot VALUES (?, CAST(? AS TEXT))",
}
"""A value that begins with the first byte of zlib's format, as no JSON does, is compressed."""

_GROWS: Final = {
    "effect": "SELECT seq, key FROM effect",
    "message": "SELECT seq, sender FROM message",
    "phase": "SELECT rowid, name FROM phase",
}
"""The append-only tables, with queries of the columns that identify their rows."""


def rows_in(db: sqlite3.Connection) -> Rows:
    """Return all rows of a journal."""
    return {table: db.execute(query).fetchall() for table, query in _ALL.items()}


def replace(db: sqlite3.Connection, rows: Rows, where: str) -> None:
    """Replace all rows of a journal. Raises JournalError for rows of another format."""
    current = next((json.loads(value) for name, value in rows["run"] if name == "format"), None)
    if current != FORMAT:
        raise other_format(current, where)
    for table, statement in _KEEP.items():
        db.execute(f"DELETE FROM {table}")  # noqa: S608
        db.executemany(statement, rows[table])


def is_ahead(db: sqlite3.Connection, rows: Rows) -> bool:
    """Return whether a journal has all of these rows and more, or `rows` is empty."""
    ours = {table: set(db.execute(query)) for table, query in _GROWS.items()}
    theirs = {table: {tuple(row[:2]) for row in rows[table]} for table in _GROWS}
    return not any(rows.values()) or (ours != theirs and all(theirs[table] <= ours[table] for table in _GROWS))
