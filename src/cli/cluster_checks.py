"""`spyglass doctor --cluster`: checks what several machines share, the database, the runs and Ray's nodes."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..kernel.database import database_of
from ..kernel.errors import DatabaseError, RunError
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..runs import RunStore

if TYPE_CHECKING:
    from .doctor import Check

_ABOUT = """
SELECT current_setting('server_version'), (SELECT max(number) FROM schema_step),
    pg_size_pretty(pg_database_size(current_database())), extract(epoch FROM clock_timestamp())::float8,
    (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()), current_setting('max_connections')
"""


def cluster_checks(settings: Settings) -> "Iterator[tuple[str, Check]]":
    """Yield a check for each shared part, with its name."""
    yield "database", _database
    yield "pgvector", _vectors
    yield "runs", _runs
    if settings.runs.ray:
        yield "ray", _ray


async def _database(run: Run) -> str:
    database = database_of(run.settings)
    await in_thread(database.rows, "SELECT 1")  # creates the tables and opens the connection, outside the timing
    began = time.perf_counter()
    [row] = await in_thread(database.rows, _ABOUT)
    took = time.perf_counter() - began
    version, step, size, clock, taken, most = row
    difference = abs(time.time() - clock)
    clocks = (
        "" if difference < 1 else f", its clock differs by {difference:.0f} s from this machine's, which has no effect"
    )
    return (
        f"PostgreSQL {version} at {database.where}, schema {step}, {size}, answers in {took * 1e3:.1f} ms, "
        f"{taken} of {most} connections{clocks}"
    )


async def _vectors(run: Run) -> str:
    query = "SELECT default_version, installed_version FROM pg_available_extensions WHERE name = 'vector'"
    rows = await in_thread(database_of(run.settings).rows, query)
    if not rows:
        raise DatabaseError(
            "The database does not have the extension pgvector, which an index of documents in it needs",
            remedy="Install the PostgreSQL extension `vector` on the database server; runs work without it.",
        )
    [(known, used)] = rows
    return f"{used} is in use" if used else f"{known} is available, but not in use"


async def _runs(run: Run) -> str:
    database_of(run.settings)
    counts = await in_thread(RunStore.of(run.settings).counts)
    return (
        f"{counts['kept']:,} stored, {counts['queued']:,} queued or at a worker, "
        f"{counts['held']:,} in progress, {counts['cut']:,} interrupted because their process died"
    )


async def _ray(run: Run) -> str:
    return await in_thread(_nodes, run.settings)


def _nodes(settings: Settings) -> str:
    """Check each node of the cluster and return a summary. Raises RunError if a node cannot make runs."""
    from ..cluster.connection import Cluster
    from ..cluster.workers import nodes_of

    Cluster(settings, settings.runs.ray or "")
    reasons: dict[str, Any] = nodes_of(settings)
    if failed := {name: why for name, why in reasons.items() if why}:
        first, why = next(iter(failed.items()))
        raise RunError(f"{len(failed)} of {len(reasons)} nodes cannot make runs", where=first, remedy=why)
    return f"{len(reasons)} nodes, each with this version, the folders of the settings and access to the database"
