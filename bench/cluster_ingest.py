"""An ingest by workers of a Ray cluster, one of whose two nodes is killed: `python bench/cluster_ingest.py`.

The nodes have a processor each. With `--undisturbed` none is killed, with `--nodes 1` there is one. Their workers
have read other documents before, so that neither their start nor that of the embedder counts.
"""

import argparse
import asyncio
import os
import random
import secrets
import sys
import tempfile
import time
from pathlib import Path

import ray
from pydantic import SecretStr

from capacity import had
from spyglass.cluster.ingest import MOST_FILES, ingest_on_cluster
from spyglass.cluster.ingest_rows import IngestState
from spyglass.kernel.database.database import Database, database_at
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.rag.store import shared_key
from table import Row, report

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from cluster.ray_nodes import Node, cluster
from fetch.processes import beneath
from postgres import a_database, server_of

WORDS = (
    "isle",
    "harbour",
    "tide",
    "river",
    "glacier",
    "bee",
    "hive",
    "queen",
    "nectar",
    "bread",
    "rye",
    "oven",
    "moon",
    "ship",
)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--documents", type=int, default=500)
    arguments.add_argument("--nodes", type=int, default=2, choices=(1, 2))
    arguments.add_argument("--undisturbed", action="store_true", help="kill no node")
    arguments.add_argument("--strict", action="store_true", help="exit with 1 when a limit is missed")
    given = arguments.parse_args()
    server = server_of(secrets.token_hex(6))
    try:
        with tempfile.TemporaryDirectory() as scratch, a_database(server) as url:
            files = Path(scratch, "files")
            write(files, given.documents, 7)
            write(Path(scratch, "warm"), 2 * given.nodes * MOST_FILES, 8)
            settings = Settings(db=[files], data_dir=Path(scratch, "data"), database_url=SecretStr(url))
            with cluster() as head:
                kills = given.nodes == 2 and not given.undisturbed
                try:
                    rows = asyncio.run(measure(settings, files, head, Path(scratch), given.nodes, kills=kills))
                finally:
                    ray.shutdown()
            database_at(url).close()
    finally:
        server.cleanup()
    load = " ".join(f"{one:.1f}" for one in os.getloadavg())
    how = ", one killed in the midst" if kills else ""
    report(f"{given.documents:,} documents read by {given.nodes} nodes{how}; load {load}", rows)


def write(folder: Path, count: int, seed: int) -> None:
    """Write documents of some passages each, others for another seed."""
    chosen = random.Random(seed)
    folder.mkdir()
    for number in range(count):
        paragraphs = ("\n\n".join(" ".join(chosen.choices(WORDS, k=120)) + "." for _ in range(3)) for _ in range(2))
        (folder / f"{number}.md").write_text(f"# Document {number}\n\n" + "\n\n".join(paragraphs), encoding="utf-8")


async def measure(settings: Settings, files: Path, head: Node, scratch: Path, nodes: int, *, kills: bool) -> list[Row]:
    await head.ready()
    second = Node(head.address, scratch, head=False) if nodes == 2 else None
    await head.ready(nodes)
    database = Database(settings.database_url.get_secret_value()) if settings.database_url else None
    assert database is not None
    pids = [head.pid] if second is None else [head.pid, second.pid]
    async with Run("bench", settings, journal=Journal()) as run:
        await ingest_on_cluster(run, scratch / "warm", settings, head.address)
        began, used = time.perf_counter(), cpu(pids)
        reading = asyncio.create_task(ingest_on_cluster(run, files, settings, head.address))
        while kills and not reading.done():
            state = await asyncio.to_thread(IngestState.of, database, shared_key(settings, files))
            if state is not None and state.done > state.total / 3:
                assert second is not None
                second.kill()
                break
            await asyncio.sleep(0.2)
        summary = await reading
        seconds, used = time.perf_counter() - began, cpu(pids) - used
    if second is not None and not kills:
        second.kill()
    count = (
        "SELECT count(DISTINCT file.path), count(*) FROM file JOIN folder ON folder.id = file.folder"
        " WHERE reason IS NULL AND folder.path = %s"
    )
    [(distinct, rows)] = database.use(lambda db: db.execute(count, (str(files),)).fetchall())
    missing = "SELECT count(*) FROM chunk LEFT JOIN embedding USING (vector) WHERE data IS NULL"
    [(without,)] = database.use(lambda db: db.execute(missing).fetchall())
    database.close()
    return [
        Row("documents in the index", distinct, "", len(summary.paths), "least"),
        Row("of them more than once", rows - distinct, "", 0),
        Row("set aside or without text", len(summary.skipped), "", 0),
        Row("passages", summary.chunks),
        Row("passages without a vector", without, "", 0),
        Row("time", seconds, "s"),
        Row("documents a second", distinct / seconds),
        *([] if kills else [Row("processor of the nodes, a document", 1e3 * used / distinct, "CPU-ms")]),
    ]


def cpu(nodes: list[int]) -> float:
    """Return the seconds of processors that nodes have had."""
    return had(*(process for node in nodes for process in [node, *beneath(node)]))


if __name__ == "__main__":
    main()
