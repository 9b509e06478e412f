"""The service as its callers meet it: its page, its streams, its reports, its forecasts, and a crowd of odd callers.

    python bench/service.py [--clients N] [--reports N] [--forecasts N] [--crowd N --seconds S --crowds N] [--strict]

The server is `spyglass serve` in a process of its own; models, searches and pages are those of `many_servers.py`, on
this machine, with their delays: a model answers in 0.2 to 0.6 s, a search in 0.3 s, a page in 0.2 s. Linux only.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp

from many import world
from spyglass.kernel.events import Searched
from spyglass.kernel.settings import Settings
from spyglass.runs.detached import prepared
from spyglass.runs.event_log import EventLog
from spyglass.runs.run_store import RunStore
from spyglass.serve.page import FILES
from table import Row
from table import report as print_table

EVENTS = 1_000
PAUSE = 3.0
"""Seconds before each report that is timed: a service that nobody asks meanwhile has a process ready."""

LONGEST = aiohttp.ClientTimeout(120)


@contextmanager
def served(folder: Path, given: dict[str, Any], **serve: Any) -> Iterator[tuple[str, int]]:
    """Serve with these settings; yield the address and the process."""
    settings = {**given, "serve.runs": 4, "serve.share": 4, **{f"serve.{name}": value for name, value in serve.items()}}
    code = (
        "import json, sys; from spyglass.kernel.settings import Settings; from spyglass.cli.serve import serve; "
        "serve(Settings(**json.loads(sys.argv[1])), '127.0.0.1', 0)"
    )
    command = [sys.executable, "-c", code, json.dumps({**settings, "data_dir": str(folder)})]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            yield server.stderr.readline().split()[2], server.pid
        finally:
            server.terminate()


def cpu(process: int) -> float:
    """Return the seconds of processor time that a process has taken."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(process: int) -> float:
    """Return the megabytes of a process in memory."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


async def page_of(session: aiohttp.ClientSession, base: str) -> list[Row]:
    """Measure the page: how soon it comes, and all that it loads."""
    first = []
    for _ in range(50):
        began = time.perf_counter()
        async with session.get(base) as response:
            await response.content.readany()
            first.append(time.perf_counter() - began)
    size = 0
    for name in FILES:
        async with session.get(f"{base}/page/{name}") as response:
            assert response.status == 200, name
            size += len(await response.read())
    return [
        Row("first byte of the page, median", 1_000 * statistics.median(first), "ms", 20),
        Row("the page with all that it loads", size / 1_000, "kB", 150),
    ]


def long_run(folder: Path) -> str:
    """Keep a run with so many events, and return its id."""
    settings = Settings(data_dir=folder, web=True)
    run_id = prepared("How long is a stream?", settings)
    store = RunStore(folder)
    store.manage(run_id, "")
    store.ask_to_stop(run_id)
    with EventLog(store.journal_path(run_id)) as log:
        for number in range(EVENTS):
            log(Searched(f"query {number}", "engine", 10))
    return run_id


async def streams(session: aiohttp.ClientSession, base: str, process: int, run_id: str, clients: int) -> list[Row]:
    """Have so many clients follow a run at once: each gets each event, in order."""
    firsts = []

    async def follow() -> bool:
        began = time.perf_counter()
        ids, queries = list[int](), list[str]()
        async with session.get(f"{base}/runs/{run_id}/events") as response:
            async for line in response.content:
                if not ids and not queries:
                    firsts.append(time.perf_counter() - began)
                if line.startswith(b"id: "):
                    ids.append(int(line[4:]))
                elif line.startswith(b"data: ") and b'"query"' in line:
                    queries.append(json.loads(line[6:])["query"])
                if len(queries) == EVENTS:
                    break
        return ids == sorted({*ids}) and queries == [f"query {number}" for number in range(EVENTS)]

    for _ in range(20):
        await follow()
    alone = statistics.median(firsts)
    before = cpu(process)
    whole = await asyncio.gather(*(follow() for _ in range(clients)))
    each = (cpu(process) - before) / (clients * EVENTS)
    return [
        Row(f"of {clients} clients of {EVENTS} events: each of them, in order", sum(whole), "", clients, "least"),
        Row("processor time of an event", 1e6 * each, "µs", 40),
        Row("first event, one client, median", 1_000 * alone, "ms", 50),
    ]


async def called(session: aiohttp.ClientSession, url: str, body: Any = None) -> Any:
    """Return what a call answers; one that comes too early is made again."""
    while True:
        how: dict[str, Any] = {"method": "GET"} if body is None else {"method": "POST", "json": body}
        async with session.request(url=url, **how) as response:
            if response.status != 429:
                return await response.json()
        await asyncio.sleep(0.5)


async def ended(session: aiohttp.ClientSession, base: str, run_id: str) -> tuple[Any, float | None]:
    """Follow a run to its end or its plan; return how it stands, and when its first section was there."""
    drafted = None
    async with session.get(f"{base}/runs/{run_id}/events") as response:
        async for line in response.content:
            if drafted is None and line.startswith((b"event: SectionDrafted", b"event: SectionWritten")):
                drafted = time.perf_counter()
    return await called(session, f"{base}/runs/{run_id}"), drafted


async def reports(session: aiohttp.ClientSession, base: str, count: int) -> list[Row]:
    """Have reports made, one after another."""
    whole, first = [], []
    for number in range(count + 1):
        await asyncio.sleep(PAUSE)
        began = time.perf_counter()
        asked = {"q": f"Who built the harbour and the lighthouse of topic{number}?", "effort": "quick"}
        run = await called(session, f"{base}/runs", asked)
        state, drafted = await ended(session, base, run["id"])
        assert state["outcome"] == "complete", state
        if number:  # the first one warms it
            whole.append(time.perf_counter() - began)
            first.append((drafted or time.perf_counter()) - began)
    return [
        Row(f"{count} reports one by one, median", statistics.median(whole), "s", 2.7),
        Row("their first paragraph, median", statistics.median(first), "s", 1.4),
    ]


async def forecasts(session: aiohttp.ClientSession, base: str, count: int) -> list[Row]:
    """Have the plans of runs told what they take, and hold that against what they took; every fourth has a low cap."""
    held = Counter[str]()
    above = 0
    for number in range(count):
        cap = 0.0004 if number % 4 == 3 else 1.0
        question = random.Random(number).choice(
            ("How did {} develop?", "Who built {}?", "What is known of {}, and who paid for it?")
        )
        asked = {"q": question.format(f"topic{1000 + number}"), "ask": True, "effort": "quick", "max_cost": cap}
        run = await called(session, f"{base}/runs", asked)
        await ended(session, base, run["id"])
        plan = await called(session, f"{base}/runs/{run['id']}/plan")
        began = time.perf_counter()
        await called(session, f"{base}/runs/{run['id']}/plan", {"tasks": []})
        state, _ = await ended(session, base, run["id"])
        took = {"calls": state["calls"], "money": state["cost"], "seconds": time.perf_counter() - began}
        above += state["cost"] > cap
        for what, value in took.items():
            low, high = plan["forecast"][what]
            held[what] += low * 0.999 <= value <= high * 1.001
        held["all"] += all(
            plan["forecast"][what][0] * 0.999 <= value <= plan["forecast"][what][1] * 1.001
            for what, value in took.items()
        )
    rows = [Row(f"forecast of {what} holds, of {count}", 100 * held[what] / count, "%", 80, "least") for what in held]
    return [*rows, Row("runs above their cap", above, "", 0)]


async def crowds(base: str, process: int, run_id: str, most: int, seconds: float, count: int) -> list[Row]:
    """Have crowds of callers, one after another: what the first one takes of memory suffices for all others."""
    answers, lost, memory = Counter[int](), 0, [resident(process)]
    for _ in range(count):
        answered, outcomes = await crowd(base, run_id, most, seconds)
        memory.append(resident(process))
        answers += answered
        lost += outcomes.total() - outcomes["complete"] - outcomes["partial"]
        print(f"answers: {dict(sorted(answered.items()))}; runs: {dict(outcomes)}; memory: {memory[-1]:.0f} MB")
    failed = sum(times for status, times in answers.items() if status >= 500)
    rows = [
        Row(f"{count} times {most} callers for {seconds:g} s: answers a second", answers.total() / seconds / count),
        Row("of them 5xx", failed, "", 0),
        Row("runs that were lost", lost, "", 0),
        Row("memory that the first crowd takes", memory[1] - memory[0], "MB", 60),
    ]
    flat = Row("memory that all others take beyond that", max(memory[2:], default=0.0) - memory[1], "MB", 15)
    return [*rows, flat] if count > 1 else rows


async def crowd(base: str, run_id: str, most: int, seconds: float) -> tuple[Counter[int], Counter[str]]:
    """Have so many callers at once, of all kinds, for some time; return what they were answered, and how runs ended."""
    answers, until = Counter[int](), time.monotonic() + seconds
    port, chance = int(base.rpartition(":")[2]), random.Random(1)
    begun = set[str]()

    async def ask(session: aiohttp.ClientSession, method: str, path: str, **sent: Any) -> None:
        async with session.request(method, f"{base}{path}", **sent) as response:
            answers[response.status] += 1
            if response.status == 429:
                assert response.headers["Retry-After"]
            body = await response.read()
            if path == "/runs" and response.status == 202:
                begun.add(json.loads(body)["id"])

    async def half(_session: aiohttp.ClientSession) -> None:
        _reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST /runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le")
        await asyncio.sleep(chance.uniform(0, 3))
        writer.close()

    async def slow(session: aiohttp.ClientSession) -> None:
        async with session.get(f"{base}/runs/{run_id}/events") as response:
            for _ in range(5):
                await response.content.read(100)
                await asyncio.sleep(chance.uniform(0, 0.5))

    kinds: list[Callable[[aiohttp.ClientSession], Any]] = [
        lambda session: ask(session, "GET", "/health"),
        lambda session: ask(session, "GET", "/runs"),
        lambda session: ask(session, "GET", f"/runs/{run_id}"),
        lambda session: ask(session, "GET", "/runs/nothing"),
        lambda session: ask(session, "GET", "/collections"),
        lambda session: ask(session, "POST", "/runs", json={"q": 5}),
        lambda session: ask(session, "POST", "/runs", data=b"x" * 70_000),
        lambda session: ask(
            session, "POST", "/runs", json={"q": "Who built the harbour of topic7?", "effort": "quick"}
        ),
        lambda session: ask(session, "PUT", "/collections/none/documents/a.md", data=b"text"),
        half,
        slow,
    ]

    async def caller() -> None:
        async with aiohttp.ClientSession(timeout=LONGEST) as session:
            while time.monotonic() < until:
                with suppress(aiohttp.ClientError, ConnectionError, TimeoutError):
                    await chance.choice(kinds)(session)

    await asyncio.gather(*(caller() for _ in range(most)))
    async with aiohttp.ClientSession(timeout=LONGEST) as session:
        return answers, Counter([(await ended(session, base, one))[0]["outcome"] for one in begun])


async def main() -> None:
    """Measure all, and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("clients", 50), ("reports", 9), ("forecasts", 50), ("crowd", 500)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--seconds", type=int, default=60, help="how long a crowd stays")
    parser.add_argument("--crowds", type=int, default=3, help="how many come, one after another")
    parser.add_argument("--strict", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, world() as given:
        priced = {**given, "budget.prices": {f"{given['provider']}/{given['model']}": [0.1, 0.4]}}
        data = Path(folder)
        run_id = long_run(data)
        with served(data, priced, per_second=10_000) as (base, process):
            async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), timeout=LONGEST) as session:
                rows = await page_of(session, base)
                rows += await streams(session, base, process, run_id, asked.clients)
                rows += await reports(session, base, asked.reports) if asked.reports else []
                rows += await forecasts(session, base, asked.forecasts) if asked.forecasts else []
        if asked.crowd:
            with served(data, priced, connections=1_000) as (base, process):
                rows += await crowds(base, process, run_id, asked.crowd, asked.seconds, asked.crowds)
    print_table("The service", rows)


if __name__ == "__main__":
    asyncio.run(main())
