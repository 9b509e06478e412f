"""Every fault of a loopback internet, alone and in pairs across model, search and pages, at 10 % and 50 % of the calls.

    python bench/matrix.py --world DIR [--worlds N] [--only WORDS] [--rate PERCENT …]

DIR is as for `bench/web.py`. Each cell asks one question in a world whose servers take 0.02 s; a line says how it
ended, then a table what holds for all of them. `--worlds` is how many worlds are run side by side, `--only` takes the
cells in whose names its words are.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import Any, get_args

from spyglass import research
from spyglass.kernel.errors import SpyglassError
from spyglass.kernel.events import RunEnded
from spyglass.kernel.in_flight import FAREWELL
from spyglass.kernel.outcome import Outcome
from spyglass.kernel.settings import Settings
from spyglass.report import Report
from spyglass.router.router import GRACE
from spyglass.verify.verify import verify
from table import Row
from table import report as print_table
from web import SEARCH_FAULTS, SERVERS, World, world_of

LATENCY = 0.02
RATES = (10, 50)

FAULTS: dict[str, tuple[str, ...]] = {
    "llm": ("429", "500", "503", "hang", "reset", "garbage", "empty"),
    "search": SEARCH_FAULTS,
    "web": ("403", "404", "429", "500", "503", "hang", "reset", "garbage", "empty"),
}
NAMES = {"llm": "model", "search": "search", "web": "page"}

BOUNDS = {
    "research.agent_deadline": 30.0,
    "models.deadline": 3.0,
    "search.deadline": 3.0,
    "network.connect_deadline": 2.0,
    "network.read_deadline": 3.0,
    "fetch.page_deadline": 6.0,
}

LONGEST = 3 * (BOUNDS["research.agent_deadline"] + GRACE) + FAREWELL
"""Seconds in which a run ends by its deadlines: planner, researchers side by side, reporter, and putting away."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What goes wrong at which servers, with so many percent of their calls."""

    faults: tuple[tuple[str, str], ...]
    percent: int

    def __str__(self) -> str:
        return f"{' + '.join(f'{NAMES[server]} {fault}' for server, fault in self.faults)}, {self.percent} %"

    @property
    def knobs(self) -> dict[str, dict[str, Any]]:
        """What the servers are told."""
        knobs: dict[str, dict[str, Any]] = {server: {"latency": LATENCY} for server in SERVERS}
        for server, fault in self.faults:
            knobs[server] |= {"fail": self.percent / 100, "fault": fault}
        return knobs


@dataclass(frozen=True, slots=True)
class Ending:
    """How a cell's run ended: what it cites without having fetched it, and what does not verify, are counted."""

    cell: Cell
    outcome: str
    seconds: float
    faults: int = 0
    sources: int = 0
    unfetched: int = 0
    mismatches: int = 0
    untold: bool = False

    def line(self) -> str:
        """Return the ending as a line of the table."""
        wrong = [name for name in ("unfetched", "mismatches", "untold") if getattr(self, name)]
        return (
            f"{self.cell!s:38} {self.faults:3} faults  {self.outcome:13} {self.seconds:5.1f} s  "
            f"{self.sources:2} sources  {' '.join(wrong)}"
        ).rstrip()


def cells(rates: Sequence[int]) -> Iterator[Cell]:
    """Yield every fault alone, then every pair of faults of two servers."""
    alone = [((server, fault),) for server, faults in FAULTS.items() for fault in faults]
    pairs = [
        ((one, first), (other, second))
        for one, other in combinations(FAULTS, 2)
        for first, second in product(FAULTS[one], FAULTS[other])
    ]
    for faults in (*alone, *pairs):
        for percent in rates:
            yield Cell(faults, percent)


async def ended(world: World, question: str, cell: Cell) -> Ending:
    """Ask the question in a world with these faults, and say how that ended."""
    world.configure(cell.knobs)
    for server in SERVERS:
        world.ask(server, "_mark", run=str(cell))
    with tempfile.TemporaryDirectory() as folder:
        given = {
            **world.settings(),
            **BOUNDS,
            "search.engines": ["searxng"],
            "browser.mode": "never",
            "data_dir": folder,
        }
        outcomes: list[str] = []
        began = time.perf_counter()
        try:
            async with asyncio.timeout(2 * LONGEST):
                report: Report | None = await research(
                    question,
                    settings=Settings(**given),
                    on_event=lambda event: outcomes.append(event.outcome) if isinstance(event, RunEnded) else None,
                )
        except SpyglassError:
            report = None
        except TimeoutError:
            outcomes, report = ["never"], None
        seconds = time.perf_counter() - began
    rows = {server: world.ask(server, "_stats", run=str(cell))["rows"] for server in SERVERS}
    faults = sum("fault" in row for server in SERVERS for row in rows[server])
    if report is None:
        return Ending(cell, outcomes[-1], seconds, faults)
    fetched = {row["url"] for row in rows["web"] if row.get("status") in (200, 304)}
    cited = {reference.url for reference in report.references}
    outcome = report.outcome if outcomes == [report.outcome] else f"{report.outcome}?"
    told = bool(report.failures) == (report.outcome in ("partial", "failed"))
    wrong = verify(report).mismatches
    for one in wrong:
        print(f"  {one.where or one.subject}: {one.what}")
    return Ending(cell, outcome, seconds, faults, len(report.sources), len(cited - fetched), len(wrong), not told)


async def measure(worlds: Sequence[World], question: str, todo: Sequence[Cell]) -> list[Ending]:
    """Run the cells, one at a time in each world."""
    left, endings = list(reversed(todo)), list[Ending]()

    async def work(world: World) -> None:
        while left:
            endings.append(await ended(world, question, left.pop()))
            print(endings[-1].line(), flush=True)

    await asyncio.gather(*map(work, worlds))
    return endings


def rows(endings: Sequence[Ending]) -> list[Row]:
    """Return what holds for all cells."""
    typed = Counter(ending.outcome for ending in endings)
    untyped = sum(count for outcome, count in typed.items() if outcome not in get_args(Outcome))
    ended = [Row(f"ended as {outcome}", count, "cells") for outcome, count in typed.most_common()]
    return [
        Row("cells", len(endings)),
        *ended,
        Row("without a typed outcome, or with two", untyped, "cells", 0),
        Row("slowest", max(ending.seconds for ending in endings), "s", LONGEST),
        Row("median", sorted(ending.seconds for ending in endings)[len(endings) // 2], "s"),
        Row("cited but not fetched", sum(ending.unfetched for ending in endings), "", 0),
        Row("mismatches when verified", sum(ending.mismatches for ending in endings), "", 0),
        Row("partial or failed without a reason, or complete with one", sum(one.untold for one in endings), "cells", 0),
    ]


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--world", type=Path, required=True)
    parser.add_argument("--worlds", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--rate", type=int, choices=RATES, nargs="*", default=list(RATES))
    parser.add_argument("--strict", action="store_true")
    arguments = parser.parse_args()
    question = json.loads(Path(arguments.world, "questions.json").read_text(encoding="utf-8"))[0]
    todo = [cell for cell in cells(arguments.rate) if arguments.only in str(cell)]
    with ExitStack() as running:
        worlds = [running.enter_context(world_of(arguments.world, {})) for _ in range(arguments.worlds)]
        print_table("The fault matrix", rows(asyncio.run(measure(worlds, question, todo))))


if __name__ == "__main__":
    main()
