"""A database that goes away in the midst of runs: they wait, or end in words, and lose nothing that was answered."""

import asyncio
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cluster.services import served
from cluster.world import QUESTION, command, machine, slow_world
from loopback import ModelServer, WebServer
from postgres import a_database, crash, server_of, start
from serve.test_runs import call, streamed

pytestmark = [pytest.mark.cluster, pytest.mark.kill]

AWAY = 8.0
"""Seconds for which the database is away, before it takes some more to start."""


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    """A database server that may go away."""
    server = server_of(secrets.token_hex(8))
    yield server
    server.cleanup()


async def test_while_the_database_is_away_runs_and_who_follows_them_wait_and_then_go_on(
    server: Any, web_server: WebServer, model_server: ModelServer, tmp_path: Path
) -> None:
    given, whole, half = await slow_world(web_server, model_server, tmp_path)
    with a_database(server) as url:
        async with served(**machine(tmp_path / "here", url, **given)) as service:
            _, began = await call(f"{service.address}/runs", {"q": QUESTION})
            following = asyncio.create_task(streamed(f"{service.address}/runs/{began['id']}/events"))
            await half.wait()
            await asyncio.to_thread(crash, server)
            run = f"{service.address}/runs/{began['id']}"
            asked = [run, *(f"{service.address}/{name}" for name in ("readyz", "healthz", "metrics"))]
            told, _ = await asyncio.gather(asyncio.gather(*map(call, asked)), asyncio.sleep(AWAY))
            assert [status for status, _ in told] == [503, 503, 200, 503]
            await asyncio.to_thread(start, server)
            async with asyncio.timeout(60):
                _, events, _ = await following
            assert (events[-2].name, events[-1].data["outcome"]) == ("RunEnded", "complete")
            assert (await call(f"{service.address}/runs/{began['id']}/report.md"))[1] == whole
    users = [asked.user for asked in model_server.requests]
    assert len(users) == len(set(users)), "nothing is asked twice"


async def test_a_run_whose_database_is_gone_for_good_says_so_and_goes_on_with_what_was_answered_when_it_is_back(
    server: Any, web_server: WebServer, model_server: ModelServer, tmp_path: Path
) -> None:
    given, whole, half = await slow_world(web_server, model_server, tmp_path)
    with a_database(server) as url:
        here = machine(tmp_path / "here", url, **given, SPYGLASS_RUNS__DATABASE_WAIT="1")
        making = asyncio.create_task(command("report", QUESTION, **here))
        await half.wait()
        await asyncio.to_thread(crash, server)
        code, _, told = await making
        assert code == 1, told
        assert "The database cannot be used" in told
        assert "reachable from this machine. Recorded answers are not requested again." in told
        answered = {asked.user for asked in model_server.requests[:-1]}
        model_server.requests.clear()
        await asyncio.to_thread(start, server)
        code, report, told = await command("resume", "last", **here)
        assert (code, report) == (0, whole), told
        assert not answered & {asked.user for asked in model_server.requests}
