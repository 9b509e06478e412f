"""Texts in PostgreSQL, stored once by their SHA-256 and referenced by runs and by files of indexes."""

from collections.abc import Collection, Mapping
from typing import Any

from psycopg import Connection


def keep_texts(db: Connection[Any], texts: Mapping[str, bytes]) -> None:
    """Store the texts that are missing."""
    db.cursor().executemany("INSERT INTO snapshot VALUES (%s, %s) ON CONFLICT DO NOTHING", sorted(texts.items()))


def drop_unheld(db: Connection[Any], hashes: Collection[str]) -> None:
    """Delete those of these texts that neither a run nor an index references."""
    db.execute(
        "DELETE FROM snapshot WHERE hash = ANY(%s)"
        " AND NOT EXISTS (SELECT 1 FROM held_snapshot WHERE held_snapshot.hash = snapshot.hash)"
        " AND NOT EXISTS (SELECT 1 FROM file WHERE file.text_hash = snapshot.hash)",
        (list(hashes),),
    )
