"""The tables in PostgreSQL, as numbered steps: a database gets those that it lacks, and a newer one is refused."""

from typing import Any, Final

from psycopg import Connection

from ..errors import DatabaseError

STEPS: Final = (
    # 1: runs and what they asked. What JSON or text may hold that PostgreSQL's text may not (U+0000) is kept as bytes.
    """
    CREATE TABLE run (
        id text PRIMARY KEY, question text NOT NULL DEFAULT '', owner text,
        token bigint NOT NULL DEFAULT 0, version bigint NOT NULL DEFAULT 0,
        machine text NOT NULL DEFAULT '', pid integer, birth text NOT NULL DEFAULT '',
        ends timestamptz, stop boolean NOT NULL DEFAULT false, resumed integer NOT NULL DEFAULT 0,
        began timestamptz NOT NULL DEFAULT clock_timestamp(), touched timestamptz NOT NULL DEFAULT clock_timestamp()
    );
    CREATE INDEX run_began ON run (began DESC);
    CREATE TABLE fact (
        run text NOT NULL REFERENCES run ON DELETE CASCADE, name text NOT NULL, value bytea NOT NULL,
        PRIMARY KEY (run, name)
    );
    CREATE TABLE effect (
        run text NOT NULL REFERENCES run ON DELETE CASCADE, seq bigint NOT NULL, key text NOT NULL, kind text NOT NULL,
        request bytea NOT NULL, answer bytea, error bytea, began float8, ended float8,
        PRIMARY KEY (run, seq), UNIQUE (run, key)
    );
    CREATE TABLE message (
        run text NOT NULL REFERENCES run ON DELETE CASCADE, seq bigint NOT NULL, sender text NOT NULL,
        body bytea NOT NULL, PRIMARY KEY (run, seq)
    );
    CREATE TABLE phase (
        run text NOT NULL REFERENCES run ON DELETE CASCADE, seq bigint NOT NULL, name text NOT NULL,
        status text NOT NULL, after bigint NOT NULL, at float8 NOT NULL, PRIMARY KEY (run, seq)
    );
    CREATE TABLE snapshot (hash text PRIMARY KEY, text bytea NOT NULL);
    CREATE TABLE held_snapshot (
        run text NOT NULL REFERENCES run ON DELETE CASCADE, hash text NOT NULL REFERENCES snapshot,
        PRIMARY KEY (run, hash)
    );
    CREATE INDEX held_snapshot_hash ON held_snapshot (hash);
    CREATE TABLE cache_entry (
        kind text NOT NULL, key text NOT NULL, value bytea NOT NULL, bytes bytea NOT NULL, size bigint NOT NULL,
        stored_at float8 NOT NULL, used_at float8 NOT NULL, ends_at float8 NOT NULL,
        PRIMARY KEY (kind, key)
    );
    CREATE INDEX cache_entry_use ON cache_entry (used_at, size);
    CREATE INDEX cache_entry_end ON cache_entry (ends_at);
    """,
    # 2: runs that wait for a worker, and what happens in runs, for whoever follows them.
    """
    ALTER TABLE run ADD COLUMN queued timestamptz, ADD COLUMN trouble text NOT NULL DEFAULT '';
    CREATE INDEX run_queued ON run (queued) WHERE queued IS NOT NULL;
    CREATE TABLE event (
        run text NOT NULL REFERENCES run ON DELETE CASCADE, id bigint GENERATED ALWAYS AS IDENTITY,
        record bytea NOT NULL,
        PRIMARY KEY (run, id)
    );
    """,
    # 3: what several services share beside runs, and until when a process is about to begin with a run.
    """
    ALTER TABLE run ADD COLUMN expected timestamptz;
    CREATE INDEX run_open ON run (ends, expected) WHERE ends IS NOT NULL OR expected IS NOT NULL;
    CREATE TABLE token (
        name text PRIMARY KEY, hashed text NOT NULL UNIQUE, made text NOT NULL, budget float8, runs_a_day integer
    );
    CREATE TABLE watch (id text PRIMARY KEY, record text NOT NULL, report bytea);
    CREATE UNLOGGED TABLE place (
        name text NOT NULL, run text NOT NULL, wants integer NOT NULL, has integer NOT NULL, served float8 NOT NULL,
        ends timestamptz NOT NULL, PRIMARY KEY (name, run)
    );
    CREATE UNLOGGED TABLE pace (name text PRIMARY KEY, next timestamptz NOT NULL);
    """,
)

_LOCK: Final = 0x5059_474C_4153
"""The number of the advisory lock that one process holds while it takes steps."""


def migrate(db: Connection[Any], where: str, steps: tuple[str, ...] = STEPS) -> None:
    """Take the steps that a database lacks, all or none. Raises DatabaseError for one that has taken more."""
    with db.transaction():
        db.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        db.execute("CREATE SCHEMA IF NOT EXISTS spyglass")
        db.execute("CREATE TABLE IF NOT EXISTS spyglass.schema_step (number integer PRIMARY KEY)")
        (taken,) = db.execute("SELECT coalesce(max(number), 0) FROM spyglass.schema_step").fetchone() or (0,)
        if taken > len(steps):
            raise DatabaseError(
                f"The database has schema {taken}, this version of Spyglass knows {len(steps)}",
                where=where,
                remedy="Update Spyglass on this machine.",
            )
        for number, step in enumerate(steps[taken:], taken + 1):
            db.execute(step.encode())
            db.execute("INSERT INTO spyglass.schema_step VALUES (%s)", (number,))
