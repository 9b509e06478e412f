"""What an operator does: restarts services one after another, and brings a backup back."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from cluster.services import served
from cluster.world import QUESTION, command, machine, slow_world, world
from loopback import ModelServer, WebServer
from postgres import a_database
from serve.test_runs import said, streamed

pytestmark = [pytest.mark.cluster, pytest.mark.kill]


async def test_a_service_that_is_stopped_in_the_midst_of_a_run_leaves_it_to_another(
    database_url: str, web_server: WebServer, model_server: ModelServer, tmp_path: Path
) -> None:
    given, whole, half = await slow_world(web_server, model_server, tmp_path)
    one, other = (machine(tmp_path / name, database_url, **given) for name in ("one", "other"))
    async with served(**one) as first, served(**other) as second:
        _, began = await said(f"{first.address}/runs", {"q": QUESTION})
        following = asyncio.create_task(streamed(f"{second.address}/runs/{began['id']}/events"))
        await half.wait()
        answered = {asked.user for asked in model_server.asked[:-1]}
        await first.vanish()
        model_server.asked.clear()
        async with asyncio.timeout(60):
            _, events, _ = await following
        assert (events[-2].name, events[-1].data["outcome"]) == ("RunEnded", "complete"), "the same stream goes on"
        assert (await said(f"{second.address}/runs/{began['id']}/report.md"))[1] == whole
    assert not answered & {asked.user for asked in model_server.asked}


async def test_a_backup_that_is_restored_has_every_run_and_its_report(
    postgres: Any, database_url: str, web_server: WebServer, model_server: ModelServer, tmp_path: Path
) -> None:
    code, report, told = await command(
        "report", QUESTION, **machine(tmp_path / "here", database_url, **world(web_server, model_server))
    )
    assert code == 0, told
    tools, saved = postgres.bin_path, str(tmp_path / "saved.dump")
    await ran(str(tools / "pg_dump"), "--format=custom", "--schema=spyglass", f"--file={saved}", database_url)
    with a_database(postgres) as restored:
        await ran(str(tools / "pg_restore"), "--exit-on-error", "--no-owner", f"--dbname={restored}", saved)
        there = machine(tmp_path / "there", restored)
        code, again, told = await command("replay", "last", **there)
        assert (code, again) == (0, report), told


async def ran(*arguments: str) -> None:
    process = await asyncio.create_subprocess_exec(*arguments, stderr=asyncio.subprocess.PIPE)
    _, told = await process.communicate()
    assert process.returncode == 0, told.decode()
