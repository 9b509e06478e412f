"""Runs by workers of a Ray cluster, none lost and none doubled: `python bench/cluster_runs.py --runs 1000`.

Two nodes have a processor each; models, searches and pages are those of `many_servers.py`, and each run reads all pages
that it finds: which ones it would give up hangs on the load. With `--kill` one node is killed in the midst, and the
servers are as slow as real ones; else they answer at once, and runs are small. Reports are held against those of the
same questions, made without a cluster. With `--cancel` each run is told to stop, by a process that is not at it,
while it waits for an answer, of which nothing is to be heard: what it does next it does because it was told.
"""

import argparse
import asyncio
import difflib
import os
import random
import re
import secrets
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import ray
from pydantic import SecretStr

from many import QUESTION, World, servers
from spyglass import Pool, research
from spyglass.cluster import research_many
from spyglass.cluster.connection import Cluster
from spyglass.kernel.database import database_of
from spyglass.kernel.settings import Settings
from spyglass.report import Report
from spyglass.runs.detached import prepared
from spyglass.runs.event_log import LoggedEvent
from table import Row, report

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from cluster.ray_nodes import Node, cluster
from fetch.processes import beneath
from postgres import a_database, server_of

SLOW, QUICK, ASLEEP = (1.0, 3), (0.0, 1), (20.0, 2)
"""How slow servers are, and how many pages they know of a topic: of two, a busy run gives one up and reads it later."""

AT_WORK = 8
"""Runs that are at work at once while they are stopped: as many as the two nodes make."""

COMPARED = 20
"""Reports that are held against undisturbed ones, at most."""

GROUP = 4
"""Undisturbed runs at once."""

MARGIN = 1.0
"""Seconds before a node's death from which on an answer may not have reached the database."""

DONE = "SELECT count(*) FROM run WHERE queued IS NULL AND token > 1"
"""How many runs have ended: each was taken to keep its question, and then by a worker."""

FATE = """
SELECT run.id, token, array_remove(array_agg(convert_from(record, 'UTF8')), NULL) FROM run
JOIN fact ON fact.run = run.id AND fact.name = 'question'
LEFT JOIN event ON event.run = run.id AND record LIKE '%%"Retrying"%%'
WHERE convert_from(fact.value, 'UTF8') = to_json(%s::text)::text GROUP BY run.id
"""
"""A run by its question: how often it was taken, and what it tried again."""

CONNECTIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"

Call = tuple[str, float, float]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--runs", type=int, default=20)
    arguments.add_argument("--kill", action="store_true", help="kill a node in the midst")
    arguments.add_argument("--cancel", action="store_true", help="stop each run at work")
    arguments.add_argument("--strict", action="store_true", help="exit with 1 when a limit is missed")
    given = arguments.parse_args()
    server = server_of(secrets.token_hex(6))
    try:
        with (
            tempfile.TemporaryDirectory() as scratch,
            a_database(server) as url,
            servers(*(ASLEEP if given.cancel else SLOW if given.kill else QUICK)) as world,
            cluster() as head,
        ):
            settings = Settings(**world.settings, models__concurrency=32, data_dir=Path(scratch, "data"))
            if not (given.kill or given.cancel):
                settings = settings.updated(effort="quick", research__max_pages=2, search__max_queries=1)
            bench = Bench(settings, url, world, head, Path(scratch))
            try:
                made = bench.cancel(given.runs) if given.cancel else bench.measure(given.runs, kills=given.kill)
                rows = asyncio.run(made)
            finally:
                database_of(bench.settings).close()
                ray.shutdown()
    finally:
        server.cleanup()
    load = " ".join(f"{one:.1f}" for one in os.getloadavg())
    how = ", each stopped at work" if given.cancel else ", one killed in the midst" if given.kill else ""
    report(f"{given.runs:,} runs by two nodes{how}; load {load}", rows)


class Bench:
    """A cluster of two nodes, and the world that its runs meet."""

    def __init__(self, settings: Settings, url: str, world: World, head: Node, scratch: Path) -> None:
        self._alone = settings.updated(data_dir=scratch / "alone")
        self.settings = settings.updated(database_url=SecretStr(url))
        self._world, self._head, self._scratch = world, head, scratch
        self._marks: list[Row] = []
        self._connections = 0

    async def measure(self, count: int, *, kills: bool) -> list[Row]:
        """Make so many runs, and count what came of them."""
        questions = [QUESTION.format(topic) for topic in range(count)]
        self._world.calls()
        undisturbed = await self._undisturbed(questions[:COMPARED])
        usual = Counter(what for what, _, _ in self._world.calls())
        await self._head.ready()
        second = Node(self._head.address, self._scratch, head=False)
        await self._head.ready(2)
        began, calls, died = time.monotonic(), list[Call](), None
        watching = asyncio.create_task(self._watched([] if kills else [count // 10, count // 2, count], second))
        making = asyncio.create_task(research_many(questions, settings=self.settings, ray=self._head.address))
        while not making.done():
            await asyncio.wait([making], timeout=0.2)
            calls += await asyncio.to_thread(self._world.calls)
            [(connections,)] = await asyncio.to_thread(database_of(self.settings).rows, CONNECTIONS)
            self._connections = max(self._connections, connections)
            if kills and died is None and len(calls) > usual.total() / 2:
                died = time.monotonic()
                second.kill()
        reports, seconds = await making, time.monotonic() - began
        watching.cancel()
        if died is None:
            second.kill()
        return [
            *self._of_reports(reports, undisturbed),
            *self._of_database(count),
            *self._of_calls(calls, usual, died),
            Row("time", seconds, "s"),
            Row("runs an hour", 3_600 * count / seconds),
            Row(f"connections to the database at once, of {AT_WORK} workers and two others", self._connections),
            *self._marks,
        ]

    async def cancel(self, count: int) -> list[Row]:
        """Begin so many runs, and stop each once it waits for an answer."""
        await self._head.ready()
        second = Node(self._head.address, self._scratch, head=False)
        await self._head.ready(2)
        workers = await asyncio.to_thread(Cluster, self.settings, self._head.address)
        turns, chance = asyncio.Semaphore(AT_WORK), random.Random(7)

        async def heard(run: str, after: int, *names: str) -> LoggedEvent:
            """Wait for the next event of a run, or for one of a name."""
            while True:
                for event in await asyncio.to_thread(workers.store.events, run, after):
                    if not names or event.name in names:
                        return event
                await asyncio.sleep(0.02)

        async def one(topic: int) -> tuple[float, float, str]:
            async with turns:
                run = await asyncio.to_thread(prepared, QUESTION.format(topic), self.settings)
                await asyncio.to_thread(workers.start, run)
                await heard(run, 0, "RunStarted")
                await asyncio.sleep(chance.uniform(0.5, 3.5))
                last = (await asyncio.to_thread(workers.store.events, run, 0))[-1].id
                asked = time.monotonic()
                await asyncio.to_thread(workers.store.ask_to_stop, run)
                await heard(run, last)
                reached = time.monotonic() - asked
                end = await heard(run, last, "RunEnded")
                return reached, time.monotonic() - asked, end.data["outcome"]

        stopped = await asyncio.gather(*map(one, range(count)))
        second.kill()
        reached, ended, outcomes = zip(*stopped, strict=True)
        return [
            Row("from the word until a run heeds it, median", statistics.median(reached), "s"),
            Row("the longest", max(reached), "s", 2),
            Row("from the word until its report is there, median", statistics.median(ended), "s"),
            Row("the longest", max(ended), "s"),
            Row("runs that ended otherwise", sum(outcome != "cancelled" for outcome in outcomes), "", 0),
        ]

    async def _undisturbed(self, questions: list[str]) -> list[str]:
        async with Pool() as pool:
            turns = asyncio.Semaphore(GROUP)

            async def one(question: str) -> str:
                async with turns:
                    return (await research(question, settings=self._alone, pool=pool)).markdown

            return list(await asyncio.gather(*map(one, questions)))

    def _of_reports(self, reports: Sequence[Report | Exception], undisturbed: list[str]) -> list[Row]:
        made = [one.markdown if isinstance(one, Report) else "" for one in reports]
        for one in reports:
            if not isinstance(one, Report) or one.outcome != "complete":
                print(one if isinstance(one, Exception) else f"{one.run}: {one.outcome}")
        missing = sum(f"topic{topic} " not in text for topic, text in enumerate(made))
        for text, alone in zip(made, undisturbed, strict=False):
            lines = alone.splitlines(keepends=True), text.splitlines(keepends=True)
            sys.stdout.writelines(difflib.unified_diff(*lines, "undisturbed", "here", n=0))
        alike, whole = sum(one == other for one, other in zip(made, undisturbed, strict=False)), len(undisturbed)
        return [
            Row("runs without their report", missing, "", 0),
            Row("reports that are those of undisturbed runs", alike, f"of {whole}", whole, "least"),
        ]

    def _of_database(self, count: int) -> list[Row]:
        query = (
            "SELECT count(*), count(*) FILTER (WHERE trouble <> '' OR queued IS NOT NULL OR ends > clock_timestamp()),"
            " count(*) FILTER (WHERE token > 2) FROM run"
        )
        ended = (
            "SELECT count(*) FROM (SELECT run FROM event WHERE record LIKE '%%RunEnded%%' GROUP BY run"
            " HAVING count(*) > 1) AS doubled"
        )
        database = database_of(self.settings)
        [(kept, unfinished, taken)] = database.use(lambda db: db.execute(query).fetchall())
        [(doubled,)] = database.use(lambda db: db.execute(ended).fetchall())
        return [
            Row("runs in the database", kept, f"of {count}", count),
            Row("of them that have not ended", unfinished, "", 0),
            Row("of them that ended twice", doubled, "", 0),
            Row("of them that a second worker went on with", taken),
        ]

    def _of_calls(self, calls: list[Call], usual: Counter[str], died: float | None) -> list[Row]:
        came = Counter(what for what, _, _ in calls)
        again = {what for what, times in came.items() if times > usual.get(what, 1)}
        for what in sorted(again):
            times = [
                (round(came - calls[0][1], 1), round(at - calls[0][1], 1)) for one, came, at in calls if one == what
            ]
            print(f"again: {what}, came and was answered at {times} s; {self._fate(what)}")
        answered = {what for what, _, at in calls if died is not None and at < died - MARGIN}
        late = {what for what, at, _ in calls if died is not None and at > died}
        return [
            Row("calls", len(calls)),
            Row("calls made again", len(again), "", None if died else 0),
            Row(f"of them answered {MARGIN:g} s before the node died", len(again & answered & late), "", 0),
        ]

    def _fate(self, what: str) -> str:
        """Return how the run fared that made a call: how often it was taken, and what it tried again, and why."""
        topic = re.search(r"topic(\d+)", what)
        database = database_of(self.settings)
        found = database.use(lambda db: db.execute(FATE, (QUESTION.format(topic[1] if topic else ""),)).fetchall())
        return "; ".join(
            f"run {run}, taken {token - 1} times: {', '.join(retries) or 'no retry'}" for run, token, retries in found
        )

    async def _watched(self, marks: list[int], second: Node) -> None:
        """Note what the workers have in memory when so many runs are made."""
        database, seen = database_of(self.settings), set[int]()
        while marks:
            await asyncio.sleep(0.25)
            found = await asyncio.to_thread(resident, self._head.pid, second.pid)
            seen |= {process for process, (is_busy, _) in found.items() if is_busy}
            workers = {process: size for process, (_, size) in found.items() if process in seen}
            [(done,)] = await asyncio.to_thread(database.use, lambda db: db.execute(DONE).fetchall())
            if done < marks[0] or not workers:
                continue
            marks, mark = marks[1:], marks[0]
            mean, most = statistics.fmean(workers.values()), max(workers.values())
            told = f"after {mark} runs: {len(workers)} workers, {len(seen)} so far"
            print(f"{told}, {mean:.0f} MB each, at most {most:.0f}", flush=True)
            self._marks.append(Row(f"after {mark} runs, memory of a worker", mean, "MB"))
            self._marks.append(Row(f"after {mark} runs, of the largest", most, "MB"))


def resident(*nodes: int) -> dict[int, tuple[bool, float]]:
    """Return of each worker beneath these processes whether it is making a run, and its megabytes in memory."""
    found = {}
    for node in nodes:
        for process, line in beneath(node).items():
            try:
                status = Path(f"/proc/{process}/status").read_text()
            except OSError:
                continue
            if line.startswith("ray::"):
                found[process] = line.startswith("ray::make"), int(status.partition("VmRSS:")[2].split()[0]) / 1000
    return found


if __name__ == "__main__":
    main()
