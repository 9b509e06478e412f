"""Whatever a run waits for, and however long, it ends when it is stopped or cancelled, and leaves nothing behind."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from fetch.processes import beneath
from lasting import FOR_EVER, LONG
from leftovers import Leftovers, converting
from loopback import Fault, Hit, Hits, ModelServer, PromptRequest, Reply, Say, SearchServer, WebServer
from spyglass import research
from spyglass.kernel.events import Event, RunEnded
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.report import Report

QUESTION = "How did the harbour of Altmere come to be, and what became of it?"
PLAN = json.dumps({"tasks": [{"task": "the depth", "agent": "quick-searcher", "queries": ["harbour depth"]}]})
ENDLESS_SCRIPT = "<html><body><div id=root></div><script>while(true){}</script><noscript>Enable JavaScript.</noscript>"


@dataclass
class World:
    """The servers, and what a user sets to meet them."""

    web: WebServer
    search: SearchServer
    model: ModelServer
    folder: Path
    overrides: dict[str, Any] = field(default_factory=dict)

    def finds(self, *urls: str) -> None:
        """Have every search find these."""
        self.search.script(Hits(tuple(Hit(url, f"The harbour {url}") for url in urls)))

    @property
    def settings(self) -> Settings:
        given = {
            "web": True,
            "data_dir": self.folder / "data",
            "network.allow_private": ["127.0.0.0/8"],
            "retrieval.dense": False,
            **FOR_EVER,
            **self.search.settings("searxng"),
            **self.overrides,
        }
        return Settings(**given)

    def asks(self, provider: str, **more: Any) -> None:
        """Have a model of a provider."""
        base_url = self.model.base_url(provider)
        self.overrides |= {"provider": provider, "model": "m", "key": "sk-0123456789", "base_url": base_url, **more}


@pytest.fixture
def world(web_server: WebServer, search_server: SearchServer, model_server: ModelServer, tmp_path: Path) -> World:
    found = World(web_server, search_server, model_server, tmp_path)
    found.finds(web_server.put_article("/harbour", "The harbour of Altmere"))
    return found


Place = Callable[[World], Callable[[], bool]]
"""Brings a world into a state in which a run hangs there; what it returns says whether it does."""

PLACES: dict[str, Place] = {}


def place(name: str) -> Callable[[Place], Place]:
    def keep(one: Place) -> Place:
        PLACES[name] = one
        return one

    return keep


def plans(asked: PromptRequest) -> bool:
    """Say whether the model is asked for the plan."""
    return asked.system.startswith("You plan")


def _planner(provider: str) -> Place:
    def hang(world: World) -> Callable[[], bool]:
        world.asks(provider)
        world.model.script(Fault("hang"))
        return lambda: bool(world.model.requests)

    return hang


def _writer(provider: str, act: Say | Fault) -> Place:
    def hang(world: World) -> Callable[[], bool]:
        world.asks(provider)
        world.model.play(lambda asked: PLAN if plans(asked) else act)
        return lambda: len(world.model.requests) > 1

    return hang


for provider in ("openai", "google", "ollama"):
    PLACES[f"{provider}: the plan"] = _planner(provider)
    PLACES[f"{provider}: the writer's stream"] = _writer(provider, Say("The harbour is deep. " * 400, pause=0.2))


@place("a model's limiter")
def _limiter(world: World) -> Callable[[], bool]:
    world.asks("openai", models__concurrency=1)
    world.model.play(lambda asked: PLAN if plans(asked) else Fault("hang"))
    return lambda: len(world.model.requests) > 1


@place("a pause before the next attempt")
def _pause(world: World) -> Callable[[], bool]:
    world.asks("openai")
    world.model.script(Fault(429, headers={"Retry-After": "30"}))
    return lambda: bool(world.model.requests)


@place("a search")
def _search(world: World) -> Callable[[], bool]:
    world.search.script(Fault("hang"))
    return lambda: bool(world.search.requests)


def _page(path: str) -> Place:
    def hang(world: World) -> Callable[[], bool]:
        world.finds(world.web.url(path))
        return lambda: bool(world.web.visits_to(path))

    return hang


for path in ("/hang", "/drip", "/stall", "/slow-headers"):
    PLACES[f"a page: {path}"] = _page(path)


@place("robots.txt")
def _robots(world: World) -> Callable[[], bool]:
    world.overrides["fetch.robots"] = True
    world.web.put("/robots.txt", Reply("", delay=600))
    return lambda: bool(world.web.visits_to("/robots.txt"))


@place("a turn at a host")
def _turn(world: World) -> Callable[[], bool]:
    world.overrides["fetch.host_pause"] = 600
    world.finds(*(world.web.put_article(f"/a{n}", f"The harbour {n}") for n in range(4)))
    return lambda: bool(world.web.visits_to("/a0"))


@place("the browser's page")
def _browser(world: World) -> Callable[[], bool]:
    world.finds(world.web.put("/spin", ENDLESS_SCRIPT))
    return lambda: len(world.web.visits_to("/spin")) > 1


@place("the browser's start")
def _starting(world: World) -> Callable[[], bool]:
    world.finds(world.web.put("/spin", ENDLESS_SCRIPT))
    return lambda: bool(world.web.visits_to("/spin")) and any("playwright" in line for line in beneath().values())


@place("a document from the web")
def _document(world: World) -> Callable[[], bool]:
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    world.finds(world.web.put("/long.docx", Reply(LONG, content_type=kind)))
    return converting


@place("a document in a folder")
def _file(world: World) -> Callable[[], bool]:
    folder = world.folder / "files"
    folder.mkdir()
    (folder / "long.docx").write_bytes(LONG)
    world.overrides |= {"db": [folder], "web": False}
    return converting


@place("a provider's embedder")
def _embedder(world: World) -> Callable[[], bool]:
    base_url = world.model.base_url("openai")
    world.overrides |= {
        "rerank.method": "dense",
        "embedder": {"provider": "openai", "model": "e", "key": "sk", "base_url": base_url},
    }
    world.model.script(Fault("hang"))
    return lambda: bool(world.model.embedded)


everywhere = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.browser] if "browser" in name else []) for name in PLACES]
)


async def ended(
    world: World, name: str, end: Callable[[Run, "asyncio.Task[Report]"], object]
) -> "asyncio.Task[Report]":
    """Let a run hang at a place, end it, and wait until nothing of it is left."""
    there = PLACES[name](world)
    runs: list[Run] = []
    events: list[Event] = []
    before = Leftovers()
    async with asyncio.timeout(120):
        making = asyncio.create_task(
            research(QUESTION, settings=world.settings, on_start=runs.append, on_event=events.append)
        )
        while not there():  # noqa: ASYNC110 servers and processes tell nobody
            await asyncio.sleep(0.02)
        await asyncio.sleep(0.1)
        assert not making.done(), "it does not hang there"
        end(runs[0], making)
        await asyncio.wait([making])
    assert await before.found() == []
    assert [event.outcome for event in events if isinstance(event, RunEnded)] == ["cancelled"]
    return making


@everywhere
async def test_a_run_that_is_stopped_ends_with_a_report(world: World, name: str) -> None:
    report = (await ended(world, name, lambda run, _: run.stop())).result()
    assert report.outcome == "cancelled"
    assert "The run was stopped before it finished" in report.markdown


@everywhere
async def test_a_run_that_is_cancelled_ends_and_leaves_nothing(world: World, name: str) -> None:
    assert (await ended(world, name, lambda _, making: making.cancel())).cancelled()
