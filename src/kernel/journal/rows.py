"""The rows of a journal, as they go from one place where it is kept to another."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from ..errors import JournalError
from .tables import FORMAT

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
"""What begins with the first byte of zlib, as no JSON does, is compressed."""

_GROWS: Final = {
    "effect": "SELECT seq, key FROM effect",
    "message": "SELECT seq, sender FROM message",
    "phase": "SELECT rowid, name FROM phase",
}
"""The tables to which a run only adds, by what tells their rows apart."""


def rows_in(db: sqlite3.Connection) -> Rows:
    """Return all rows of a journal."""
    return {table: db.execute(query).fetchall() for table, query in _ALL.items()}


def replace(db: sqlite3.Connection, rows: Rows, where: str) -> None:
    """Have a journal hold just these rows. Raises JournalError for those of another format."""
    found = next((json.loads(value) for name, value in rows["run"] if name == "format"), None)
    if found != FORMAT:
        raise JournalError(
            f"The run has format {found}, this version reads format {FORMAT}",
            where=where,
            remedy="Use the version of Spyglass that wrote it.",
        )
    for table, statement in _KEEP.items():
        db.execute(f"DELETE FROM {table}")  # noqa: S608
        db.executemany(statement, rows[table])


def is_ahead(db: sqlite3.Connection, rows: Rows) -> bool:
    """Say whether a journal has all of these rows and more: what another place did not get any more."""
    here = {table: set(db.execute(query)) for table, query in _GROWS.items()}
    there = {table: {tuple(row[:2]) for row in rows[table]} for table in _GROWS}
    return not any(rows.values()) or (here != there and all(there[table] <= here[table] for table in _GROWS))
