"""Every command that waits for the world, ended by Ctrl-C, by a second one, and by SIGTERM."""

import asyncio
import json
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest

from cli.command import COMMAND, environment, spyglass
from fetch.processes import all_ended, beneath
from lasting import FOR_EVER, LONG
from leftovers import converting
from loopback import Fault, ModelServer, Reply, SearchServer, WebServer
from runs.journals import recorded
from tools.sites import finds, put

QUESTION = "How deep is the Altmere harbour basin?"
DEPTH = "The basin of the Altmere harbour is seven metres deep at low water."

pytestmark = pytest.mark.kill


@dataclass
class World:
    """The servers, a folder to work in, and a page that every query finds."""

    folder: Path
    search: SearchServer
    web: WebServer
    model: ModelServer
    page: str

    def config(self, **more: object) -> str:
        """Write a configuration by which commands meet these servers, and return its name."""
        values: dict[str, object] = {
            "search.engines": ["searxng"],
            "network.allow_private": ["127.0.0.0/8"],
            "cache.page_hours": 0,
            "rerank.method": "lexical",
            "effort": "normal",
            **FOR_EVER,
            **more,
        }
        lines = [f"{name} = {json.dumps(value)}" for name, value in values.items()]
        lines.append(f'search.engine_urls = {{ searxng = "{self.search.url}/searxng" }}')
        (self.folder / "c.toml").write_text("\n".join(lines))
        return "c.toml"

    def long_document(self) -> str:
        """Make a folder with a document that takes its reader many seconds."""
        (self.folder / "long").mkdir()
        (self.folder / "long" / "a.docx").write_bytes(LONG)
        return "long"


@pytest.fixture
def world(tmp_path: Path, search_server: SearchServer, web_server: WebServer, model_server: ModelServer) -> World:
    page = put(web_server, "127.0.0.1", "/depth", DEPTH)
    finds(search_server, page)
    return World(tmp_path, search_server, web_server, model_server, page)


@dataclass
class Waiting:
    """A command that will wait, and what says that it does; `kept` says whether its run is listed."""

    arguments: Sequence[str]
    there: Callable[[], bool]
    kept: bool = False
    shown: str = ""


def a_model_hangs(world: World) -> dict[str, object]:
    world.model.script(Fault("hang"))
    base_url = world.model.base_url("openai")
    return {"provider": "openai", "model": "m", "key": "sk-0123456789", "base_url": base_url}


def report(world: World) -> Waiting:
    model = a_model_hangs(world)
    arguments = ["report", QUESTION, "--web", "--config", world.config(**model)]
    return Waiting(
        arguments, lambda: bool(world.model.requests), kept=True, shown="The run was stopped before it finished"
    )


def resume(world: World) -> Waiting:
    finds(world.search, world.page, world.web.url("/drip", "127.0.0.2"))
    config = world.config()
    command = [*COMMAND, "report", QUESTION, "--web", "--config", config]
    with subprocess.Popen(command, cwd=world.folder, env=environment(world.folder), stderr=subprocess.DEVNULL) as first:
        while not world.web.visits_to("/drip"):
            time.sleep(0.05)
        first.kill()
    seen = len(world.web.visits_to("/drip"))
    arguments = ["resume", "last", "--config", config]
    return Waiting(arguments, lambda: len(world.web.visits_to("/drip")) > seen, kept=True, shown="The run was stopped")


def search(world: World) -> Waiting:
    finds(world.search, world.web.url("/hang"))
    arguments = ["search", QUESTION, "--config", world.config(**{"search.max_pages": 1})]
    return Waiting(arguments, lambda: bool(world.web.visits_to("/hang")), kept=True)


def search_by_a_model(world: World) -> Waiting:
    arguments = ["search", QUESTION, "--stream", "--config", world.config(**a_model_hangs(world))]
    return Waiting(arguments, lambda: bool(world.model.requests), kept=True, shown=DEPTH)


def research(world: World) -> Waiting:
    finds(world.search, world.page, world.web.url("/drip", "127.0.0.2"))
    arguments = ["research", "Altmere harbour", "--config", world.config()]

    def one_page_is_read() -> bool:
        journals = (world.folder / "data" / "runs").glob("*/journal.sqlite")
        return bool(world.web.visits_to("/drip")) and any("fetch" in recorded(one).values() for one in journals)

    return Waiting(arguments, one_page_is_read, kept=True, shown=DEPTH)


def fetch(world: World) -> Waiting:
    arguments = ["fetch", world.web.url("/hang"), "--config", world.config()]
    return Waiting(arguments, lambda: bool(world.web.visits_to("/hang")))


def ingest(world: World) -> Waiting:
    return Waiting(["ingest", world.long_document(), "--config", world.config()], converting)


def find(world: World) -> Waiting:
    return Waiting(["find", QUESTION, "--files", world.long_document(), "--config", world.config()], converting)


def check(world: World) -> Waiting:
    (world.folder / "theirs.md").write_text(f"# Depth\n\n{DEPTH[:-1]} ([source]({world.web.url('/hang')})).\n")
    arguments = ["check", "theirs.md", "--web", "--config", world.config()]
    return Waiting(arguments, lambda: bool(world.web.visits_to("/hang")), kept=True, shown="1 not followed")


def check_a_document(world: World) -> Waiting:
    arguments = ["check", f"{world.long_document()}/a.docx", "--web", "--config", world.config()]
    return Waiting(arguments, converting, kept=True)


def verify(world: World) -> Waiting:
    made = spyglass(world.folder, "report", QUESTION, "--web", "--out", "r.json", "--config", world.config())
    assert made.returncode == 0, made.stderr
    world.web.put("/depth", Reply(delay=600), host="127.0.0.1")
    seen = len(world.web.visits)
    arguments = ["verify", "r.json", "--refetch", "--config", world.config()]
    return Waiting(arguments, lambda: len(world.web.visits) > seen, shown="cannot be read now: The run was stopped")


PLACES = (
    *(report, resume, search, search_by_a_model, research),
    *(fetch, ingest, find, check, check_a_document, verify),
)


@dataclass
class Ended:
    code: int
    out: str
    err: str


async def ended(world: World, waiting: Waiting, *signals: signal.Signals) -> Ended:
    """Start a command, send it signals once it waits, and return how it ended; nothing of it is left then."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND, *waiting.arguments,
        cwd=world.folder, env=environment(world.folder), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    async with asyncio.timeout(120):
        while not await asyncio.to_thread(waiting.there):
            assert process.returncode is None, (await process.communicate())[1].decode()
            await asyncio.sleep(0.05)
    await asyncio.sleep(0.1)
    children = beneath(process.pid)
    for one in signals:
        process.send_signal(one)
        await asyncio.sleep(0.05 if len(signals) > 1 else 0)
    out, err = await asyncio.wait_for(process.communicate(), 120)
    assert await all_ended(children) == []
    assert process.returncode is not None
    return Ended(process.returncode, out.decode(), err.decode())


def assert_told(world: World, waiting: Waiting, found: Ended) -> None:
    """Assert what is so however a command ends: without a warning, and listed as it ended."""
    assert "Traceback" not in found.err
    assert "Warning" not in found.err
    assert "never retrieved" not in found.err
    if waiting.kept:
        run = json.loads(spyglass(world.folder, "runs", "--json").stdout)[0]
        assert run["outcome"] == "cancelled"
        if run["resumable"] and found.code == 130:
            assert found.err.removesuffix("spyglass: stopped\n").endswith(f"spyglass resume {run['id']}\n")


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
async def test_ctrl_c_ends_a_command_and_shows_what_is_there(world: World, place: Callable[[World], Waiting]) -> None:
    waiting = await asyncio.to_thread(place, world)
    found = await ended(world, waiting, signal.SIGINT)
    assert found.code == 130, found.err
    assert waiting.shown in found.out, found
    await asyncio.to_thread(assert_told, world, waiting, found)


@pytest.mark.parametrize("place", [report, fetch, ingest, check_a_document], ids=lambda place: place.__name__)
async def test_sigterm_ends_a_command_and_leaves_nothing(world: World, place: Callable[[World], Waiting]) -> None:
    waiting = await asyncio.to_thread(place, world)
    found = await ended(world, waiting, signal.SIGTERM)
    assert found.code == 143, found.err
    assert "spyglass: terminated" in found.err
    await asyncio.to_thread(assert_told, world, waiting, found)


async def test_a_second_ctrl_c_does_not_wait_for_the_report(world: World) -> None:
    waiting = report(world)
    found = await ended(world, waiting, signal.SIGINT, signal.SIGINT)
    assert found.code == 130, found.err
    await asyncio.to_thread(assert_told, world, waiting, found)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_service_that_is_ended_ends_its_runs(world: World, number: signal.Signals) -> None:
    folder = world.long_document()
    config = world.config(db=[folder], web=False)
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "serve", "--port", "0", "--config", config,
        cwd=world.folder, env=environment(world.folder), stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    address = (await process.stderr.readline()).decode().split()[2]
    async with aiohttp.ClientSession() as session, session.post(f"{address}/report", json={"q": QUESTION}) as stream:
        await stream.content.readline()
        while not await asyncio.to_thread(converting):  # noqa: ASYNC110 nobody tells
            await asyncio.sleep(0.05)
        children = beneath(process.pid)
        process.send_signal(number)
        told = (await process.stderr.read()).decode()
        code = await asyncio.wait_for(process.wait(), 120)
    assert await all_ended(children) == []
    assert code in (130, 143, -number), told
    assert "Traceback" not in told
    [run] = json.loads((await asyncio.to_thread(spyglass, world.folder, "runs", "--json")).stdout)
    assert run["outcome"] == "cancelled"
