"""A whole run asks nobody but whom the user configured: no library of ours tells its maker anything."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.command import environment
from loopback import ModelServer, Say, SearchServer, WebServer, island
from loopback.island import watched
from tools.sites import finds, put

AUDITED = """
import json, sys
told = open(sys.argv.pop(1), "a")
def hear(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        if not isinstance(arguments[1], (str, bytes)):
            print(json.dumps(["to", *arguments[1][:2]]), file=told, flush=True)
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        print(json.dumps(["name", str(arguments[0])]), file=told, flush=True)
sys.addaudithook(hear)
sys.argv[0] = "spyglass"
from spyglass.cli import main
main()
"""
"""The command, with a note of each name that is asked for and each address that something is sent to."""

QUESTION = "How deep is the Altmere harbour basin?"
DEPTH = "The basin of the Altmere harbour is seven metres deep at low water."


async def whole(folder: Path) -> tuple[list[Any], list[str]]:
    """Ingest a folder and write a report of it and of the web; return what was reached, and what was configured."""
    files, notes = folder / "files", folder / "notes"
    files.mkdir()
    (files / "harbour.md").write_text(f"# The harbour\n\nIt was built in 1871. {DEPTH}\n")
    (files / "harbour.html").write_text(f"<html><body><h1>The harbour</h1><p>{DEPTH}</p></body></html>")
    async with ModelServer().running() as models, SearchServer().running() as engine, WebServer().running() as web:
        finds(engine, put(web, "127.0.0.1", "/depth", DEPTH))
        models.script(Say("ready"))
        (folder / "c.toml").write_text(
            f'search.engines = ["searxng"]\nsearch.engine_urls = {{ searxng = "{engine.url}/searxng" }}\n'
            'browser.mode = "never"\n'
            f'network.allow_private = ["127.0.0.1:{web.port}"]\nprovider = "openai"\nmodel = "m"\nmodels.attempts = 1\n'
            f'base_url = "{models.url}/v1"\n'
        )
        for arguments in (
            ("ingest", str(files)),
            ("report", QUESTION, "--files", str(files), "--web", "--out", "report.json"),
        ):
            command = [sys.executable, "-c", AUDITED, str(notes), *arguments, "--config", "c.toml"]
            ran = await asyncio.to_thread(
                subprocess.run,
                command,
                cwd=folder,
                env=environment(folder),
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
            )
            assert ran.returncode in (0, 3), ran.stderr
        configured = [f"127.0.0.1:{server.port}" for server in (models, engine, web)]
    assert engine.requests, "the web was not searched"
    assert models.requests, "no model was asked"
    assert web.visits_to("/depth"), "no page was read"
    return [json.loads(line) for line in notes.read_text().splitlines()], configured


async def test_a_whole_run_asks_only_whom_the_user_configured(tmp_path: Path) -> None:
    reached, configured = await whole(tmp_path)
    assert {f"{place[1]}:{place[2]}" for place in reached if place[0] == "to"} == set(configured)
    assert {place[1] for place in reached if place[0] == "name"} <= {"127.0.0.1"}
    assert list((tmp_path / "home").rglob("*")) == []  # where onnxruntime keeps what it is going to tell


def on_island(folder: str) -> list[str]:
    with watched() as packets:
        asyncio.run(whole(Path(folder)))
    return list(map(str, packets))


@pytest.mark.slow
@pytest.mark.skipif(island.reason() != "", reason=f"no network namespace: {island.reason()}")
def test_a_whole_run_sends_no_packet_to_anybody_else(tmp_path: Path) -> None:
    assert island.run(on_island, str(tmp_path)) == []
