"""A run that is killed at any instant is finished later: the same report, only what was in flight is asked again."""

import asyncio
import json
import os
import re
import shutil
import signal
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from loopback import WebServer
from loopback.web import HOSTS
from report.shelf import HIVES, HONEY, WASPS
from runs import pages
from runs.journals import recorded
from runs.victim import JOURNAL
from spyglass.kernel.journal import Answer, Journal, effect_key

pytestmark = [pytest.mark.kill, pytest.mark.slow]
VICTIM = Path(__file__).parent / "victim.py"
MOMENTS = ("before", "between", "after")
FILES = {
    "how bees dance": (
        "local-retrieval",
        ["waggle dance of bees", "direction and distance of flowers", "queen of bees"],
    ),
    "how wasps build": ("local-retrieval", ["wasps build nests of paper", "wood of a nest", "young queens of wasps"]),
    "how a hive is kept": ("local-retrieval", ["wooden hive with frames", "honey of a colony", "frames of a hive"]),
    "what a colony needs": ("local-retrieval", ["workers of a colony", "flowers for foragers", "winter of a queen"]),
    "what bees see": ("quick-searcher", ["colours that bees see", "eyes of a bee"]),
    "what wasps eat": ("quick-searcher", ["food of wasps", "wasps hunt flies"]),
}
START = {"reading": "start"}
PAGES = (
    ("What bees see", "Bees see ultraviolet colours with their five eyes, and a bee sees no red."),
    ("What wasps eat", "Wasps hunt flies as food for their larvae, and a wasp likes sweet fruit."),
)
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00")
CHECKSUM = re.compile(r',"checksum":"[0-9a-f]{64}"')


@dataclass(frozen=True)
class World:
    """Where the lives of runs are lived, with which settings."""

    folder: Path
    settings: dict[str, Any]
    tasks: dict[str, Any]
    port: int = 0
    seconds: Sequence[float] = pages.SECONDS

    async def live(self, *lives: tuple[str, str, str]) -> list[tuple[Path, list[int]]]:
        """Live these lives (name, effect, moment), and return where each one was, and how its processes ended."""
        plan = self.folder / f"{lives[0][0]}.json"
        told = [dict(zip(("name", "effect", "moment"), life, strict=True)) for life in lives]
        web = {"port": self.port, "seconds": self.seconds}
        plan.write_text(json.dumps({"settings": self.settings, "tasks": self.tasks, **web, "lives": told}))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, str(VICTIM), str(plan), str(self.folder)),
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(VICTIM.parents[1]), *sys.path])},
        )
        try:
            out, _ = await asyncio.wait_for(process.communicate(), 500)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return [(self.folder / life["name"], life["ends"]) for life in map(json.loads, out.splitlines())]


def seeded(folder: Path) -> None:
    """Begin a run whose id and time all lives have."""
    journal = Journal(folder / "seed" / JOURNAL)
    journal.put("id", "0123456789ab")
    journal.record(effect_key("clock", START), "clock", START, Answer(value="2026-03-01T10:00:00+00:00"))
    journal.close()


@pytest.fixture
def world(tmp_path: Path, web_server: WebServer) -> World:
    """Five questions to three files and two pages, and a model that plans, sums up and writes."""
    files = tmp_path / "files"
    files.mkdir()
    for name, text in (("bees.md", HONEY), ("wasps.md", WASPS), ("hives.md", HIVES)):
        (files / name).write_text(text, encoding="utf-8")
    seeded(tmp_path / "lives")
    settings = {
        "db": [str(files)],
        "retrieval.dense": False,
        "research.summarise": True,
        "report.sections": [
            "How bees dance",
            "How wasps build",
            "How a hive is kept",
            "What bees see",
            "What wasps eat",
        ],
        "web": False,
        "urls": [web_server.put_article(f"/{n}", title, f"{text} " * 9) for n, (title, text) in enumerate(PAGES)],
        "network.allow_private": ["127.0.0.0/8"],
        "cache.page_hours": 0,
    }
    return World(tmp_path / "lives", settings, FILES)


@pytest.fixture
def web_worlds(tmp_path: Path) -> list[World]:
    """For each of two processes a web of its own, in which three tasks search beside what is read for the question."""
    with socket.create_server((HOSTS[0], 0)) as one, socket.create_server((HOSTS[0], 0)) as other:
        ports = [free.getsockname()[1] for free in (one, other)]
    for port in ports:
        seeded(tmp_path / str(port))
    return [World(tmp_path / str(port), pages.settings(port), pages.TASKS, port) for port in ports]


def report_of(place: Path) -> list[str]:
    """Return a report in its formats; pages that had to be read again have the time at which they were."""
    return [
        CHECKSUM.sub("", TIME.sub("TIME", (place / f"report.{suffix}").read_text(encoding="utf-8")))
        for suffix in ("json", "md", "html")
    ]


def lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()


def deaths(kinds: dict[str, str], moments: Sequence[str] = MOMENTS) -> list[tuple[str, str, str]]:
    """Return lives that are killed at an effect: each effect but the first at one of the moments, in turn.

    An effect that is the first of its kind is met at each moment.
    """
    lives, seen = [], set[str]()
    for number, (key, kind) in enumerate(kinds.items()):
        chosen = moments if kind not in seen else [moments[number % len(moments)]]
        seen.add(kind)
        lives += [(f"{number:02} {kind} {moment}", key, moment) for moment in chosen if kind != "clock"]
    return lives


def require_same(base: Path, lived: Sequence[tuple[Path, list[int]]]) -> None:
    """Runs that were killed and resumed made the report of the other one, and asked again what was in flight."""
    report = report_of(base)
    for place, ends in lived:
        assert ends == [-signal.SIGKILL, 0], (place.name, (place / "error").read_text() if ends[-1] else ends)
        assert report_of(place) == report, place.name
        before, after = lines(place / "begun before"), lines(place / "begun")
        in_flight = set(before) - recorded(place / "dead.sqlite").keys()
        assert set(before) & set(after) <= in_flight, place.name
        prompts = lines(place / "prompts before"), lines(place / "prompts")
        assert len(set(prompts[0]) & set(prompts[1])) <= len(in_flight), place.name
        assert len(set(prompts[1])) == len(prompts[1]), place.name


async def test_killed_at_every_effect_boundary_it_makes_the_same_report_and_repeats_what_was_in_flight(
    world: World,
) -> None:
    [(first, _)] = await world.live(("first", "", ""))
    shutil.copytree(first / "data" / "index", world.folder / "seed" / "data" / "index")  # read once for all
    [(base, ends)] = await world.live(("base", "", ""))
    assert ends == [0], (base / "error").read_text()
    kinds = recorded(base / JOURNAL)
    assert len(kinds) >= 30
    lived = await world.live(("warm", "", ""), *deaths(kinds))
    await asyncio.to_thread(require_same, base, lived[1:])


async def test_killed_while_it_gathers_on_the_web_it_makes_the_same_report_though_it_goes_on_live(
    web_worlds: list[World],
) -> None:
    async def killed(world: World, moments: Sequence[str]) -> None:
        [(base, ends)] = await world.live(("base", "", ""))
        assert ends == [0], (base / "error").read_text()
        kinds = recorded(base / JOURNAL)
        names = list(kinds.values())
        assert (names.count("gather"), names.count("search")) == (4, 5)
        assert names.count("fetch") >= 8
        decided = len(names) - names[::-1].index("gather")
        amid = dict(list(kinds.items())[: decided + 1])
        lived = await world.live(("warm", "", ""), *deaths(amid, moments))
        await asyncio.to_thread(require_same, base, lived[1:])

    one, other = web_worlds
    await asyncio.gather(killed(one, ["before", "after"]), killed(other, ["between"]))


async def test_of_several_processes_one_owns_a_run_and_nothing_is_asked_twice(world: World) -> None:
    (base, _), (place, ends) = await world.live(("warm", "", ""), ("fight", "fight", ""))
    assert 0 in ends
    assert set(ends) <= {0, 1}
    if 1 in ends:
        assert "LeaseError" in (place / "error").read_text()
    prompts = lines(place / "prompts")
    assert sorted(prompts) == sorted(set(prompts)) == sorted(set(lines(base / "prompts")))
    assert report_of(place) == report_of(base)
