"""Whether the index in PostgreSQL finds what the local one finds.

    python bench/shared_index.py --data DIR [--dense [--keep FOLDER]]

DIR holds `cranfield/`, as for bench/retrieval.py. The abstracts are ingested into both indexes, and the same queries
are asked of both through `retrieve`. By meaning that takes minutes of a processor: each passage is embedded once, for
both, and each comparison of a passage with a query is made once and recorded. They are kept in FOLDER, where it is
given, for a run that goes on where another was cut off.
"""

import argparse
import asyncio
import secrets
import sqlite3
import statistics
import sys
import tempfile
import time
from array import array
from contextlib import closing, nullcontext
from itertools import islice
from pathlib import Path

from pydantic import SecretStr

from retrieval import DEPTH, PASSAGES, documents, judgements, ndcg, queries
from spyglass.kernel.database.database import database_at
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.rag.embed import StaticEmbedder
from spyglass.rag.ingest import ingest
from spyglass.rag.retrieve import retrieve
from spyglass.rag.store import store_of
from table import Row, report

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from postgres import a_database, server_of


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=Path, required=True, help="the folder that holds cranfield/")
    arguments.add_argument("--dense", action="store_true", help="by words and meaning, not by words alone")
    arguments.add_argument("--documents", type=int, default=1_400, help="so many of the abstracts, the first ones")
    arguments.add_argument("--queries", type=int, default=225, help="so many of the queries, the first ones")
    arguments.add_argument("--keep", type=Path, help="a folder for what is made, and for a run that goes on with it")
    arguments.add_argument("--strict", action="store_true", help="exit with 1 when a limit is missed")
    given = arguments.parse_args()
    server = server_of(secrets.token_hex(6))
    try:
        kept = nullcontext(given.keep) if given.keep else tempfile.TemporaryDirectory()
        with kept as scratch, a_database(server) as url:
            rows = asyncio.run(measure(given, Path(scratch), url))
            database_at(url).close()
    finally:
        server.cleanup()
    by = "words and meaning" if given.dense else "words"
    asked = f"{given.documents:,} abstracts and {given.queries} queries of Cranfield"
    report(f"{asked} by {by}: the local index and the shared one", rows)


async def measure(given: argparse.Namespace, scratch: Path, url: str) -> list[Row]:
    cranfield, dense = given.data / "cranfield", given.dense
    asked, judged = queries(cranfield)[: given.queries], judgements(cranfield)
    alone = Settings(data_dir=scratch / "alone", retrieval__dense=dense)
    shared = alone.updated(data_dir=scratch / "shared", database_url=SecretStr(url))
    rows, best = [], []
    for where, settings in (("local", alone), ("shared", shared)):
        files = scratch / f"{where} files"  # of its own: a query of it is another effect, but not what it compares
        files.mkdir(parents=True, exist_ok=True)
        for name, title, text in islice(documents(cranfield), given.documents):
            if not (file := files / f"{name}.md").exists():
                file.write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
        async with Run("bench", settings, journal=Journal()) as run:
            began = time.perf_counter()
            await ingest(run, files, embed=False, settings=settings.updated(retrieval__dense=False))
            read = time.perf_counter() - began
            if dense and where == "shared":
                await embedded_before(run, settings, files, vectors_in(scratch / "alone"))
            await ingest(run, files, embed=dense, settings=settings)
        journal = Journal(scratch / "journal.sqlite") if dense else Journal()
        async with Run("bench", settings, journal=journal) as run:
            seconds, rankings = [], []
            for query in asked:
                began = time.perf_counter()
                hits = await retrieve(run, [files], [query], PASSAGES)
                seconds.append(time.perf_counter() - began)
                rankings.append(list(dict.fromkeys(Path(hit.path).stem for hit in hits))[:DEPTH])
                print(f"\r{where}: {len(rankings)} of {len(asked)} queries", end="", flush=True)
        print()
        best.append(rankings)
        scores = [ndcg(ranking, judged[number]) for number, ranking in enumerate(rankings, start=1)]
        rows.append(Row(f"nDCG@{DEPTH}, {where}", statistics.fmean(scores), ""))
        if not dense:
            rows.append(Row(f"a query, {where}, median", 1000 * statistics.median(seconds), "ms"))
            rows.append(Row(f"ingest, {where}", read, "s"))
    database = database_at(url)
    sizes = "SELECT pg_total_relation_size('posting') + pg_total_relation_size('word'), count(*) FROM chunk"
    [(size, passages)] = database.use(lambda db: db.execute(sizes).fetchall())
    same = statistics.fmean(one == other for one, other in zip(*best, strict=True))
    difference = abs(rows[0].measured - rows[len(rows) // 2].measured)
    return [
        *rows,
        Row("passages", passages),
        Row("index of words", size / passages, "B a passage"),
        Row("difference of the two", difference, "", 0.005),
        Row(f"queries whose first {DEPTH} are the same", 100 * same, "%", 95, "least"),
    ]


def vectors_in(data: Path) -> dict[str, bytes]:
    """Return the vectors of the only index in a folder of data, by what they are of."""
    [manifest] = data.glob("index/*/manifest.sqlite")
    with closing(sqlite3.connect(manifest)) as index:
        return dict(index.execute("SELECT vector, data FROM made").fetchall())


async def embedded_before(run: Run, settings: Settings, files: Path, made: dict[str, bytes]) -> None:
    """Give the passages in the database the vectors that the local index has of them."""
    store = await store_of(run, settings, files)
    assert store.vectors is not None
    found = [one for one in store.vectors.pending(StaticEmbedder.id, 0, len(made)) if one.vector in made]
    store.vectors.add(StaticEmbedder.id, found, [array("f", made[one.vector]).tolist() for one in found])
    print(f"{len(found)} passages have the vector that they have locally")


if __name__ == "__main__":
    main()
