"""All is killed in mid-run and begun again: the page, an assistant and a client of OpenAI's get the same report."""

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp_types import CallToolResult
from openai import AsyncOpenAI
from playwright.async_api import async_playwright, expect

from cli.command import COMMAND, environment
from loopback import Fault, SearchServer, WebServer
from mcp import Client
from spyglass.kernel.journal import Journal
from spyglass.runs import RunStore
from tools.sites import finds, put

QUESTION = "How deep is the Altmere harbour basin?"
DEPTH = "The basin of the Altmere harbour is seven metres deep at low water."


@asynccontextmanager
async def started(tmp_path: Path, *arguments: str) -> AsyncIterator[tuple[str, asyncio.subprocess.Process]]:
    """Start a server as a user does; gives its address and its process, which is ended if nobody has."""
    server = await asyncio.create_subprocess_exec(
        *(*COMMAND, *arguments, "--config", "web.toml"),
        cwd=tmp_path,
        env=environment(tmp_path),
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert server.stderr is not None
        yield (await server.stderr.readline()).decode().split()[2], server
    finally:
        if server.returncode is None:
            server.terminate()
        await server.wait()


async def status(client: Client, run: str) -> Any:
    result = await client.call_tool("research_status", {"run": run, "wait_seconds": 40})
    assert isinstance(result, CallToolResult)
    return result.structured_content


def process_of(path: Path) -> int:
    """Return the process that is at the run with this journal."""
    journal = Journal(path, readonly=True)
    try:
        holder = journal.holder()
    finally:
        journal.close()
    assert holder is not None
    return holder


@pytest.mark.browser
@pytest.mark.kill
async def test_all_three_reach_the_same_report(
    tmp_path: Path, search_server: SearchServer, web_server: WebServer
) -> None:
    (tmp_path / "web.toml").write_text(
        'web = true\nsearch.engines = ["searxng"]\n'
        f'search.engine_urls = {{ searxng = "{search_server.url}/searxng" }}\n'
        'network.allow_private = ["127.0.0.0/8"]\nrerank.method = "lexical"\n',
        encoding="utf-8",
    )
    search_server.script(Fault("hang"))
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), chromium_sandbox=False)
        page = await browser.new_page()
        async with (
            started(tmp_path, "serve", "--port", "0") as (base, server),
            started(tmp_path, "mcp", "--http", "0") as (tools, assistant),
        ):
            port, tools_port = base.rpartition(":")[2], tools.split(":")[2].partition("/")[0]
            async with AsyncOpenAI(base_url=f"{base}/v1", api_key="none") as client:
                response = await client.responses.create(model="spyglass", input=QUESTION, background=True)
            run_id = response.id.removeprefix("resp_")
            await page.goto(f"{base}/#run={run_id}")
            await expect(page.get_by_role("status")).to_have_text("running")
            async with asyncio.timeout(60):
                while not search_server.requests:  # noqa: ASYNC110 the server has no event for it
                    await asyncio.sleep(0.05)
            async with Client(tools) as mcp:
                first = await mcp.call_tool("research_status", {"run": run_id, "wait_seconds": 0})
                assert first.structured_content["state"] == "running"
            running = await asyncio.to_thread(process_of, RunStore(tmp_path / "data").journal_path(run_id))
            for process in (server.pid, assistant.pid, running):
                os.kill(process, signal.SIGKILL)
            await asyncio.gather(server.wait(), assistant.wait())
        finds(search_server, put(web_server, "127.0.0.1", "/depth", DEPTH))
        async with (
            started(tmp_path, "serve", "--port", port) as (base, _),
            started(tmp_path, "mcp", "--http", tools_port) as (tools, _),
        ):
            async with Client(tools) as mcp:
                assert (await status(mcp, run_id))["state"] == "complete"
                by_assistant = (await mcp.call_tool("get_report", {"run": run_id})).structured_content["text"]
            async with AsyncOpenAI(base_url=f"{base}/v1", api_key="none") as client:
                answer = await client.responses.retrieve(response.id)
            assert answer.status == "completed"
            body = page.frame_locator("iframe").locator("body")
            await expect(body).to_contain_text("What was searched", timeout=60_000)
            await expect(page.get_by_role("status")).to_have_text("complete")
            shown = " ".join((await body.inner_text()).split())
            for text in (by_assistant, answer.output_text, shown):
                assert DEPTH in text
        await browser.close()
