"""Many runs in one process: each keeps to its own, none waits for a greedy one, and nothing is left of them."""

import asyncio
import gc
import json
import logging
import os
import re
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from fetch.processes import beneath
from loopback import PROSE, ModelAt, ModelServer, PromptRequest, Say, WebServer
from loopback import model_at as model_at
from spyglass import Pool, Report, research
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.sentence import sentence_spans
from spyglass.kernel.settings import Settings
from spyglass.model.model import Prompt
from web.engine import put_engine

AT_ONCE, GROUPS, GROUP = 12, 6, 5
PAGES = 4
PLACES = 2
"""Calls that the model's server takes at once."""

MOST_KEPT = 1_000
"""Blocks of memory that a run may leave; it holds some hundred thousand while it lasts."""

TOPIC = re.compile(r"isle\d+")
SOURCE = re.compile(r'<source id="(S[\d.]+)"[^>]*>\n(.*?)\n</source>', re.DOTALL)


@pytest.fixture
def settings(tmp_path: Path, web_server: WebServer, model_server: ModelServer) -> Settings:
    """A web with pages about each isle, and a model that plans and writes about the one that it is asked about."""
    put_engine(web_server, lambda query: pages(web_server, query))
    model_server.play(lambda asked: Say(answer(asked), delay=0.01))
    return Settings(
        data_dir=tmp_path / "data",
        web=True,
        searxng_url=web_server.url(),
        network__allow_private=["127.0.0.0/8"],
        provider="openai",
        model="m",
        base_url=model_server.base_url("openai"),
        models__concurrency=PLACES,
        cache__page_hours=0,
        effort="normal",
    )


def pages(server: WebServer, query: str) -> list[str]:
    found = TOPIC.search(query)
    isle = found[0] if found else "isle0"
    return [
        server.put_article(
            f"/{isle}/{number}", f"{isle} {number}", f"The harbour of {isle} has {number + 2} moles.", PROSE[number]
        )
        for number in range(PAGES)
    ]


def answer(asked: PromptRequest) -> str:
    blocks = SOURCE.findall(asked.user)
    if blocks:
        said = [(label, text[slice(*sentence_spans(text)[0])]) for label, text in blocks]
        return " ".join(f"{sentence.rstrip('.')} [{label}]." for label, sentence in said)
    found = TOPIC.search(asked.user)
    task = {"task": "the harbour", "agent": "quick-searcher", "queries": [f"harbour of {found[0]}"] if found else []}
    return json.dumps({"tasks": [task], "sections": ["The harbour"]})


RUNS: list[weakref.ref[Run]] = []
"""The runs of the test, as long as anything holds them."""


async def asked_about(isle: int, settings: Settings, pool: Pool, **changes: Any) -> Report:
    question = f"How did the harbour of isle{isle} develop, and who uses it?"
    given = settings.updated(**changes)
    return await research(question, settings=given, pool=pool, on_start=lambda run: RUNS.append(weakref.ref(run)))


class Leftovers:
    """What this process has now, to be compared with what it has later."""

    def __init__(self, *servers: ModelServer | WebServer) -> None:
        self._servers = servers
        self._before = self._now()

    def _now(self) -> tuple[int, set[str], set[str], set[int]]:
        tasks = {str(task.get_coro()) for task in asyncio.all_tasks() if "RequestHandler" not in str(task.get_coro())}
        threads = {thread.name for thread in threading.enumerate() if not thread.name.startswith("asyncio_")}
        return len(os.listdir("/proc/self/fd")), tasks, threads, set(beneath())  # noqa: PTH208 a list, to be counted

    async def none(self) -> None:
        """Raise AssertionError unless all that there is was there before; the servers have a moment to notice."""
        async with asyncio.timeout(60):
            while any(server.connections() for server in self._servers):  # noqa: ASYNC110 nobody tells
                await asyncio.sleep(0.02)
        gc.collect()
        (files, *others), (most, *before) = self._now(), self._before
        assert others == before
        assert files <= most, "what an earlier test left to be closed may have been"


@pytest.mark.slow
async def test_a_dozen_runs_at_once_keep_to_their_own_and_leave_nothing(
    settings: Settings, web_server: WebServer, model_server: ModelServer
) -> None:
    async with Pool() as pool:
        await asked_about(99, settings, pool)  # whatever a process opens once is open now
    leftovers = Leftovers(web_server, model_server)
    model_server.requests.clear()
    model_server.most_at_once = 0
    async with Pool() as pool:
        reports = await asyncio.gather(*(asked_about(isle, settings, pool) for isle in range(AT_ONCE)))
        assert model_server.connections() <= PLACES
    for isle, report in enumerate(reports):
        assert report.sources
        assert set(TOPIC.findall(report.markdown)) == {f"isle{isle}"}
        assert all(f"/isle{isle}/" in source.url for source in report.sources)
    assert sum(report.spending.calls for report in reports) == len(model_server.requests)
    assert model_server.most_at_once == PLACES
    assert len({report.run for report in reports}) == AT_ONCE
    await leftovers.none()


@pytest.mark.slow
async def test_runs_leave_no_memory_behind(
    settings: Settings, web_server: WebServer, model_server: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL, logger="spyglass")  # the tests keep whatever is logged
    held = []
    RUNS.clear()
    async with Pool() as pool:
        for _ in range(GROUPS):
            small = [asked_about(isle, settings, pool, effort="quick", research__max_pages=1) for isle in range(GROUP)]
            await asyncio.gather(*small)
            for seen in (web_server.visits, model_server.requests):
                seen.clear()
            gc.collect()
            held.append(sys.getallocatedblocks())
        assert len(RUNS) == GROUPS * GROUP
        assert not [run for run in RUNS if run() is not None]
    assert (min(held[-2:]) - min(held[-4:-2])) / (2 * GROUP) < MOST_KEPT, held


async def test_what_one_run_may_reach_another_may_not(settings: Settings, web_server: WebServer) -> None:
    async with Pool() as pool:
        free, bound = await asyncio.gather(
            asked_about(1, settings, pool), asked_about(2, settings, pool, network__allow_private=[])
        )
        again = await asked_about(3, settings, pool, network__allow_private=[])
    assert free.sources
    assert web_server.visits_to("/isle1/0")
    assert bound.sources == again.sources == []
    assert not [visit for visit in web_server.visits if visit.path.startswith(("/isle2/", "/isle3/"))]


async def test_runs_that_ask_the_same_new_folder_at_once_read_it_once(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "harbour.md").write_text(
        "# Harbour\n\nThe harbour of isle1 was built by Anna Berg in 1871.\n"
    )
    given = {"db": [tmp_path / "files"], "web": False, "provider": None, "model": None, "base_url": None}
    async with Pool() as pool:
        reports = await asyncio.gather(*(asked_about(1, settings, pool, **given) for _ in range(4)))
    for report in reports:
        assert "Anna Berg" in report.markdown
        assert not report.failures
        assert not [notice for notice in report.notices if "Another process" in str(notice)]


async def test_a_limit_of_one_run_is_none_of_another(settings: Settings) -> None:
    async with Pool() as pool:
        poor, rich = await asyncio.gather(
            asked_about(1, settings, pool, budget__max_calls=1, budget__max_fetches=1), asked_about(2, settings, pool)
        )
    assert poor.outcome == "partial"
    assert poor.spending.calls == 1 < rich.spending.calls
    assert len(poor.sources) <= 1 < len(rich.sources)


async def test_each_run_shows_its_own_key(settings: Settings, model_server: ModelServer) -> None:
    async with Pool() as pool:
        await asyncio.gather(*(asked_about(isle, settings, pool, key=SecretStr(f"sk-{isle}")) for isle in range(3)))
    shown = {(TOPIC.findall(asked.user)[0], asked.headers["Authorization"]) for asked in model_server.requests}
    assert shown == {(f"isle{isle}", f"Bearer sk-{isle}") for isle in range(3)}


async def test_a_run_with_many_calls_does_not_make_another_wait(
    settings: Settings, model_server: ModelServer, model_at: ModelAt
) -> None:
    model_server.script(Say("Yes.", delay=0.02))
    model = model_at("openai", models__concurrency=1)
    async with Pool() as pool, run_of("greedy", settings, pool) as greedy, run_of("modest", settings, pool) as modest:
        calls = [asyncio.create_task(model.complete(greedy, Prompt("", f"greedy {n}"), role="r")) for n in range(20)]
        await model_server.first_chat.wait()
        await model.complete(modest, Prompt("", "modest"), role="r")
        await asyncio.gather(*calls)
    assert [asked.user for asked in model_server.requests].index("modest") <= 2


def run_of(question: str, settings: Settings, pool: Pool) -> Run:
    return Run(question, settings, journal=Journal(), pool=pool)
