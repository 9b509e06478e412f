"""An MCP server that is a program is an engine: started once for a run, ended with it, without our secrets."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from loopback import WebServer
from spyglass.kernel.errors import SearchError, SettingsError
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.search.chain import search
from spyglass.search.engines import chain_of
from spyglass.search.result import SearchQuery
from spyglass.tools import web_search
from tools.sites import put

DEPTH = "The basin of the Altmere harbour is seven metres deep at low water."
PROGRAM = '''
import asyncio, os, sys
from pathlib import Path
from mcp.server import MCPServer

told = Path(sys.argv[1])
with told.open("a") as file:
    print(os.getpid(), *sorted(os.environ), file=file)
server = MCPServer("papers", log_level="ERROR")

@server.tool()
async def search(query: str) -> dict[str, list[dict[str, str]]]:
    """Search."""
    if "ends" in query:
        os._exit(1)
    if "hangs" in query:
        await asyncio.sleep(60)
    if "floods" in query:
        return {"results": [{"title": "x" * 3_000_000, "url": "https://papers.example/"}]}
    return {"results": [{"title": query, "url": sys.argv[2]}]}

server.run("stdio")
'''


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return settings_for(tmp_path)


def settings_for(tmp_path: Path, url: str = "https://papers.example/1", **more: Any) -> Settings:
    program = tmp_path / "papers.py"
    program.write_text(PROGRAM)
    command = f"{sys.executable} '{program}' '{tmp_path / 'told'}' {url}"
    given: dict[str, Any] = {"search__engines": ["papers"], "rerank__method": "lexical", "cache__page_hours": 0, **more}
    return Settings(data_dir=tmp_path / "data", search__mcp={"papers": command}, search__attempts=1, **given)


def begun(tmp_path: Path) -> list[list[str]]:
    """The process id and the environment's names of each program that was started."""
    return [line.split() for line in (tmp_path / "told").read_text().splitlines()]


def runs(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    return True


async def found(run: Run, text: str) -> list[str]:
    return [one.title for one in await search(run, SearchQuery(text=text))]


async def test_it_is_started_once_for_a_run_sees_no_secret_and_ends_with_it(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-secret")
    async with Run("Why?", settings, journal=Journal()) as run:
        assert await found(run, "harbour") == ["harbour"]
        assert await found(run, "basin") == ["basin"]
        ((pid, *names),) = begun(tmp_path)
        assert runs(pid)
    assert not runs(pid)
    assert "HTTPS_PROXY" in names
    assert not [name for name in names if "KEY" in name]


async def test_what_it_finds_is_read_and_counted_as_what_any_engine_finds(
    tmp_path: Path, web_server: WebServer
) -> None:
    url = put(web_server, "127.0.0.1", "/depth", DEPTH)
    settings = settings_for(tmp_path, url, network__allow_private=["127.0.0.0/8"], budget__max_searches=1)
    answer = await web_search("How deep is the Altmere harbour basin?", settings=settings)
    assert DEPTH in str(answer)
    assert len(begun(tmp_path)) == 1


async def test_one_that_ended_hangs_or_floods_is_told_and_started_anew(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, search__deadline=4.0)
    async with Run("Why?", settings, journal=Journal()) as run:
        for text in ("ends here", "floods here"):
            with pytest.raises(SearchError):
                await found(run, text)
        assert await found(run, "harbour") == ["harbour"]
        with pytest.raises(SearchError, match="did not answer within 4 s"):
            await found(run, "hangs here")
        assert await found(run, "basin") == ["basin"]
        assert len(begun(tmp_path)) == 4
    assert not any(runs(pid) for pid, *_ in begun(tmp_path))


@pytest.mark.parametrize(
    ("command", "said"), [("/no/such/program", "cannot be started"), ("true", "cannot be reached")]
)
async def test_a_command_that_starts_no_server_is_told(tmp_path: Path, command: str, said: str) -> None:
    settings = settings_for(tmp_path).updated(search__mcp={"papers": command})
    async with Run("Why?", settings, journal=Journal()) as run:
        with pytest.raises(SearchError, match=f"papers {said}"):
            await found(run, "harbour")


def test_a_command_that_cannot_be_read_is_a_wrong_setting(settings: Settings) -> None:
    with pytest.raises(SettingsError, match="papers"):
        chain_of(settings.updated(search__mcp={"papers": "papers 'unclosed"}))


def test_of_its_command_the_journal_has_the_program_alone(settings: Settings) -> None:
    (engine,) = chain_of(settings)
    assert engine.place == sys.executable
