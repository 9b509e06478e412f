"""A process that the service keeps ready makes the next report, and ends with the service."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from loopback import ModelServer
from serve.conftest import Serving
from serve.test_runs import DEPTH, QUESTION, call, ended
from spyglass.cli.background import rehearse
from spyglass.kernel.settings import Settings

READY = b"\0background\0"


def ready() -> set[int]:
    """Return the processes that this one keeps ready or has at a run."""
    found = set[int]()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            command = (process / "cmdline").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if parent == os.getpid() and READY in command:
            found.add(int(process.name))
    return found


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "harbour.md").write_text(f"# The harbour\n\n{DEPTH}\n")
    return tmp_path / "files"


@pytest.mark.kill
@pytest.mark.parametrize("killed", [False, True])
async def test_it_makes_the_next_report_and_one_that_was_killed_is_no_loss(
    serving: Serving, files: Path, killed: bool
) -> None:
    others = await asyncio.to_thread(ready)
    async with serving(db=[files], serve__spare=True) as base:
        async with asyncio.timeout(30):
            while not (new := await asyncio.to_thread(ready) - others):  # noqa: ASYNC110 a process has no event for it
                await asyncio.sleep(0.1)
        (before,) = new
        if killed:
            os.kill(before, signal.SIGKILL)
        status, began = await call(f"{base}/runs", {"q": QUESTION, "web": False})
        assert status == 202
        assert (before in await asyncio.to_thread(ready)) is not killed
        assert (await ended(base, began["id"]))["outcome"] == "complete"
        assert DEPTH.rstrip(".") in (await call(f"{base}/runs/{began['id']}/report.md"))[1]
    async with asyncio.timeout(30):
        while await asyncio.to_thread(ready) - others:  # noqa: ASYNC110 a process has no event for it
            await asyncio.sleep(0.1)


async def test_getting_ready_asks_no_model_and_keeps_nothing(
    model_server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {"PROVIDER": "openai", "MODEL": "m", "BASE_URL": model_server.base_url("openai"), "KEY": "none"}
    for name, value in given.items():
        monkeypatch.setenv(f"SPYGLASS_{name}", value)
    settings = await asyncio.to_thread(Settings.load)
    assert settings.provider == "openai"
    await asyncio.to_thread(rehearse, settings)
    assert model_server.requests == []
    assert not (tmp_path / "data" / "runs").exists()


def test_getting_ready_reads_in_what_searching_reading_pages_and_the_model_take(model_server: ModelServer) -> None:
    given = {"provider": "openai", "model": "m", "base_url": model_server.base_url("openai"), "key": "none"}
    code = (
        "import json, sys; from spyglass import Settings; from spyglass.cli.background import rehearse; "
        "rehearse(Settings(**json.loads(sys.argv[1]))); "
        "print(*(name for name in sys.argv[2:] if name not in sys.modules))"
    )
    taken = ["aiohttp", "trafilatura", "spyglass.search.searxng", "openai.resources.chat.completions"]
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(given), *taken], check=True, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == ""
    assert model_server.requests == []
