"""What a cluster takes for many documents and many runs, from costs that are measured on this machine.

    python bench/capacity.py [--documents 1000000] [--runs 1000] [--sample 8] [--slowness 6] [--check]

Costs: processor time a page and a passage of an ingest, bytes a document. Of a run that a worker of a Ray cluster
makes while no other is made: processor time of all processes of the node, of the database and of who asks, seconds in
which servers (`many_servers.py`, SLOWNESS times as slow as usual) let it wait, transactions, bytes. The index that is
measured is that of the settings' default, in files. From these it tells the nodes, the database's load and what is
short first. With `--check` the model's number of runs an hour is held against one and two nodes, each with a processor.

What others do on the machine makes runs slower: processes tell how long they had a processor, and how long they waited
for one because others had it, and the model is held against what is measured at that speed. Linux only: it reads /proc.
"""

import argparse
import asyncio
import os
import resource
import secrets
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import psycopg
import ray

from cluster.ray_nodes import Node, cluster
from fetch.processes import beneath
from many import QUESTION, World, servers
from postgres import a_database, server_of
from spyglass import Pool
from spyglass.cluster import research_many
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

CONNECTIONS: Final = 4
"""Those to the database that a worker has, by `bench/cluster_runs.py`."""

KEPT_DAYS: Final = 90
HITS: Final = 4
"""Pages that a search finds: a run reads all of them, so that the load does not decide how much work it is."""

WAVES: Final = 3
"""Runs that each place of a node makes in the check."""

REST: Final = 5.0
"""Seconds in which a cluster without runs is watched."""

SETTLED: Final = 2.0
"""Seconds after which the database has written down its counts."""

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
    run_database_cpu: float
    run_caller_cpu: float
    run_servers_cpu: float
    run_seconds: float
    run_waits: float
    run_transactions: float
    run_bytes: float
    start_cpu: float
    worker_memory: float
    idle_cpu: float


@dataclass(frozen=True, slots=True)
class Work:
    """Seconds in which the processes of each side had a processor; what one had that has ended is its parent's.

    Of the threads in which workers make runs: seconds in which they `ran`, and in which others had the processor that
    they wanted. `memory` is that of the largest worker, in megabytes.
    """

    nodes: float
    database: float
    caller: float
    servers: float
    ran: float
    queued: float
    memory: float

    def __sub__(self, before: "Work") -> "Work":
        less = [now - then for now, then in zip(astuple(self), astuple(before), strict=True)]
        return replace(Work(*less), memory=self.memory)

    @property
    def speed(self) -> float:
        """Return the share of a processor that a worker had whenever it wanted one."""
        return self.ran / (self.ran + self.queued)


def had(*processes: int) -> float:
    """Return the seconds in which these processes had a processor, with those that they have waited for."""
    ticks = 0
    for process in processes:
        with suppress(OSError):  # it has ended meanwhile
            ticks += sum(map(int, Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:15]))
    return ticks / TICK


def processor() -> float:
    """Return the seconds of processors that this process and its ended children took."""
    ours, ended = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(one.ru_utime + one.ru_stime for one in (ours, ended))


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


def written(url: str) -> tuple[int, int]:
    """Return the transactions and the bytes of a database."""
    query = "SELECT xact_commit, pg_database_size(datname) FROM pg_stat_database WHERE datname = current_database()"
    with psycopg.connect(url, autocommit=True) as db:
        [(transactions, size)] = db.execute(query).fetchall()
    return transactions, size


class Cluster:
    """A cluster on this machine whose nodes have a processor each, and what is beside it: a database, servers, we."""

    def __init__(self, server: Any, world: World, folder: Path, url: str, head: Node) -> None:
        self.url = url
        self.settings = Settings(**world.settings, models__concurrency=64, data_dir=folder, database_url=url)
        self._database = int((server.pgdata / "postmaster.pid").read_text().split()[0])
        self._world, self._folder, self._nodes, self._topic = world, folder, [head], 0

    async def ready(self, nodes: int) -> None:
        """Have so many nodes."""
        while len(self._nodes) < nodes:
            self._nodes.append(Node(self._nodes[0].address, self._folder, head=False))
        await self._nodes[0].ready(nodes)

    async def make(self, number: int) -> tuple[float, Work]:
        """Make runs; return the seconds that they took together, and the work."""
        before, began = self._work(), time.perf_counter()
        questions = [QUESTION.format(self._topic + n) for n in range(number)]
        self._topic += number
        made = await research_many(questions, settings=self.settings, ray=self._nodes[0].address)
        seconds = time.perf_counter() - began
        for one in made:
            assert isinstance(one, Report), one
            assert one.outcome == "complete", one.markdown
        return seconds, self._work() - before

    async def rest(self, seconds: float) -> float:
        """Return the processor time a second of nodes that make no runs."""
        before = self._work()
        await asyncio.sleep(seconds)
        return (self._work() - before).nodes / seconds

    def _work(self) -> Work:
        nodes = {process: line for node in self._nodes for process, line in beneath(node.pid).items()}
        ran, queued, memory = 0.0, 0.0, 0.0
        for process in (process for process, line in nodes.items() if line.startswith("ray::")):
            with suppress(OSError):
                on, off, _ = Path(f"/proc/{process}/schedstat").read_text().split()
                resident = Path(f"/proc/{process}/status").read_text().partition("VmRSS:")[2].split()
                ran, queued = ran + int(on) / 1e9, queued + int(off) / 1e9
                memory = max(memory, int(resident[0]) / 1_000)
        return Work(
            had(*(node.pid for node in self._nodes), *nodes),
            had(self._database, *beneath(self._database)),
            had(os.getpid()) - self._children(),
            had(self._world.process.pid),
            *(ran, queued, memory),
        )

    def _children(self) -> float:
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        return ended.ru_utime + ended.ru_stime


@contextmanager
def clustered(server: Any, world: World, folder: Path) -> Iterator[Cluster]:
    """Run a cluster with one node over an empty database."""
    folder.mkdir()
    with a_database(server) as url, cluster() as head:
        made = Cluster(server, world, folder, url, head)
        try:
            yield made
        finally:
            database_of(made.settings).close()
            ray.shutdown()


def measured(server: Any, world: World, sample: int, folder: Path) -> Costs:
    """Measure what documents and runs take."""
    (folder / "papers").mkdir()
    papers = 4 * sample
    pages = documents(folder / "papers", papers) / PAGE
    plain, passages = asyncio.run(read(folder / "papers", folder / "plain", embeds=False))
    whole, _ = asyncio.run(read(folder / "papers", folder / "data", embeds=True))
    return Costs(
        page_cpu=plain / pages,
        passage_cpu=max(0.0, whole - plain) / passages,
        pages=pages / papers,
        passages=passages / papers,
        document_bytes=size_of(folder / "data") / papers,
        **asyncio.run(of_runs(server, world, sample, folder)),
    )


async def of_runs(server: Any, world: World, sample: int, folder: Path) -> dict[str, float]:
    """Measure what a run takes, none beside it, by workers that have made some."""
    with clustered(server, world, folder / "alone") as made:
        await made.ready(1)
        idle = await made.rest(REST)
        _, first = await made.make(1)
        await made.make(2)
        before = written(made.url)
        world.calls()
        each, waits = list[tuple[float, Work]](), list[float]()
        for _ in range(sample):
            each.append(await made.make(1))
            waits.append(covered([(came, answered) for _, came, answered in world.calls()]))
        await asyncio.sleep(SETTLED)
        after = written(made.url)
    works = [work for _, work in each]
    one = Work(*map(statistics.median, zip(*map(astuple, works), strict=True)))
    seconds = statistics.median(seconds for seconds, _ in each)
    return {
        "run_cpu": one.nodes - idle * seconds,
        "run_database_cpu": one.database,
        "run_caller_cpu": one.caller,
        "run_servers_cpu": one.servers,
        "run_seconds": seconds,
        "run_waits": statistics.median(waits),
        "run_transactions": (after[0] - before[0]) / sample,
        "run_bytes": (after[1] - before[1]) / sample,
        "start_cpu": first.nodes - one.nodes,
        "worker_memory": one.memory,
        "idle_cpu": idle,
    }


def covered(spans: list[tuple[float, float]]) -> float:
    """Return the seconds in which at least one of these was under way."""
    seconds, until = 0.0, 0.0
    for begin, end in sorted(spans):
        seconds += max(0.0, end - max(begin, until))
        until = max(until, end)
    return seconds


def run_seconds(costs: Costs, speed: float) -> float:
    """Return how long a run takes a place where who wants a processor has that share of one."""
    return costs.run_waits + (costs.run_cpu + costs.run_database_cpu + costs.run_servers_cpu) / speed


def an_hour(costs: Costs, nodes: int, speed: float) -> float:
    """Return the runs an hour of nodes with a processor each."""
    return 3_600 * nodes * RUNS_PER_CPU / run_seconds(costs, speed)


def plan(costs: Costs, many: int, hourly: int) -> list[Row]:
    """Return what so many documents and runs an hour take."""
    at_once = hourly * run_seconds(costs, 1 - BUSY) / 3_600
    needs = {
        "processors": hourly * costs.run_cpu / 3_600 / (CORES * BUSY),
        "places of workers": at_once / (CORES * RUNS_PER_CPU),
        "memory": at_once * costs.worker_memory / MEMORY,
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
        Row("connections to the database", CONNECTIONS * at_once, "of its max_connections"),
        Row("transactions", hourly * costs.run_transactions / 3_600, "a second"),
        Row(f"runs kept {KEPT_DAYS} days", hourly * 24 * KEPT_DAYS * costs.run_bytes / 1e9, "GB"),
        Row(f"{many:,} documents, passages", many * costs.passages / 1e6, "million"),
        Row("  on the disk", many * costs.document_bytes / 1e9, "GB"),
        Row("  read by one node", ingest_hours / (CORES * BUSY), "hours"),
    ]


async def checked(server: Any, world: World, costs: Costs, waves: int, folder: Path) -> list[Row]:
    """Make runs on one node, and on two, and hold the runs an hour against the model's."""
    rows, found = [], []
    for nodes in (1, 2):
        with clustered(server, world, folder / f"nodes{nodes}") as made:
            await made.ready(nodes)
            await made.make(RUNS_PER_CPU * nodes)  # workers are started
            number = waves * RUNS_PER_CPU * nodes
            seconds, work = await made.make(number)
        found.append(3_600 * number / seconds)
        modelled = an_hour(costs, nodes, work.speed)
        rows += [
            Row(f"{nodes} nodes, measured", found[-1], "runs an hour"),
            Row(f"{nodes} nodes, by the model", modelled, "runs an hour"),
            Row(f"{nodes} nodes, model by measured", modelled / found[-1]),
            Row(f"{nodes} nodes, processor a run", work.nodes / number, "CPU-s of the nodes"),
            Row(f"{nodes} nodes, share of a processor that who wanted one had", 100 * work.speed, "%"),
        ]
    return [*rows, Row("two nodes by one", found[1] / found[0], "", 1.8, "least")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=1_000, help="an hour")
    parser.add_argument("--sample", type=int, default=8, help="runs that are measured")
    parser.add_argument("--slowness", type=float, default=1.0, help="of the servers")
    parser.add_argument("--check", action="store_true", help="hold the model against one and two nodes")
    asked = parser.parse_args()
    server = server_of(f"capacity-{secrets.token_hex(4)}")
    try:
        with tempfile.TemporaryDirectory() as folder, servers(asked.slowness, HITS) as world:
            costs = measured(server, world, asked.sample, Path(folder))
            print_table("Costs, measured here", shown(costs))
            title = f"For {asked.documents:,} documents and {asked.runs:,} runs an hour"
            print_table(title, plan(costs, asked.documents, asked.runs))
            if asked.check:
                held = asyncio.run(checked(server, world, costs, WAVES, Path(folder)))
                print_table("The model, checked", held)
    finally:
        server.cleanup()


def shown(costs: Costs) -> list[Row]:
    return [
        Row("a page", 1e3 * costs.page_cpu, "CPU-ms"),
        Row("a passage, its vector", 1e3 * costs.passage_cpu, "CPU-ms"),
        Row(f"a document of {costs.pages:.1f} pages", costs.document_bytes / 1e3, "kB of index"),
        Row("a run, processor of the node", 1e3 * costs.run_cpu, "CPU-ms"),
        Row("a run, processor of the database", 1e3 * costs.run_database_cpu, "CPU-ms"),
        Row("a run, processor of who asks for it", 1e3 * costs.run_caller_cpu, "CPU-ms"),
        Row("a run, processor of its servers", 1e3 * costs.run_servers_cpu, "CPU-ms"),
        Row("a run, time", costs.run_seconds, "s"),
        Row("a run, of it waiting", costs.run_waits, "s"),
        Row("a run, transactions", costs.run_transactions),
        Row("a run, in the database", costs.run_bytes / 1e3, "kB"),
        Row("a worker, to start", costs.start_cpu, "CPU-s"),
        Row("a worker, memory", costs.worker_memory, "MB"),
        Row("a node without runs", 100 * costs.idle_cpu, "% of a processor"),
    ]


if __name__ == "__main__":
    main()
