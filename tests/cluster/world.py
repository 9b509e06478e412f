"""What a command needs in its environment to research a question of a loopback web with a loopback model."""

import asyncio
import json
import os
import sys
from pathlib import Path

from loopback import ModelServer, PromptRequest, Say, WebServer
from spyglass import research
from spyglass.kernel.settings import Settings
from test_many_runs import answer, pages
from web.engine import put_engine

QUESTION = "How did the harbour of isle1 develop, and who uses it?"
"""It is answered by the world below."""


def world(web: WebServer, model: ModelServer) -> dict[str, str]:
    """Have the servers play a web about isles and a model that plans and writes of them; return what leads there."""
    put_engine(web, lambda query: pages(web, query))
    model.play(lambda asked: Say(answer(asked), delay=0.01))
    return {
        "SPYGLASS_WEB": "true",
        "SPYGLASS_SEARXNG_URL": web.url(),
        "SPYGLASS_NETWORK__ALLOW_PRIVATE": json.dumps(["127.0.0.0/8"]),
        "SPYGLASS_PROVIDER": "openai",
        "SPYGLASS_MODEL": "m",
        "SPYGLASS_BASE_URL": model.base_url("openai"),
        "SPYGLASS_CACHE__PAGE_HOURS": "0",
        "SPYGLASS_EFFORT": "normal",
        "SPYGLASS_MODELS__CONCURRENCY": "1",
    }


async def undisturbed(given: dict[str, str], folder: Path) -> str:
    """Return the report on QUESTION that a run makes without a database."""
    settings = {name.removeprefix("SPYGLASS_").lower(): value for name, value in given.items()}
    settings.pop("network__allow_private")
    made = await research(
        QUESTION, settings=Settings(**settings, network__allow_private=["127.0.0.0/8"], data_dir=folder)
    )
    return made.markdown


def halfway(model: ModelServer, calls: int) -> asyncio.Event:
    """Have the model answer slowly, and return what is set once it has been asked half of what it will be."""
    model.requests.clear()
    half = asyncio.Event()

    def slow(asked: PromptRequest) -> Say:
        if len(model.requests) >= calls // 2:
            half.set()
        return Say(answer(asked), delay=0.3)

    model.play(slow)
    return half


async def slow_world(web: WebServer, model: ModelServer, folder: Path) -> tuple[dict[str, str], str, asyncio.Event]:
    """Return what leads to a world, the undisturbed report there, and what is set halfway through the next one."""
    given = world(web, model)
    whole = await undisturbed(given, folder / "alone")
    return given, whole, halfway(model, len(model.requests))


def machine(folder: Path, database_url: str, **more: str) -> dict[str, str]:
    """Return the environment of a machine of its own: its data lie in the folder."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder / "home"),
        "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"],
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "SPYGLASS_DATA_DIR": str(folder / "data"),
        "SPYGLASS_DATABASE_URL": database_url,
        "NO_PROXY": "127.0.0.1",
        **more,
    }


async def command(*arguments: str, **environment: str) -> tuple[int, str, str]:
    """Run the command to its end; return its exit code and what it wrote."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "spyglass", *arguments),
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    running.append(process)
    out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


running: list[asyncio.subprocess.Process] = []
"""The processes that were started, the last one last."""
