"""What runs that survive cost: recording a call, taking up a run of a thousand calls, its size, and a replay.

    python bench/journal.py [--world DIR] [--shared] [--strict]

With DIR, a loopback internet as for `bench/web.py`, a report over ten pages is made and replayed. With `--shared`
nothing but a journal in PostgreSQL is measured: a call is recorded once the database has it, as an effect waits for it,
and one of many runs is looked for.
"""

import argparse
import asyncio
import json
import os
import secrets
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spyglass import research
from spyglass.generate_report import replay
from spyglass.kernel.journal import Answer, Journal, canonical
from spyglass.kernel.journal.journal import CHECKPOINT, Durability
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.runs import RunStore
from spyglass.runs.forecast import MOST_LOOKED_AT
from table import Row
from table import report as print_table

if TYPE_CHECKING:
    from psycopg import Connection

    from spyglass.kernel.database.database import Database

CALLS = 1_000
PROMPT, ANSWER = 4_000, 1_200
"""Characters of a request and its answer, about those of a section's."""

RUNS = 20_000
"""Among so many that have ended one is looked for: those of a day, at some 800 an hour."""

WARM, AT_ONCE = 20, 8
"""Records that are made before any is timed, and runs that record at once."""


def words(size: int, seed: int) -> str:
    """Return text of so many characters, another one for each seed."""
    line = f"Colony {seed} of the bees gave {seed * 7} jars of honey, it says “on the label”. "
    return (line * (size // len(line) + 1))[:size]


def recording(folder: Path) -> list[Row]:
    """Measure what a record takes, and in turns with it what bare SQLite takes: others use the machine too."""
    rows = []
    for size, number, limit in ((1_000, 500, 0.1), (10_000, 500, 0.1), (200_000, 200, 1.0)):
        journal, bare = Journal(folder / f"{size}.sqlite"), bare_table(folder / f"bare {size}.sqlite")
        journal.take()
        ours, theirs = Times(), Times()
        for n in range(number):
            answer = {"text": words(size, n)}
            with ours:
                journal.record(f"{n:064x}", "model", {"n": n}, Answer(value=answer), began=1.0, ended=2.0)
            with theirs:
                spelt = json.dumps(answer, ensure_ascii=False)
                bare.execute("INSERT INTO effect VALUES (?, ?, ?, ?)", (n, f"{n:064x}", "model", spelt))
        journal.close()
        bare.close()
        name = f"recording {size / 1000:g} kB"
        rows += [
            Row(name, ours.median, "ms", limit),
            Row(f"{name}, mean of CPU", ours.cpu, "CPU-ms", limit),
            Row(f"{name}, over JSON and bare SQLite", ours.median / theirs.median, "×"),
        ]
    journal = Journal(folder / "power.sqlite", durability="power")
    times = Times()
    for n in range(50):
        with times:
            journal.record(f"{n:064x}", "model", {"n": n}, Answer(value=words(1_000, n)))
    rows.append(Row("recording 1 kB, power", times.median, "ms"))
    journal.close()
    return rows


def bare_table(path: Path) -> sqlite3.Connection:
    """Return a table such as the journal's, in a file of its own, written to the disk as the journal is."""
    db = sqlite3.connect(path, isolation_level=None)
    for statement in (
        "PRAGMA journal_mode=WAL",
        "PRAGMA synchronous=NORMAL",
        f"PRAGMA wal_autocheckpoint={CHECKPOINT}",
    ):
        db.execute(statement)
    db.execute("CREATE TABLE effect (seq INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT, answer TEXT)")
    return db


@dataclass
class Times:
    """What the blocks of a kind took, in milliseconds: a median of the wall clock, which neighbours do not move."""

    wall: list[float] = field(default_factory=list)
    used: float = 0.0

    def __enter__(self) -> None:
        self._began = time.perf_counter(), time.thread_time()

    def __exit__(self, *_: object) -> None:
        wall, used = self._began
        self.used += time.thread_time() - used
        self.wall.append(time.perf_counter() - wall)

    @property
    def median(self) -> float:
        """Milliseconds of one block."""
        return statistics.median(self.wall) * 1e3

    @property
    def cpu(self) -> float:
        """Milliseconds of CPU of one block, on the average."""
        return self.used / len(self.wall) * 1e3


def sharing(folder: Path) -> list[Row]:
    """Measure what a record in PostgreSQL takes, which runs on this machine, of a run alone and of several at once."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    from postgres import a_database, server_of
    from spyglass.kernel.database.database import Database
    from spyglass.kernel.journal.shared import SharedJournal

    async def recorded(run: str, size: int, number: int, durability: Durability = "process") -> Times:
        journal, times = SharedJournal(folder / run / "journal.sqlite", database, durability=durability), Times()
        await journal.take_async()
        for n in range(-WARM, number):
            answer, measured = {"text": words(size, n + WARM)}, times if n >= 0 else Times()
            with measured:
                journal.record(f"{n + WARM:064x}", "model", {"n": n}, Answer(value=answer), began=1.0, ended=2.0)
                await journal.flush()
        await asyncio.to_thread(journal.close)
        return times

    async def measured() -> list[Row]:
        rows = []
        for size, number, limit in ((1_000, 500, None), (10_000, 500, 1.5), (200_000, 100, None)):
            used = time.process_time()
            times = await recorded(f"{size}", size, number)
            used = (time.process_time() - used) / (number + WARM)
            name = f"recording {size / 1000:g} kB"
            rows += [Row(name, times.median, "ms", limit), Row(f"{name}, mean of CPU here", used * 1e3, "CPU-ms")]
        began = time.perf_counter()
        many = await asyncio.gather(*(recorded(f"run{n}", 10_000, 100) for n in range(AT_ONCE)))
        seconds = time.perf_counter() - began
        rows.append(Row(f"recording 10 kB, {AT_ONCE} runs at once", statistics.median(t.median for t in many), "ms"))
        rows.append(Row("records a second then", AT_ONCE * (100 + WARM) / seconds))
        rows.append(Row("recording 10 kB, power", (await recorded("power", 10_000, 50, "power")).median, "ms"))
        return rows

    server = server_of(secrets.token_hex(6))
    try:
        with a_database(server) as url:
            database = Database(url)
            try:
                return asyncio.run(measured()) + finding(folder, url, database)
            finally:
                database.close()
    finally:
        server.cleanup()


def finding(folder: Path, url: str, database: "Database") -> list[Row]:
    """Measure how long it takes to find one of many runs that have ended, and what else is looked for among them."""
    import psycopg

    from spyglass.runs.shared_store import SharedRunStore

    facts = {"id": "r", "question": "Is it?", "ended": {"outcome": "complete", "calls": 1, "cost": 0}, "format": 4}
    numbers = f"generate_series(1, {RUNS}) AS n"

    def fill(db: "Connection[Any]") -> None:
        began = "clock_timestamp() - make_interval(secs => n)"
        db.execute(f"INSERT INTO run (id, owner, began) SELECT 'r' || n, '', {began} FROM {numbers}".encode())
        for name, value in facts.items():
            row = (name, json.dumps(value).encode())
            db.execute(f"INSERT INTO fact SELECT 'r' || n, %s, %s FROM {numbers}".encode(), row)
        answer = f"convert_to(repeat(md5(n::text || k), {ANSWER // 32}), 'UTF8')"
        calls = (
            f"SELECT 'r' || n, k, 'k' || k, 'ask', 'q', {answer}, NULL, 1, 2 FROM {numbers}, generate_series(1, 10) k"
        )
        db.execute(f"INSERT INTO effect {calls}".encode())

    database.use(fill)
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("VACUUM ANALYZE")
    store = SharedRunStore(folder, database=database)
    looks: dict[str, Callable[[], object]] = {
        "the last run": lambda: store.find("last"),
        f"the latest {MOST_LOOKED_AT}": lambda: store.all(MOST_LOOKED_AT),
        "those that were cut": store.cut_off,
        "those that a service goes on with when it begins": store.interrupted,
        "those to be forgotten": lambda: store.sweep(90),
    }
    rows = []
    for name, look in looks.items():
        times = Times()
        for _ in range(5):
            with times:
                look()
        rows.append(Row(f"among {RUNS:,} runs, {name}", times.median, "ms"))
    return rows


async def asked(settings: Settings, path: Path) -> None:
    """Ask a thousand times, or have the journal answer."""

    def answering(n: int) -> Callable[[], Awaitable[Any]]:
        async def call() -> Any:
            return {"text": words(ANSWER, n)}

        return call

    async with Run("What is known?", settings, journal=Journal(path)) as run:
        for n in range(CALLS):
            await run.effect("model", {"user": words(PROMPT, n)}, answering(n))


def resuming(folder: Path) -> list[Row]:
    """Measure how long a run of a thousand calls takes to come to where it was, and how large its journal is."""
    path, settings = folder / "calls.sqlite", Settings(data_dir=folder)
    asyncio.run(asked(settings, path))
    began = time.perf_counter()
    asyncio.run(asked(settings, path))
    seconds = time.perf_counter() - began
    return [
        Row(f"resuming {CALLS} calls", seconds, "s", 0.5),
        Row(f"size of {CALLS} calls", size_ratio(path), "×", 1.3),
    ]


def size_ratio(path: Path) -> float:
    """Return a journal's size over the bytes of its distinct requests, answers and texts."""
    journal = Journal.copy_of(path)
    parts = {canonical(request) for _, request, _ in journal.effects()}
    parts |= {canonical(answer.error or answer.value) for _, _, answer in journal.effects()}
    parts |= {text.decode() for _, text in journal.rows()["snapshot"]}
    journal.close()
    return path.stat().st_size / sum(len(part.encode()) for part in parts)


def replaying(world: Path, folder: Path) -> list[Row]:
    """Make a report over ten pages of a loopback internet, and make it again from its journal."""
    from web import SPEED, world_of

    question = json.loads((world / "questions.json").read_text(encoding="utf-8"))[0]
    with world_of(world, {}) as servers:
        servers.configure({**SPEED})
        settings = Settings(data_dir=folder, **servers.settings())
        made = asyncio.run(research(question, settings=settings))
    offline = Settings(data_dir=folder)
    asyncio.run(replay("last", settings=offline))  # imports
    began = time.process_time()
    again = asyncio.run(replay("last", settings=offline))
    used = time.process_time() - began
    path = RunStore(folder).find("last").path
    return [
        Row("pages of the report", len(made.sources), "", 8, "least"),
        Row("replaying it", used, "CPU-s", 0.7),
        Row("bytes that differ", sum(a != b for a, b in zip(_bytes(made), _bytes(again), strict=True)), "", 0),
        Row("size of its journal", size_ratio(path), "×", 1.3),
    ]


def _bytes(report: Any) -> list[str]:
    from spyglass.render.html import html

    return [report.model_dump_json(), report.markdown, html(report)]


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--world", type=Path)
    parser.add_argument("--shared", action="store_true", help="a journal in PostgreSQL alone")
    parser.add_argument("--strict", action="store_true", help="exit with 1 when a limit is missed")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = sharing(folder) if arguments.shared else recording(folder) + resuming(folder)
        rows += replaying(arguments.world, folder) if arguments.world else []
    load = " ".join(f"{one:.1f}" for one in os.getloadavg())
    print_table(f"Runs that survive{', in PostgreSQL' if arguments.shared else ''}; load {load}", rows)


if __name__ == "__main__":
    main()
