"""An assistant over stdio: the SDK's client against `spyglass mcp` in a process of its own."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp.client.extension import ClaimContext, ClientExtension, NotificationBinding, ResultClaim
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolResult,
    ElicitResult,
    NotificationParams,
    Request,
    Result,
    TextContent,
    TextResourceContents,
)
from pydantic import Field

from cli.command import environment
from mcp import Client, ClientSession, StdioServerParameters

QUESTION = "When was the harbour built?"
FACT = "The harbour was built in 1871."
LONGEST = 25_000


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "harbour.md").write_text(f"# The harbour\n\n{FACT} It took nine years to build it.\n")
    return folder


@asynccontextmanager
async def assistant(
    tmp_path: Path, *arguments: str | Path, mode: str = "auto", asks: Any = None, extensions: Any = None
) -> AsyncIterator[Client]:
    """A client of a server that is started for it, and ends with it."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "spyglass", "mcp", "--no-model", *map(str, arguments)],
        env=environment(tmp_path),
        cwd=tmp_path,
    )
    async with Client(server, mode=mode, elicitation_callback=asks, extensions=extensions) as client:
        yield client


@asynccontextmanager
async def assistant_over_http(tmp_path: Path, *arguments: str | Path, extensions: Any = None) -> AsyncIterator[Client]:
    """The same over streamable HTTP."""
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "spyglass", "mcp", "--no-model", *map(str, arguments), "--http", "0"),
        env=environment(tmp_path),
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert server.stderr is not None
        line = (await server.stderr.readline()).decode()
        async with Client(line.split()[2], extensions=extensions) as client:
            yield client
    finally:
        server.terminate()
        await server.wait()


def said(result: CallToolResult) -> Any:
    """Return what a tool answered, which is small enough for any client, and the same as text."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    assert not result.is_error, content.text
    assert len(content.text) // 3 < LONGEST
    assert json.loads(content.text) == result.structured_content
    return result.structured_content


def complaint(result: CallToolResult) -> str:
    (content,) = result.content
    assert result.is_error
    assert isinstance(content, TextContent)
    return content.text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_research_is_started_waited_for_read_and_verified(tmp_path: Path, files: Path, mode: str) -> None:
    async with assistant(tmp_path, "--files", files, mode=mode) as client:
        began = said(await client.call_tool("start_research", {"question": QUESTION, "effort": "quick"}))
        status = said(await client.call_tool("research_status", {"run": began["run"], "wait_seconds": 40}))
        assert status["state"] == "complete", status
        report = said(await client.call_tool("get_report", {"run": began["run"]}))
        assert FACT in report["text"]
        assert FACT in report["references"][0]["quote"]
        assert said(await client.call_tool("verify_report", {"run": began["run"]}))["holds"]
        page = await client.read_resource(f"report://{began['run']}")
        assert isinstance(page.contents[0], TextResourceContents)
        assert FACT in page.contents[0].text


async def test_a_run_outlives_its_server(tmp_path: Path, files: Path) -> None:
    async with assistant(tmp_path, "--files", files) as client:
        began = said(await client.call_tool("start_research", {"question": QUESTION}))
    async with assistant(tmp_path, "--files", files) as client:
        status = said(await client.call_tool("research_status", {"run": "last", "wait_seconds": 40}))
        assert (status["run"], status["state"]) == (began["run"], "complete")


async def test_a_plan_waits_until_it_is_approved_perhaps_with_other_tasks(tmp_path: Path, files: Path) -> None:
    async with assistant(tmp_path, "--files", files) as client:
        began = said(await client.call_tool("start_research", {"question": QUESTION, "ask": True}))
        run = {"run": began["run"]}
        status = said(await client.call_tool("research_status", {**run, "wait_seconds": 40}))
        assert (status["state"], "research_plan" in status["next"]) == ("planned", True)
        plan = said(await client.call_tool("research_plan", run))
        assert (plan["tasks"], plan["forecast"]["money"]) == ([QUESTION], [0, 0])
        said(await client.call_tool("approve_plan", {**run, "tasks": ["In which year was the harbour built?"]}))
        status = said(await client.call_tool("research_status", {**run, "wait_seconds": 40}))
        assert status["state"] == "complete", status
        assert "In which year was the harbour built?" in said(await client.call_tool("get_report", run))["text"]
        assert "cannot be approved" in complaint(await client.call_tool("approve_plan", run))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_user_is_asked_for_a_plan_by_a_client_that_can(tmp_path: Path, files: Path, mode: str) -> None:
    told, answers = (
        [],
        [
            ElicitResult(action="decline"),
            ElicitResult(
                action="accept", content={"tasks": "- In which year was the harbour built?\n- How long did it take?"}
            ),
        ],
    )

    async def asks(_context: Any, asked: Any) -> ElicitResult:
        told.append(asked.message)
        return answers.pop(0)

    async with assistant(tmp_path, "--files", files, mode=mode, asks=asks) as client:
        run = {"run": said(await client.call_tool("start_research", {"question": QUESTION, "ask": True}))["run"]}
        said(await client.call_tool("research_status", {**run, "wait_seconds": 40}))
        assert "The user declined this plan" in complaint(await client.call_tool("approve_plan", run))
        assert said(await client.call_tool("approve_plan", run))["state"] == "running"
        status = said(await client.call_tool("research_status", {**run, "wait_seconds": 40}))
        assert status["state"] in ("complete", "partial"), status
        plan = json.dumps((await client.call_tool("research_plan", run)).structured_content)
        assert QUESTION in plan
    assert all(QUESTION in one and "Expected: " in one for one in told)
    assert answers == []


class TaskOf(Result):
    """A task, as the extension has it."""

    result_type: Literal["task"]
    task_id: str = Field(alias="taskId")


class KnowsTasks(ClientExtension):
    """A client's side of the extension: follows a task to its end, answering what it asks."""

    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self, *answers: dict[str, Any]) -> None:
        self.answers, self.seen = list(answers), list[str]()

    def claims(self) -> list[ResultClaim[TaskOf]]:
        return [ResultClaim(result_type="task", model=TaskOf, resolve=self.followed)]

    async def followed(self, task: TaskOf, context: ClaimContext) -> CallToolResult:
        while True:
            found = await asked(context.session, "tasks/get", taskId=task.task_id)
            assert found["taskId"] == task.task_id
            if found["status"] not in self.seen:
                self.seen.append(found["status"])
            match found["status"]:
                case "completed":
                    return CallToolResult.model_validate(found["result"])
                case "input_required":
                    assert QUESTION in found["inputRequests"]["plan"]["params"]["message"]
                    responses = {"plan": self.answers.pop(0)}
                    await asked(context.session, "tasks/update", taskId=task.task_id, inputResponses=responses)
                case "cancelled" | "failed":
                    return CallToolResult(content=[], is_error=True)
            await asyncio.sleep(0.2)


class Anything(Result, extra="allow"):
    """Whatever a server answers."""


async def asked(session: ClientSession, method: str, **params: Any) -> dict[str, Any]:
    class Asked(Request[dict[str, Any], str]):
        pass

    found = await session.send_request(Asked(method=method, params=params), Anything)
    return found.model_dump(by_alias=True, mode="json")


async def test_a_client_that_knows_tasks_gets_the_report_of_one(tmp_path: Path, files: Path) -> None:
    knows = KnowsTasks({"action": "accept", "content": {}})
    async with assistant(tmp_path, "--files", files, extensions=[knows]) as client:
        found = await client.call_tool("start_research", {"question": QUESTION, "effort": "quick", "ask": True})
        (content,) = found.content
        assert isinstance(content, TextContent)
        assert FACT in content.text
        assert found.structured_content is not None
        assert found.structured_content["state"] == "complete"
        assert {*knows.seen} == {"working", "input_required", "completed"}
        plain = said(await client.call_tool("research_status", {"run": found.structured_content["run"]}))
        assert plain["state"] == "complete"


async def test_a_task_that_is_declined_or_cancelled_ends_and_an_unknown_one_is_told(
    tmp_path: Path, files: Path
) -> None:
    knows = KnowsTasks({"action": "decline"})
    async with assistant(tmp_path, "--files", files, extensions=[knows]) as client:
        assert (await client.call_tool("start_research", {"question": QUESTION, "ask": True})).is_error
        assert knows.seen[-1] == "cancelled"
        for unknown in ("nothing", "../../etc/passwd", str(files / "harbour.md")):
            with pytest.raises(MCPError, match="There is no run"):
                await asked(client.session, "tasks/get", taskId=unknown)
    async with assistant(tmp_path, "--files", files) as client:
        run = said(await client.call_tool("start_research", {"question": QUESTION, "ask": True}))["run"]
        with pytest.raises(MCPError, match="required extension"):
            await asked(client.session, "tasks/cancel", taskId=run)


class AnyParams(NotificationParams, extra="allow"):
    """Whatever a notification says."""


class IsTold(ClientExtension):
    """A client's side of the extension: hears how tasks stand."""

    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self) -> None:
        self.task, self.received, self.done = "", list[dict[str, Any]](), asyncio.Event()

    def claims(self) -> list[ResultClaim[TaskOf]]:
        return [ResultClaim(result_type="task", model=TaskOf, resolve=self.keep)]

    def notifications(self) -> list[NotificationBinding[AnyParams]]:
        return [NotificationBinding(method="notifications/tasks", params_type=AnyParams, handler=self.hear)]

    async def keep(self, task: TaskOf, _context: ClaimContext) -> CallToolResult:
        self.task = task.task_id
        return CallToolResult(content=[], is_error=True)  # no result yet

    async def hear(self, params: AnyParams) -> None:
        self.received.append(params.model_dump(by_alias=True, mode="json"))
        if self.received[-1]["status"] == "completed":
            self.done.set()


@pytest.mark.parametrize("server", [assistant, assistant_over_http])
async def test_a_client_that_listens_is_told_of_its_task_until_its_end(
    tmp_path: Path, files: Path, server: Callable[..., AbstractAsyncContextManager[Client]]
) -> None:
    hears = IsTold()
    async with server(tmp_path, "--files", files, extensions=[hears]) as client:
        await client.call_tool("start_research", {"question": QUESTION, "effort": "quick"})
        task = hears.task
        ended = await asked(client.session, "subscriptions/listen", notifications={"taskIds": [task]})
        assert ended["_meta"]["io.modelcontextprotocol/subscriptionId"] is not None
        await asyncio.wait_for(hears.done.wait(), 60)
        assert {one["taskId"] for one in hears.received} == {task}
        assert FACT in hears.received[-1]["result"]["content"][0]["text"]
        same = await asked(client.session, "tasks/get", taskId=task)
        assert {name: same[name] for name in ("status", "result")} == {
            name: hears.received[-1][name] for name in ("status", "result")
        }
        for wrong in (["nothing"], [7], ["x"] * 101):
            with pytest.raises(MCPError):
                await asked(client.session, "subscriptions/listen", notifications={"taskIds": wrong})


async def test_search_and_fetch_answer_as_connectors_expect(tmp_path: Path, files: Path) -> None:
    async with assistant(tmp_path, "--files", files) as client:
        (first,) = said(await client.call_tool("search", {"query": "harbour built"}))["results"]
        assert set(first) == {"id", "title", "url"}
        document = said(await client.call_tool("fetch", {"id": first["id"]}))
        assert FACT in document["text"]
        passages = said(await client.call_tool("find_in_files", {"query": "harbour"}))["passages"]
        assert passages[0]["path"] == "harbour.md"


async def test_a_text_is_checked_sentence_by_sentence(tmp_path: Path, files: Path) -> None:
    text = "The harbour was built in 1871. The harbour was built in 1903."
    async with assistant(tmp_path, "--files", files) as client:
        checked = said(await client.call_tool("check_text", {"text": text}))
    verdicts = {one["text"]: one["verdict"] for one in checked["claims"]}
    assert verdicts["The harbour was built in 1871."] == "supported"
    assert verdicts["The harbour was built in 1903."] in ("contradicted", "unsupported")


async def test_bad_calls_are_answered_with_what_is_wrong_and_how_to_mend_it(tmp_path: Path, files: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("The password is hunter2.")
    async with assistant(tmp_path, "--files", files) as client:
        wrong = [
            ("get_report", {"run": "no-such-run"}, 'There is no run "no-such-run"'),
            ("start_research", {"question": " "}, "question"),
            ("fetch", {"id": "file:../secret.md@0"}, 'The folders have no file "../secret.md"'),
            ("fetch", {"id": str(secret)}, "is not the id of a result"),
            ("fetch", {"id": "http://127.0.0.1:9/"}, "127.0.0.1"),
            ("research_status", {"run": "last"}, "There are no runs yet"),
        ]
        for tool, arguments, why in wrong:
            told = complaint(await client.call_tool(tool, arguments))
            assert why in told, told
            assert "hunter2" not in told


async def test_a_run_that_cannot_be_made_says_why(tmp_path: Path, files: Path) -> None:
    async with assistant(tmp_path, "--files", files) as client:
        began = said(await client.call_tool("start_research", {"question": QUESTION}))
        journal = tmp_path / "data" / "runs" / began["run"] / "journal.sqlite"
        said(await client.call_tool("research_status", {"run": began["run"], "wait_seconds": 40}))
        wal = journal.with_name("journal.sqlite-wal")
        async with asyncio.timeout(120):
            while wal.exists():  # noqa: ASYNC110 nobody tells when its process has closed it and writes no more
                await asyncio.sleep(0.05)
        os.truncate(journal, 50)
        status = said(await client.call_tool("research_status", {"run": began["run"]}))
        assert status["state"] == "unreadable"
        assert status["problem"]


async def test_over_http_it_offers_the_same(tmp_path: Path, files: Path) -> None:
    async with assistant_over_http(tmp_path, "--files", files) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {"start_research", "research_status", "get_report", "verify_report", "check_text"} <= names
        assert {"find_in_files", "search", "fetch"} <= names
