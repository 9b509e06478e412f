"""The search tool of a real MCP server is an engine like any other: guarded, bounded, and told when it fails."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from mcp.server import MCPServer

from loopback import WebServer
from spyglass.kernel.errors import SearchBrokenError, SearchError, SearchRequestError
from spyglass.kernel.settings import Settings
from spyglass.net import Client
from spyglass.runs.recorded_settings import settings_from_record, settings_record
from spyglass.search.engines import chain_of
from spyglass.search.result import SearchQuery
from spyglass.tools import web_search
from tools.sites import put

DEPTH = "The basin of the Altmere harbour is seven metres deep at low water."


@asynccontextmanager
async def serving(search: Any, *others: Any) -> AsyncIterator[str]:
    """An MCP server with these functions as its tools; gives its address."""
    server = MCPServer("papers", log_level="ERROR")
    for tool in (search, *others):
        server.tool()(tool)
    running = uvicorn.Server(uvicorn.Config(server.streamable_http_app(), log_level="error", lifespan="on"))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        task = asyncio.create_task(running.serve(sockets=[listening]))
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
        finally:
            running.should_exit = True
            await task


def settings_for(address: str, tmp_path: Path, **more: Any) -> Settings:
    given: dict[str, Any] = {"search__engines": ["papers"], "rerank__method": "lexical", "cache__page_hours": 0, **more}
    return Settings(data_dir=tmp_path / "data", search__mcp={"papers": address}, search__attempts=1, **given)


async def searched(settings: Settings) -> list[tuple[str, str]]:
    (engine,) = chain_of(settings)
    async with Client(settings) as client:
        found = await engine.search(client, SearchQuery(text="harbour"))
    assert all(one.engine == "papers" for one in found)
    return [(one.url, one.snippet) for one in found]


async def test_what_it_finds_is_read_and_answers(tmp_path: Path, web_server: WebServer) -> None:
    url = put(web_server, "127.0.0.1", "/depth", DEPTH)
    asked = list[str]()

    def search(query: str) -> dict[str, list[dict[str, str]]]:
        asked.append(query)
        return {"results": [{"id": "1", "title": "The harbour", "url": url}]}

    async with serving(search) as address:
        settings = settings_for(address, tmp_path, network__allow_private=["127.0.0.0/8"], fetch__attempts=1)
        found = await web_search("How deep is the Altmere harbour basin?", settings=settings)
    assert DEPTH in str(found)
    assert asked


async def test_what_has_no_address_gets_it_from_the_fetch_tool(tmp_path: Path) -> None:
    def find_papers_search(topic: str, limit: int = 3) -> list[dict[str, Any]]:
        return [{"id": f"{topic}-{number}", "title": "A paper"} for number in range(limit)]

    def fetch(id: str) -> dict[str, str]:  # noqa: A002 the name that connectors give it
        return {"id": id, "url": f"https://papers.example/{id}", "text": f"The text of {id}."}

    async with serving(find_papers_search, fetch) as address:
        found = await searched(settings_for(address, tmp_path))
    assert found[0] == ("https://papers.example/harbour-0", "The text of harbour-0.")
    assert len(found) == 3


async def test_what_fails_is_told_as_of_any_engine(tmp_path: Path) -> None:
    def search(query: str) -> str:
        raise ValueError(query)

    def weather(place: str) -> str:
        return place

    async def slow_search(query: str) -> list[str]:
        await asyncio.sleep(60)
        return [query]

    async with serving(search) as address:
        with pytest.raises(SearchBrokenError, match="its tool failed"):
            await searched(settings_for(address, tmp_path))
    with pytest.raises(SearchError, match="papers cannot be reached"):
        await searched(settings_for(address, tmp_path))
    async with serving(weather) as address:
        with pytest.raises(SearchBrokenError, match="has no search tool"):
            await searched(settings_for(address, tmp_path))
    async with serving(slow_search) as address:
        with pytest.raises(SearchError, match=r"did not answer within 0\.5 s"):
            await searched(settings_for(address, tmp_path, search__deadline=0.5))
    with pytest.raises(SearchRequestError):
        await searched(settings_for("ftp://nowhere", tmp_path))


def test_the_token_in_its_address_is_kept_out_of_a_journal(tmp_path: Path) -> None:
    today = settings_for("https://:hunter2@papers.example/mcp", tmp_path)
    record = settings_record(today)
    assert "hunter2" not in str(record)
    assert settings_from_record(record, today).search.mcp == today.search.mcp
    assert "hunter2" not in str(chain_of(today)[0].place)
