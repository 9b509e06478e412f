"""Faults of the model, of searches and of pages, alone and in pairs: a run ends, and says how it ended."""

import asyncio
import json
import re
import zlib
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import get_args

import pytest

from leftovers import Leftovers
from loopback import Fault, Hit, Hits, ModelServer, PromptRequest, Reply, Say, SearchServer, Visit, WebServer
from loopback.fault import Misbehaviour
from loopback.prose import article
from loopback.search import SearchCall
from spyglass import research
from spyglass.kernel.errors import SpyglassError
from spyglass.kernel.events import Event, RunEnded
from spyglass.kernel.outcome import Outcome
from spyglass.kernel.sentence import sentence_spans
from spyglass.kernel.settings import Settings
from spyglass.report import Report
from spyglass.verify.verify import verify

QUESTION = "How did the harbour of Altmere come to be, and what became of it?"
PLAN = {
    "tasks": [
        {"task": "the building", "agent": "quick-searcher", "queries": ["harbour built", "harbour moles"]},
        {"task": "the storm", "agent": "quick-searcher", "queries": ["harbour storm"]},
    ],
    "sections": ["Building", "Storm"],
}
TOPICS = ("building", "moles", "storm", "repair", "basin", "ferry", "lighthouse", "quarry")
LATENCY = 0.02

MODEL: tuple[int | Misbehaviour, ...] = (429, 500, 503, "hang", "reset", "garbage", "empty")
SEARCH: tuple[int | Misbehaviour, ...] = (429, 500, 503, "hang", "reset", "garbage", "empty")
PAGE: tuple[int | Misbehaviour, ...] = (403, 404, 429, 500, 503, "hang", "reset", "garbage", "empty")


@dataclass(frozen=True)
class Cell:
    """What goes wrong with which share of the calls; None is nothing."""

    model: int | Misbehaviour | None
    search: int | Misbehaviour | None
    page: int | Misbehaviour | None
    percent: int

    def __str__(self) -> str:
        faults = {"model": self.model, "search": self.search, "page": self.page}
        return " and ".join(f"{name} {kind}" for name, kind in faults.items() if kind) + f" at {self.percent} %"

    def fails(self, what: str, number: int) -> bool:
        """Say whether a call fails, by its number from 0: every second, or every tenth, one of the first three."""
        period = 100 // self.percent
        return number % period == zlib.crc32(f"{self} {what}".encode()) % min(3, period)


def alone() -> list[Cell]:
    """Every fault by itself, at both shares."""
    cells = [Cell(kind, None, None, 0) for kind in MODEL]
    cells += [Cell(None, kind, None, 0) for kind in SEARCH]
    cells += [Cell(None, None, kind, 0) for kind in PAGE]
    return [Cell(one.model, one.search, one.page, percent) for one, percent in product(cells, (10, 50))]


PAIRS = [Cell("hang", "hang", None, 50), Cell("garbage", None, 403, 50), Cell(None, "empty", "hang", 50)]
"""What two of the three do not tell alone: no deadline waits for another, and quoting has few pages to quote from."""

CELLS = [*alone(), *PAIRS]

SOUND = Cell(None, None, None, 10)

BATCHES = 7

pytestmark = pytest.mark.slow


@dataclass
class World:
    """One cell's own servers, and which pages they have answered."""

    cell: Cell
    model: ModelServer = field(default_factory=ModelServer)
    search: SearchServer = field(default_factory=SearchServer)
    web: WebServer = field(default_factory=WebServer)
    answered: set[str] = field(default_factory=set)
    faults: int = 0

    def spoilt(self, what: str, kind: int | Misbehaviour | None) -> Callable[[], Fault | None]:
        """Return what gives the fault of the next call, if it has one."""
        calls = iter(range(1_000_000))

        def fault() -> Fault | None:
            if kind is None or not self.cell.fails(what, next(calls)):
                return None
            self.faults += 1
            return Fault(kind, headers={"Retry-After": "1"} if kind in (429, 503) else {})

        return fault

    def play(self) -> None:
        """Serve, with what goes wrong."""
        of_model, of_search = self.spoilt("model", self.cell.model), self.spoilt("search", self.cell.search)
        of_page = self.spoilt("page", self.cell.page)
        hits = tuple(Hit(self._page(name, of_page), f"The {name} of the harbour") for name in TOPICS)

        def found(asked: SearchCall) -> Hits | Fault:
            first = zlib.crc32(asked.query.encode()) % len(hits)
            return of_search() or Hits((*hits[first:], *hits[:first])[:5], LATENCY)

        self.search.play(found)
        self.model.play(lambda asked: of_model() or Say(written(asked), delay=LATENCY))

    def _page(self, name: str, fault: Callable[[], Fault | None]) -> str:
        """Serve a page about something, and return its address."""
        host = f"127.0.0.{1 + TOPICS.index(name) % 4}"
        text = f"The {name} of Altmere was the work of {len(name)} years, and cost {41 * len(name)} thousand crowns. "
        url = self.web.url(f"/{name}", host)

        def serve(_visit: Visit) -> Reply | Fault:
            if (wrong := fault()) is not None:
                return wrong
            self.answered.add(url)
            return Reply(article(f"The {name}", *(f"{text}The harbour needed it." for _ in range(3))), delay=LATENCY)

        self.web.put(f"/{name}", serve, host=host)
        return url

    @staticmethod
    def _deadline(kind: int | Misbehaviour | None) -> float:
        """Return the seconds for calls of which some go wrong so: few only where the deadline is what ends them."""
        return 5.0 if kind == "hang" else 600.0

    def settings(self, folder: Path) -> Settings:
        return Settings(
            web=True,
            provider="openai",
            model="m",
            base_url=self.model.base_url("openai"),
            data_dir=folder,
            network__allow_private=["127.0.0.0/8"],
            effort="normal",
            browser__mode="never",
            research__agent_deadline=600,
            models__deadline=2 if self.cell.model == "hang" else 600,  # a report needs no answer of a model
            models__attempts=2,
            search__deadline=self._deadline(self.cell.search),
            search__attempts=2,
            network__connect_deadline=self._deadline(self.cell.page),
            network__read_deadline=self._deadline(self.cell.page),
            fetch__page_deadline=self._deadline(self.cell.page),
            fetch__attempts=2,
            retrieval__dense=False,
            rerank__method="lexical",
            cache__page_hours=0,
            **self.search.settings("searxng"),
        )


def written(asked: PromptRequest) -> str:
    """Plan when asked to, else say the first sentence of each passage that is offered."""
    if asked.system.startswith("You plan"):
        return json.dumps(PLAN)
    blocks = re.findall(r'<source id="(S[\d.]+)"[^>]*>\n(.*?)\n</source>', asked.user, re.DOTALL)
    said = [(label, text[slice(*sentence_spans(text)[0])].rstrip(". ")) for label, text in blocks if text.strip()]
    return " ".join(f"{sentence} [{label}]." for label, sentence in said) or "Nothing."


async def run(cell: Cell, folder: Path) -> Outcome:
    """Make a report in a cell's world; return how it ended. Fails where it did not end as it must."""
    world = World(cell)
    async with AsyncExitStack() as running:
        for server in (world.model, world.search, world.web):
            await running.enter_async_context(server.running())
        world.play()
        settings, events = world.settings(folder), list[Event]()
        async with asyncio.timeout(300):
            try:
                ended: Report | SpyglassError = await research(QUESTION, settings=settings, on_event=events.append)
            except SpyglassError as error:
                ended = error
    [last] = [event for event in events if isinstance(event, RunEnded)]
    assert last.outcome in get_args(Outcome), cell
    if isinstance(ended, Report):
        assert_honest(ended, world)
    assert last.outcome == (ended.outcome if isinstance(ended, Report) else "failed"), cell
    assert world.faults or cell == SOUND, cell
    return last.outcome


def assert_honest(report: Report, world: World) -> None:
    """Assert that a report cites what was read, verifies, and tells what failed."""
    cell = world.cell
    assert {reference.url for reference in report.references} <= world.answered, cell
    assert verify(report).mismatches == [], cell
    assert report.citations, (cell, "half of the calls answer, and a report comes of it")
    assert report.outcome in ("complete", "partial"), cell
    assert bool(report.failures) == (report.outcome == "partial"), (cell, report.failures)
    assert all(str(failure.why).split("(")[0].strip(" .")[:20] in report.markdown for failure in report.failures), cell
    unread = {url for url in {world.web.url(v.path, v.host) for v in world.web.visits} if url not in world.answered}
    assert not unread or report.notices or report.failures, (cell, unread)


@pytest.mark.parametrize("start", range(BATCHES))
async def test_whatever_fails_a_run_ends_and_says_how(start: int, tmp_path: Path) -> None:
    before = Leftovers()
    await asyncio.gather(*(run(cell, tmp_path / str(number)) for number, cell in enumerate(CELLS[start::BATCHES])))
    assert await before.found() == []


async def test_without_a_fault_the_report_is_complete(tmp_path: Path) -> None:
    assert await run(SOUND, tmp_path) == "complete"
