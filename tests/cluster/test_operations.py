"""What an operator does: restarts services one after another, and brings a backup back."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from cluster.services import served
from cluster.world import QUESTION, command, machine, slow_world, world
from loopback import ModelServer, WebServer
from postgres import a_database
from rag.shelf import fill, found, ingested
from serve.test_runs import call, streamed
from spyglass.kernel.database.database import database_at
from spyglass.kernel.settings import Settings

GUIDE = Path(__file__).parents[2] / "docs" / "cluster.md"

pytestmark = [pytest.mark.cluster, pytest.mark.kill]


async def test_a_service_that_is_stopped_in_the_midst_of_a_run_leaves_it_to_another(
    database_url: str, web_server: WebServer, model_server: ModelServer, tmp_path: Path
) -> None:
    given, whole, half = await slow_world(web_server, model_server, tmp_path)
    one, other = (machine(tmp_path / name, database_url, **given) for name in ("one", "other"))
    async with served(**one) as first, served(**other) as second:
        _, began = await call(f"{first.address}/runs", {"q": QUESTION})
        following = asyncio.create_task(streamed(f"{second.address}/runs/{began['id']}/events"))
        await half.wait()
        answered = {asked.user for asked in model_server.requests[:-1]}
        await first.vanish()
        model_server.requests.clear()
        async with asyncio.timeout(60):
            _, events, _ = await following
        assert (events[-2].name, events[-1].data["outcome"]) == ("RunEnded", "complete"), "the same stream goes on"
        assert (await call(f"{second.address}/runs/{began['id']}/report.md"))[1] == whole
    assert not answered & {asked.user for asked in model_server.requests}


async def test_a_backup_that_is_restored_has_every_run_with_its_report_and_the_index_of_documents(
    postgres: Any, database_url: str, web_server: WebServer, model_server: ModelServer, tmp_path: Path
) -> None:
    code, report, told = await command(
        "report", QUESTION, **machine(tmp_path / "here", database_url, **world(web_server, model_server))
    )
    assert code == 0, told
    files = fill(tmp_path / "files")
    here = Settings(data_dir=tmp_path / "here", database_url=SecretStr(database_url))
    assert (await ingested(here, files)).embedded == 3
    with a_database(postgres) as restored:
        path = f"{postgres.bin_path}:{os.environ['PATH']}"
        given = {"PATH": path, "SPYGLASS_DATABASE_URL": database_url, "EMPTY_DATABASE": restored}
        for line in GUIDE.read_text(encoding="utf-8").splitlines():
            if line.startswith(("pg_dump ", "pg_restore ")):
                process = await asyncio.create_subprocess_shell(
                    line, cwd=tmp_path, env=given, stderr=asyncio.subprocess.PIPE
                )
                _, wrong = await process.communicate()
                assert process.returncode == 0, wrong.decode()
        there = machine(tmp_path / "there", restored)
        code, again, told = await command("replay", "last", **there)
        assert (code, again) == (0, report), told
        there_too = here.updated(database_url=SecretStr(restored))
        assert (await ingested(there_too, files)).unchanged == 3
        for query in ("queen bees", "What pulls at the ocean?"):
            hits = [(hit.path, hit.passage.start) for hit in await found(there_too, files, query)]
            assert hits == [(hit.path, hit.passage.start) for hit in await found(here, files, query)] != []
        for url in (database_url, restored):
            await asyncio.to_thread(database_at(url).close)
