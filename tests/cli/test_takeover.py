"""A run that somebody else may have made acts by today's settings, once it is confirmed whom it asks."""

import asyncio
import os
import pty
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from cli.command import COMMAND, environment, spyglass
from loopback import KEY, ModelServer
from runs.stranger import MARKER, Trap, handed_on, settings

KINDS: dict[str, dict[str, Any]] = {
    "report": {"kind": "report"},
    "search": {"kind": "search"},
    "research": {"kind": "research", "depth": 1, "max_sources": 1},
}


@pytest.fixture
async def trap() -> AsyncIterator[Trap]:
    async with Trap().running() as trap:
        yield trap


@pytest.fixture
def mine(files: Path, model_server: ModelServer) -> dict[str, str]:
    """The user's own settings of today, with keys for everybody."""
    model_server.play(lambda asked: "{}" if asked.schema else "The harbour was built in 1871 [S1.1].")
    keys = ("KEY", "OPENAI_API_KEY", "TAVILY_API_KEY", "BRAVE_API_KEY", "RERANK__KEY")
    return {
        "SPYGLASS_PROVIDER": "openai",
        "SPYGLASS_MODEL": "mine",
        "SPYGLASS_BASE_URL": model_server.base_url("openai"),
        "SPYGLASS_DB": str(files),
        "SPYGLASS_RETRIEVAL__DENSE": "false",
        **{f"SPYGLASS_{name}": KEY for name in keys},
    }


def kept_of(tmp_path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in (tmp_path / "data").rglob("*") if file.is_file())


async def test_it_asks_and_reads_what_todays_settings_name_and_nobody_of_the_strangers(
    tmp_path: Path, trap: Trap, mine: dict[str, str], model_server: ModelServer
) -> None:
    file = handed_on(tmp_path / "run.sqlite", settings(trap, tmp_path / "private"))
    for command in (("resume", file), ("replay", file, "--from", "1"), ("replay", file, "--from", "1", "--no-model")):
        asked = len(model_server.requests)
        ran = await asyncio.to_thread(spyglass, tmp_path, *command, "--yes", **mine)
        assert ran.returncode == 0, ran.stderr
        assert "1871" in ran.stdout
        assert "wurde von run.sqlite übernommen" in ran.stdout
        assert "Zusammenfassung" in ran.stdout, "the language is part of what was asked"
        assert (len(model_server.requests) > asked) == ("--no-model" not in command)
        assert MARKER not in ran.stdout
    assert trap.received == []
    assert MARKER.encode() not in kept_of(tmp_path)
    assert all(MARKER not in one.user for one in model_server.requests)


async def test_unless_it_is_confirmed_nothing_is_asked_and_whom_it_would_ask_is_shown(
    tmp_path: Path, trap: Trap, mine: dict[str, str], model_server: ModelServer, files: Path
) -> None:
    for kind, makes in KINDS.items():
        file = handed_on(tmp_path / f"{kind}.sqlite", settings(trap, tmp_path / "private"), makes)
        for command in (("resume", file), ("resume", file, "--quiet"), ("replay", file, "--from", "1")):
            ran = await asyncio.to_thread(spyglass, tmp_path, *command, **mine)
            assert (ran.returncode, ran.stdout) == (2, ""), ran.stderr
            assert "Add --yes" in ran.stderr
            assert f"- Ask the model openai mine, {model_server.base_url('openai')}, with your key" in ran.stderr
            assert (str(files) in ran.stderr) == (kind == "report")
            assert f'- base_url = "{trap.url}/v1"' in ran.stderr
            assert KEY not in ran.stderr
    assert trap.received == []
    assert model_server.requests == []
    assert not (tmp_path / "data" / "runs").exists()


async def test_at_a_terminal_one_is_asked(
    tmp_path: Path, trap: Trap, mine: dict[str, str], model_server: ModelServer
) -> None:
    file = handed_on(tmp_path / "run.sqlite", settings(trap, tmp_path / "private"))

    def answered(letter: bytes) -> int:
        ours, theirs = pty.openpty()
        with subprocess.Popen(
            [*COMMAND, "resume", str(file)],
            cwd=tmp_path,
            env=environment(tmp_path, **mine),
            stdin=theirs,
            stdout=subprocess.DEVNULL,
            stderr=theirs,
        ) as process:
            os.close(theirs)
            told = b""
            while b"[y/N]" not in told:
                told += os.read(ours, 65_536)
            os.write(ours, letter + b"\n")
            try:
                while os.read(ours, 65_536):
                    pass
            except OSError:  # it has ended
                os.close(ours)
        return process.returncode

    assert await asyncio.to_thread(answered, b"n") == 1
    assert model_server.requests == []
    assert await asyncio.to_thread(answered, b"y") == 0
    assert model_server.requests
    assert trap.received == []


async def test_once_taken_over_it_is_ones_own_and_what_it_had_is_used(
    tmp_path: Path, mine: dict[str, str], model_server: ModelServer, files: Path
) -> None:
    def ran(*arguments: str | Path, home: str = "data") -> str:
        done = spyglass(tmp_path, *arguments, "--quiet", **mine, SPYGLASS_DATA_DIR=str(tmp_path / home))
        assert done.returncode == 0, done.stderr
        return done.stdout

    exported = tmp_path / "run.sqlite"
    made = await asyncio.to_thread(ran, "report", "When was the harbour built?")
    await asyncio.to_thread(spyglass, tmp_path, "export", "last", exported)
    before, asked = exported.read_bytes(), len(model_server.requests)
    again = await asyncio.to_thread(ran, "resume", exported, "--yes", home="elsewhere")
    assert len(model_server.requests) == asked, "nothing is asked twice"
    body = made.partition("## Summary")[2].partition("## What was searched")[0]
    assert body
    assert body in again
    assert exported.read_bytes() == before
    assert await asyncio.to_thread(ran, "resume", "last", home="elsewhere") == again
    assert await asyncio.to_thread(ran, "replay", "last", home="elsewhere") == again
    anew = await asyncio.to_thread(ran, "replay", exported, "--from", "writing", "--length", "short", "--yes")
    assert "1871" in anew
