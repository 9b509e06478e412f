"""What a cluster takes for many documents and many runs, from costs that are measured on this machine.

    python bench/capacity.py [--documents 1000000] [--runs 1000] [--sample 8] [--check]

Costs: processor time a page and a passage of an ingest, bytes a document; processor time, seconds, transactions,
database time and bytes a run, whose servers (`many_servers.py`) are as slow as real ones. The index that is measured
is that of the settings' default, in files. From these it tells the nodes, the database's load and what is short first.
With `--check` the model's number of runs an hour is held against one and two nodes of a Ray cluster, each with a
processor.
Linux only: processor times are read from /proc.
"""

import argparse
import asyncio
import os
import resource
import secrets
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import psycopg

from many import QUESTION, world
from postgres import a_database, server_of
from spyglass import Pool, research
from spyglass.cluster.workers import RUNS_PER_CPU
from spyglass.kernel.database import database_of
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.rag.ingest import ingest
from spyglass.report import Report
from table import Row
from table import report as print_table

PAGE: Final = 3_000
"""Characters of a page."""

CORES: Final = 4
MEMORY: Final = 16_000
"""Processors and megabytes of a node, and of the database's machine, that the nodes are counted in."""

BUSY: Final = 0.7
"""Share of a processor that is planned with."""

KEPT_DAYS: Final = 90
TICK: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Costs:
    """What is measured: processor time and seconds in seconds, sizes in bytes, memory in megabytes."""

    page_cpu: float
    passage_cpu: float
    pages: float
    passages: float
    document_bytes: float
    run_cpu: float
    run_seconds: float
    run_transactions: float
    run_database_cpu: float
    run_bytes: float
    run_memory: float


def processor() -> float:
    """Return the seconds of processors that this process and its ended children took."""
    ours, ended = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(one.ru_utime + one.ru_stime for one in (ours, ended))


def server_processor(pgdata: Path) -> float:
    """Return the seconds of processors that a database server took, with its processes that have ended."""
    leader = int((pgdata / "postmaster.pid").read_text().split()[0])
    total = 0.0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(folder.name) == leader:
            total += sum(map(int, fields[11:15])) / TICK
        elif int(fields[1]) == leader:
            total += sum(map(int, fields[11:13])) / TICK
    return total


def documents(folder: Path, number: int) -> int:
    """Write documents of some pages each, and return their characters."""
    whole = 0
    for one in range(number):
        paragraphs = [
            f"Paragraph {n} of paper {one} tells that the quay of harbour {one * 7 + n} was {n + 3} metres deep in "
            f"{1800 + n}, and that ship {one * 31 + n} brought {n * 11} tons of oak there for the guild."
            for n in range(60)
        ]
        text = f"# Paper {one}\n\n" + "\n\n".join(paragraphs)
        (folder / f"paper{one}.md").write_text(text, encoding="utf-8")
        whole += len(text)
    return whole


async def read(folder: Path, data: Path, *, embeds: bool) -> tuple[float, int]:
    """Return the processor time of an ingest, and its passages."""
    settings = Settings(db=[folder], data_dir=data)
    began = processor()
    async with Pool() as pool, Run("ingest", settings, journal=Journal(), pool=pool) as run:
        summary = await ingest(run, folder, embed=embeds)
    return processor() - began, summary.chunks


def size_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


async def runs(settings: Settings, first: int, number: int) -> list[float]:
    """Make runs, a few at once as a worker's processor does, and return how long each took."""
    turns = asyncio.Semaphore(RUNS_PER_CPU)

    async def one(topic: int) -> float:
        async with turns:
            began = time.perf_counter()
            made = await research(QUESTION.format(topic), settings=settings)
            assert made.outcome == "complete", made.outcome
            return time.perf_counter() - began

    return list(await asyncio.gather(*(one(topic) for topic in range(first, first + number))))


def written(url: str) -> tuple[int, int]:
    """Return the transactions and the bytes of a database."""
    query = "SELECT xact_commit, pg_database_size(datname) FROM pg_stat_database WHERE datname = current_database()"
    with psycopg.connect(url, autocommit=True) as db:
        [(transactions, size)] = db.execute(query).fetchall()
    return transactions, size


def measured(server: Any, given: dict[str, Any], sample: int, folder: Path) -> Costs:
    """Measure what documents and runs take."""
    (folder / "papers").mkdir()
    papers = 4 * sample
    pages = documents(folder / "papers", papers) / PAGE
    plain, passages = asyncio.run(read(folder / "papers", folder / "plain", embeds=False))
    whole, _ = asyncio.run(read(folder / "papers", folder / "data", embeds=True))
    with a_database(server) as url:
        settings = Settings(**given, data_dir=folder / "runs", database_url=url)
        asyncio.run(runs(settings, 0, RUNS_PER_CPU))  # what the first ones read in does not count
        database_of(settings).close()  # which writes down its statistics
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
        before, busy, ours = written(url), server_processor(server.pgdata), processor()
        took = asyncio.run(runs(settings, 100, sample))
        ours = processor() - ours
        database_of(settings).close()
        after, busy = written(url), server_processor(server.pgdata) - busy
    return Costs(
        page_cpu=plain / pages,
        passage_cpu=max(0.0, whole - plain) / passages,
        pages=pages / papers,
        passages=passages / papers,
        document_bytes=size_of(folder / "data") / papers,
        run_cpu=ours / sample,
        run_seconds=sum(took) / sample,
        run_transactions=(after[0] - before[0]) / sample,
        run_database_cpu=busy / sample,
        run_bytes=(after[1] - before[1]) / sample,
        run_memory=memory / RUNS_PER_CPU,
    )


def an_hour(costs: Costs, nodes: int, cores: float) -> float:
    """Return the runs an hour of nodes with a processor each, on a machine whose processors servers need, too."""
    waiting = nodes * RUNS_PER_CPU / costs.run_seconds
    working = min(nodes, cores) / (costs.run_cpu + costs.run_database_cpu)
    return 3_600 * min(waiting, working)


def plan(costs: Costs, many: int, hourly: int) -> list[Row]:
    """Return what so many documents and runs an hour take."""
    at_once = hourly * costs.run_seconds / 3_600
    needs = {
        "processors": hourly * costs.run_cpu / 3_600 / (CORES * BUSY),
        "places of workers": at_once / (CORES * RUNS_PER_CPU),
        "memory": at_once * costs.run_memory / MEMORY,
    }
    load = hourly * costs.run_database_cpu / 3_600 / (CORES * BUSY)
    short = max(needs, key=needs.__getitem__)
    nodes = max(1, -(-max(needs.values()) // 1))
    ingest_hours = many * (costs.pages * costs.page_cpu + costs.passages * costs.passage_cpu) / 3_600
    print(f"\nShort first: {short}" if max(needs.values()) > load else "\nShort first: the database's processors")
    return [
        Row("nodes for the runs", nodes, f"of {CORES} processors"),
        *(Row(f"  nodes by their {name}", value) for name, value in needs.items()),
        Row("runs at once", at_once),
        Row("the database's processors", 100 * load, f"% of {CORES}, planned {BUSY:.0%} busy"),
        Row("transactions", hourly * costs.run_transactions / 3_600, "a second"),
        Row(f"runs kept {KEPT_DAYS} days", hourly * 24 * KEPT_DAYS * costs.run_bytes / 1e9, "GB"),
        Row(f"{many:,} documents, passages", many * costs.passages / 1e6, "million"),
        Row("  on the disk", many * costs.document_bytes / 1e9, "GB"),
        Row("  read by one node", ingest_hours / (CORES * BUSY), "hours"),
    ]


async def checked(server: Any, given: dict[str, Any], costs: Costs, number: int, folder: Path) -> list[Row]:
    """Make runs on one node, and on two, and hold the runs an hour against the model's."""
    found = [await hourly(server, given, nodes, number, folder) for nodes in (1, 2)]
    told = [an_hour(costs, nodes, os.cpu_count() or 1) for nodes in (1, 2)]
    rows = [
        (
            Row(f"{nodes} nodes, measured", measured_, "runs an hour"),
            Row(f"{nodes} nodes, by the model", modelled, "runs an hour"),
            Row(f"{nodes} nodes, model by measured", modelled / measured_),
        )
        for nodes, measured_, modelled in zip((1, 2), found, told, strict=True)
    ]
    return [*rows[0], *rows[1], Row("two nodes by one", found[1] / found[0])]


async def hourly(server: Any, given: dict[str, Any], nodes: int, number: int, folder: Path) -> float:
    """Return how many runs an hour nodes make that have a processor each."""
    import ray

    from cluster.ray_nodes import Node, cluster
    from spyglass.cluster import research_many

    with a_database(server) as url, cluster() as head:
        settings = Settings(**given, data_dir=folder / f"nodes{nodes}", database_url=url)
        try:
            await head.ready()
            if nodes == 2:
                Node(head.address, folder, head=False)
                await head.ready(2)
            first = [QUESTION.format(1_000 * nodes + n) for n in range(number + RUNS_PER_CPU * nodes)]
            await research_many(first[number:], settings=settings, ray=head.address)  # workers are started
            began = time.perf_counter()
            made = await research_many(first[:number], settings=settings, ray=head.address)
            assert all(isinstance(one, Report) for one in made), made
            return 3_600 * number / (time.perf_counter() - began)
        finally:
            database_of(settings).close()
            ray.shutdown()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=1_000, help="an hour")
    parser.add_argument("--sample", type=int, default=8, help="runs that are measured")
    parser.add_argument("--check", action="store_true", help="hold the model against one and two nodes")
    asked = parser.parse_args()
    server = server_of(f"capacity-{secrets.token_hex(4)}")
    try:
        with tempfile.TemporaryDirectory() as folder, world() as given:
            costs = measured(server, given, asked.sample, Path(folder))
            print_table("Costs, measured here", shown(costs))
            title = f"For {asked.documents:,} documents and {asked.runs:,} runs an hour"
            print_table(title, plan(costs, asked.documents, asked.runs))
            if asked.check:
                held = asyncio.run(checked(server, given, costs, 3 * asked.sample, Path(folder)))
                print_table("The model, checked", held)
    finally:
        server.cleanup()


def shown(costs: Costs) -> list[Row]:
    return [
        Row("a page", 1e3 * costs.page_cpu, "CPU-ms"),
        Row("a passage, its vector", 1e3 * costs.passage_cpu, "CPU-ms"),
        Row(f"a document of {costs.pages:.1f} pages", costs.document_bytes / 1e3, "kB of index"),
        Row("a run, processor", 1e3 * costs.run_cpu, "CPU-ms"),
        Row("a run, time", costs.run_seconds, "s"),
        Row("a run, transactions", costs.run_transactions),
        Row("a run, processor of the database", 1e3 * costs.run_database_cpu, "CPU-ms"),
        Row("a run, in the database", costs.run_bytes / 1e3, "kB"),
        Row("a run at work, at most", costs.run_memory, "MB"),
    ]


if __name__ == "__main__":
    main()
