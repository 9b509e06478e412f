"""Many runs in one process: a hundred at once against one alone, and what five hundred leave behind.

    python bench/many.py [--at-once N] [--over-time N] [--strict]

The servers of the tests (`tests/loopback`) run in another process, as slow as real ones: 0.2 to 0.6 s a model call,
0.3 s a search, 0.2 s a page. The model's server takes 32 calls at once. Linux only: memory, handles and processes are
read from /proc.
"""

import argparse
import asyncio
import gc
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spyglass import Pool, research
from spyglass.kernel.settings import Settings
from spyglass.report import Report
from table import Row
from table import report as print_table

SERVERS = Path(__file__).parent / "many_servers.py"
QUESTION = "How did the harbour and the lighthouse of topic{} develop, and who built them?"
WARM, ALONE, GROUP = 3, 7, 10
"""Runs that are made before anything is measured, runs that count as alone, runs at a time of those over time."""


class World:
    """The servers: the process that they are, and the settings with which runs meet them."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.settings: dict[str, Any] = self._told()

    def calls(self) -> list[tuple[str, float, float]]:
        """Return what was asked since this was last called, and when each came and was answered."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return [(what, came, answered) for what, came, answered in self._told()]

    def _told(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())


@contextmanager
def servers(slowness: float = 1.0, hits: int = 10) -> Iterator[World]:
    """Run the servers, so many times as slow as real ones; a search finds so many pages."""
    command = [sys.executable, str(SERVERS), str(slowness), str(hits)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        try:
            yield World(process)
        finally:
            process.stdin.close()


@contextmanager
def world() -> Iterator[dict[str, Any]]:
    """Run the servers; yield the settings with which runs meet them."""
    with servers() as running:
        yield running.settings


@dataclass(frozen=True, slots=True)
class Process:
    """What this process has: megabytes in memory and at their peak, handles, threads, and children but the servers.

    Threads of the event loop's own executor do not count: they end with the loop, not with a run.
    """

    resident: float
    peak: float
    handles: int
    threads: int
    children: int

    @classmethod
    def now(cls) -> "Process":
        status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        children = [path.read_text().split() for path in Path("/proc/self/task").glob("*/children")]
        return cls(
            int(status["VmRSS"].split()[0]) / 1000,
            int(status["VmHWM"].split()[0]) / 1000,
            len(list(Path("/proc/self/fd").iterdir())) - 1,
            sum(not thread.name.startswith("asyncio_") for thread in threading.enumerate()),
            sum(map(len, children)) - 1,
        )


def forget_peak() -> None:
    """Let the peak of memory be counted anew."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")


@dataclass(frozen=True, slots=True)
class Made:
    """Runs that were made together: seconds of each and of all, CPU-seconds of all, peak megabytes, their reports."""

    seconds: list[float]
    wall: float
    cpu: float
    peak: float
    reports: list[Report]

    @property
    def throughput(self) -> float:
        return len(self.seconds) / self.wall

    @property
    def cpu_of_one(self) -> float:
        return self.cpu / len(self.seconds)

    @property
    def incomplete(self) -> int:
        return sum(one.outcome != "complete" for one in self.reports)


class ClaimJudge:
    """Makes runs, each about a topic of its own."""

    def __init__(self, settings: Settings, pool: Pool) -> None:
        self._settings = settings
        self._pool = pool
        self._topic = 0

    async def at_once(self, count: int) -> Made:
        """Make so many runs at once."""
        forget_peak()
        began, used = time.perf_counter(), time.process_time()
        timed = await asyncio.gather(*(self._one() for _ in range(count)))
        wall, cpu = time.perf_counter() - began, time.process_time() - used
        return Made([seconds for seconds, _ in timed], wall, cpu, Process.now().peak, [made for _, made in timed])

    async def in_turn(self, count: int) -> Made:
        """Make so many runs one after the other."""
        forget_peak()
        began, used = time.perf_counter(), time.process_time()
        timed = [await self._one() for _ in range(count)]
        wall, cpu = time.perf_counter() - began, time.process_time() - used
        return Made([seconds for seconds, _ in timed], wall, cpu, Process.now().peak, [made for _, made in timed])

    async def _one(self) -> tuple[float, Report]:
        self._topic += 1
        began = time.perf_counter()
        report = await research(QUESTION.format(self._topic), settings=self._settings, pool=self._pool)
        return time.perf_counter() - began, report


def show(name: str, made: Made) -> None:
    """Print a line about runs."""
    slowest, median = max(made.seconds), statistics.median(made.seconds)
    sources = statistics.median(len(one.sources) for one in made.reports)
    calls = statistics.median(one.spending.calls for one in made.reports)
    print(
        f"{name:14} {made.wall:6.1f} s  {made.throughput:5.2f} runs/s  CPU {made.cpu_of_one:.2f} s a run  "
        f"median {median:.2f} s, slowest {slowest:.2f} s  peak {made.peak:.0f} MB  {calls:.0f} calls, "
        f"{sources:.0f} sources  {made.incomplete} not complete",
        flush=True,
    )


async def together(settings: Settings, most: int) -> list[Row]:
    """Runs alone, ten at once and many at once."""
    async with Pool() as pool:
        bench = ClaimJudge(settings, pool)
        alone = await bench.in_turn(ALONE)
        show("alone", alone)
        some = await bench.at_once(10)
        show("10 at once", some)
        many = await bench.at_once(most)
        show(f"{most} at once", many)
    name = f"{most} at once"
    slowest = max(many.seconds) / statistics.median(many.seconds)
    return [
        Row(f"{name}: throughput over that of one alone", many.throughput / alone.throughput, "", 5, "least"),
        Row("10 at once: throughput over that of one alone", some.throughput / alone.throughput),
        Row("alone: CPU a run", alone.cpu_of_one, "s"),
        Row(f"{name}: CPU a run, over alone", many.cpu_of_one / alone.cpu_of_one, "", 1.0),
        Row(f"{name}: memory a further run", (many.peak - alone.peak) / (most - 1), "MB", 4.0),
        Row(f"{name}: slowest over median", slowest, "", 3.0),
        Row(f"{name}: runs that are not complete", many.incomplete + some.incomplete, "", 0),
    ]


async def over_time(settings: Settings, count: int) -> list[Row]:
    """Many small runs, ten at a time: what each of them leaves in memory, from the second half of them."""
    small = settings.updated(effort="quick", research__max_pages=2, search__max_queries=1)
    resident = []
    async with Pool() as pool:
        bench = ClaimJudge(small, pool)
        for done in range(GROUP, count + 1, GROUP):
            made = await bench.at_once(GROUP)
            gc.collect()
            resident.append(Process.now().resident)
            if done % (5 * GROUP) == 0:
                show(f"after {done}", made)
                print(f"{'':14} {resident[-1]:.1f} MB", flush=True)
    half = resident[len(resident) // 2 :]
    slope = statistics.linear_regression(range(len(half)), half).slope / GROUP
    return [Row(f"{count} runs: memory that each leaves", 1000 * slope, "kB", 20.0)]


async def measure(given: dict[str, Any], most: int, count: int) -> list[Row]:
    """Measure in a data folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder), models__concurrency=32, **given)
        async with Pool() as pool:
            await ClaimJudge(settings, pool).in_turn(WARM)
        before = Process.now()
        rows = await together(settings, most) if most else []
        rows += await over_time(settings, count) if count else []
        after = Process.now()
    return [
        *rows,
        Row("handles that were left", after.handles - before.handles, "", 0),
        Row("threads that were left", after.threads - before.threads, "", 0),
        Row("processes that were left", after.children, "", 0),
    ]


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--at-once", type=int, default=100)
    parser.add_argument("--over-time", type=int, default=500)
    parser.add_argument("--strict", action="store_true")
    arguments = parser.parse_args()
    with world() as given:
        rows = asyncio.run(measure(given, arguments.at_once, arguments.over_time))
    print_table("Many runs in one process", rows)


if __name__ == "__main__":
    main()
