"""Whether the index in PostgreSQL finds what the local one finds: `python bench/shared_index.py --data DIR [--dense]`.

DIR holds `cranfield/`, as for bench/retrieval.py. The abstracts are ingested into both indexes, and the same queries
are asked of both through `retrieve`.
"""

import argparse
import asyncio
import secrets
import statistics
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from pydantic import SecretStr

from retrieval import DEPTH, PASSAGES, documents, judgements, ndcg, queries
from spyglass.kernel.database.database import database_at
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.rag.ingest import ingest
from spyglass.rag.retrieve import retrieve
from table import Row, report

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from postgres import a_database, server_of


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=Path, required=True, help="the folder that holds cranfield/")
    arguments.add_argument("--dense", action="store_true", help="by words and meaning, not by words alone")
    arguments.add_argument("--documents", type=int, default=1_400, help="so many of the abstracts, the first ones")
    arguments.add_argument("--strict", action="store_true", help="exit with 1 when a limit is missed")
    given = arguments.parse_args()
    server = server_of(secrets.token_hex(6))
    try:
        with tempfile.TemporaryDirectory() as scratch, a_database(server) as url:
            rows = asyncio.run(measure(given, Path(scratch), url))
            database_at(url).close()
    finally:
        server.cleanup()
    by = "words and meaning" if given.dense else "words"
    report(f"{given.documents:,} abstracts of Cranfield by {by}: the local index and the shared one", rows)


async def measure(given: argparse.Namespace, scratch: Path, url: str) -> list[Row]:
    cranfield, dense = given.data / "cranfield", given.dense
    files = scratch / "files"
    files.mkdir()
    for name, title, text in islice(documents(cranfield), given.documents):
        (files / f"{name}.md").write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
    alone = Settings(db=[files], data_dir=scratch / "alone", retrieval__dense=dense)
    shared = alone.updated(data_dir=scratch / "shared", database_url=SecretStr(url))
    asked, judged = queries(cranfield), judgements(cranfield)
    rows, best = [], []
    for where, settings in (("local", alone), ("shared", shared)):
        async with Run("bench", settings, journal=Journal()) as run:
            began = time.perf_counter()
            await ingest(run, files, embed=dense)
            read, seconds, rankings = time.perf_counter() - began, [], []
            for query in asked:
                began = time.perf_counter()
                hits = await retrieve(run, [files], [query], PASSAGES)
                seconds.append(time.perf_counter() - began)
                rankings.append(list(dict.fromkeys(Path(hit.path).stem for hit in hits))[:DEPTH])
        best.append(rankings)
        scores = [ndcg(ranking, judged[number]) for number, ranking in enumerate(rankings, start=1)]
        rows += [
            Row(f"nDCG@{DEPTH}, {where}", statistics.fmean(scores), ""),
            Row(f"a query, {where}, median", 1000 * statistics.median(seconds), "ms"),
            Row(f"ingest, {where}", read, "s"),
        ]
    database = database_at(url)
    sizes = "SELECT pg_total_relation_size('posting') + pg_total_relation_size('word'), count(*) FROM chunk"
    [(size, passages)] = database.use(lambda db: db.execute(sizes).fetchall())
    same = statistics.fmean(one == other for one, other in zip(*best, strict=True))
    difference = abs(rows[0].measured - rows[3].measured)
    return [
        *rows,
        Row("passages", passages),
        Row("index of words", size / passages, "B a passage"),
        Row("difference of the two", difference, "", 0.005),
        Row(f"queries whose first {DEPTH} are the same", 100 * same, "%", 95, "least"),
    ]


if __name__ == "__main__":
    main()
