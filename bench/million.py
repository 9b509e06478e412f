"""A query over many vectors in PostgreSQL: `python bench/million.py [--rows 1000000]`.

The vectors are synthetic and lie in clusters, as the meanings of passages do. Half of the folder's neighbours belong to
another folder, so the search has to leave them out. Recall is against all of the folder's vectors.
"""

import argparse
import os
import secrets
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from psycopg import Connection
from psycopg.sql import SQL, Identifier, Literal

from spyglass.kernel.database.database import Database
from spyglass.rag.shared_texts import SharedTexts
from spyglass.rag.shared_vectors import SharedVectors
from table import Row, report

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from postgres import a_database, server_of

DIMENSION = 384
EMBEDDER = "synthetic"
FOUND = 10
QUERIES = 60
BLOCK = 10_000
MAKING = 2_500
"""Bytes of memory that a vector takes while the graph is made."""

OTHERS = 10
"""One in so many vectors is another folder's."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rows", type=int, default=1_000_000, help="vectors of the folder that is asked")
    arguments.add_argument("--strict", action="store_true", help="exit with 1 when a limit is missed")
    rows = arguments.parse_args().rows
    server = server_of(secrets.token_hex(6))
    try:
        with a_database(server) as url:
            give_memory(url, rows)
            database = Database(url)
            measured = measure(database, rows)
            database.close()
    finally:
        server.cleanup()
    load = " ".join(f"{one:.1f}" for one in os.getloadavg())
    report(f"A query over {rows:,} vectors of {DIMENSION} dimensions; load {load}", measured)


def give_memory(url: str, rows: int) -> None:
    """Have the database make the graph in memory: on its disk that takes many times as long."""
    with psycopg.connect(url, autocommit=True) as db:
        name, kilobytes = Identifier(db.info.dbname), Literal(f"{100_000 + rows * MAKING // 1_000}kB")
        db.execute(SQL("ALTER DATABASE {} SET maintenance_work_mem = {}").format(name, kilobytes))


def measure(database: Database, rows: int) -> list[Row]:
    started, random = time.perf_counter(), np.random.default_rng(7)
    centres = random.normal(size=(max(50, rows // 500), DIMENSION)).astype(np.float32)
    texts = SharedTexts(database, "asked", "/asked")
    vectors = SharedVectors(texts)
    vectors.missing(EMBEDDER)  # makes the tables
    database.use(lambda db: db.execute("INSERT INTO folder (key, path) VALUES ('asked', ''), ('other', '')"))
    own = np.empty((rows, DIMENSION), np.float32)
    for start in range(0, rows, BLOCK):
        block = made(random, centres, min(BLOCK, rows - start))
        own[start : start + len(block)] = block
        database.use(lambda db, block=block, start=start: keep(db, "asked", block, start))  # type: ignore[misc]
        others = made(random, centres, len(block) // OTHERS)
        database.use(lambda db, others=others, start=start: keep(db, "other", others, start))  # type: ignore[misc]
    print(f"{rows:,} vectors are stored after {time.perf_counter() - started:.0f} s", flush=True)
    began = time.perf_counter()
    vectors.sweep(EMBEDDER)
    build = time.perf_counter() - began
    seconds, recalls = [], []
    for query in made(random, centres, QUERIES):
        began = time.perf_counter()
        found = vectors.nearest(EMBEDDER, query.tolist(), FOUND)
        seconds.append(time.perf_counter() - began)
        exact = np.argpartition(-(own @ query), FOUND)[:FOUND]
        recalls.append(len({row for row, _ in found} & {int(row) + 1 for row in exact}) / FOUND)
    times = sorted(1000 * one for one in seconds[5:])
    return [
        Row("a query, median", statistics.median(times), "ms", 80),
        Row("a query, 95th percentile", times[int(0.95 * len(times))], "ms"),
        Row(f"recall@{FOUND}", statistics.fmean(recalls), "", 0.95, "least"),
        Row(
            "graph",
            size(
                database,
                "SELECT sum(pg_relation_size(indexrelid)) FROM pg_index JOIN pg_class ON"
                " pg_class.oid = indexrelid WHERE relname LIKE 'embedding_%%' AND relname <> 'embedding_pkey'",
            )
            / rows,
            "B a passage",
        ),
        Row(
            "vectors, graph and all", size(database, "SELECT pg_total_relation_size('embedding')") / rows, "B a passage"
        ),
        Row("making the graph", build, "s"),
    ]


def made(random: np.random.Generator, centres: np.ndarray, count: int) -> np.ndarray:
    """Return vectors of length 1 around the centres."""
    chosen = centres[random.integers(0, len(centres), count)]
    near = chosen + 0.7 * random.normal(size=(count, DIMENSION)).astype(np.float32)
    unit: np.ndarray = near / np.linalg.norm(near, axis=1, keepdims=True)
    return unit


def keep(db: Connection[Any], key: str, block: np.ndarray, start: int) -> None:
    """Store vectors and the chunks that have them; those of the folder that is asked are numbered from 1."""
    [(folder,)] = db.execute(
        "UPDATE folder SET chunks = chunks + %s WHERE key = %s RETURNING id", (len(block), key)
    ).fetchall()
    file = "INSERT INTO file (folder, path, size, mtime_ns, ctime_ns, sha256, key, title, kind, notes, ocr, names)"
    [(number,)] = db.execute(
        f"{file} VALUES (%s, %s, 0, 0, 0, '', '', '', '', '[]', '[]', '{{}}') RETURNING id".encode(),
        (folder, str(start)),
    ).fetchall()
    names = [f"{key}{start + place:031d}" for place in range(len(block))]
    first = start + 1 if key == "asked" else 1_000_000_000 + start
    with db.cursor().copy(
        "COPY chunk (id, folder, file, begins, ends, heading, vector, size, explained) FROM STDIN"
    ) as copy:
        for place, name in enumerate(names):
            copy.write_row((first + place, folder, number, 0, 1, b"", name, 1, 0))
    with db.cursor().copy("COPY embedding FROM STDIN") as copy:
        for name, vector in zip(names, block, strict=True):
            copy.write_row((EMBEDDER, name, f"[{','.join(map(str, vector.tolist()))}]"))


def size(database: Database, query: str) -> float:
    [(found,)] = database.use(lambda db: db.execute(query.encode()).fetchall())
    return float(found or 0)


if __name__ == "__main__":
    main()
