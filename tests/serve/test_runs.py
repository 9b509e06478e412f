"""Runs in the background over a real socket: they outlive the call and the service, and are read in every form."""

import asyncio
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from pydantic import SecretStr

from loopback import Fault, SearchServer
from serve.conftest import Serving
from serve.wire import received
from spyglass.kernel.database.database import database_at
from spyglass.kernel.settings import Settings
from spyglass.runs import RunStore
from spyglass.runs.detached import prepared
from spyglass.serve.sse import ServerEvent, join

QUESTION = "How deep is the Altmere harbour basin?"
DEPTH = "The basin of the Altmere harbour is seven metres deep at low water."


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "harbour.md").write_text(f"# The harbour\n\n{DEPTH}\n")
    return tmp_path / "files"


async def call(url: str, body: dict[str, Any] | None = None) -> tuple[int, Any]:
    """Return status and answer of a call: a POST where it has a body."""
    async with (
        aiohttp.ClientSession() as session,
        session.request("GET" if body is None else "POST", url, json=body) as response,
    ):
        return response.status, await (
            response.json() if response.content_type == "application/json" else response.text()
        )


async def ended(base: str, run_id: str) -> Any:
    async with asyncio.timeout(120):
        while True:
            state = (await call(f"{base}/runs/{run_id}"))[1]
            if state["outcome"] not in ("running", "interrupted"):
                return state
            await asyncio.sleep(0.2)


async def test_a_run_outlives_the_service_and_is_read_from_the_next(
    serving: Serving, files: Path, tmp_path: Path
) -> None:
    async with serving(db=[files]) as base:
        status, began = await call(f"{base}/runs", {"q": QUESTION, "web": False})
        assert (status, began["outcome"]) == (202, "running")
    async with serving(db=[files]) as base:
        state = await ended(base, began["id"])
        assert state["outcome"] == "complete", await call(f"{base}/runs/{began['id']}/report.md")
        assert [run["id"] for run in (await call(f"{base}/runs?q=ALTMERE"))[1]] == [began["id"]]
        assert (await call(f"{base}/runs?q=elsewhere"))[1] == []
        for form in ("md", "html", "json"):
            status, report = await call(f"{base}/runs/{began['id']}/report.{form}")
            assert status == 200
            assert "seven metres deep" in str(report), form
            assert str(tmp_path) not in str(report), form
        page = f"{base}/runs/{began['id']}/report.html"
        async with aiohttp.ClientSession() as session, session.get(page) as response:
            policies = response.headers.getall("Content-Security-Policy")
        assert policies == ["frame-ancestors 'self'"], "the page's own policy allows its style"
        status, answer = await call(f"{base}/runs/{began['id']}/report.exe")
        assert (status, "report.md, report.html" in answer["error"]) == (404, True)


async def test_a_run_that_ended_with_its_machine_is_gone_on_with(
    serving: Serving, online: Settings, files: Path
) -> None:
    settings = online.updated(db=[files], web=False)
    run_id = await asyncio.to_thread(prepared, QUESTION, settings)
    RunStore(online.data_dir).manage(run_id, "")
    async with serving(db=[files]) as base:
        assert (await call(f"{base}/health"))[1]["open"] == 1, "it has a place, as one that is asked for has"
        assert (await ended(base, run_id))["outcome"] == "complete"


@pytest.mark.cluster
async def test_services_over_a_database_share_their_runs_and_go_on_with_those_of_a_machine_that_is_gone(
    serving: Serving, online: Settings, files: Path, tmp_path: Path, database_url: str
) -> None:
    shared = {"db": [files], "database_url": SecretStr(database_url)}
    gone = online.updated(**shared, web=False, data_dir=tmp_path / "gone")
    cut = await asyncio.to_thread(prepared, QUESTION, gone)
    await asyncio.to_thread(RunStore.of(gone).manage, cut, "")
    async with serving(**shared, data_dir=tmp_path / "here", serve__spare=True) as here:
        assert (await ended(here, cut))["outcome"] == "complete"
        async with serving(**shared, data_dir=tmp_path / "there") as there:
            _, began = await call(f"{here}/runs", {"q": QUESTION, "web": False})
            assert (await ended(there, began["id"]))["outcome"] == "complete"
            async with asyncio.timeout(120):
                _, events, _ = await streamed(f"{there}/runs/{began['id']}/events")
            assert (events[-2].name, events[-1].data["outcome"]) == ("RunEnded", "complete")
            assert [run["id"] for run in (await call(f"{there}/runs"))[1]] == [began["id"], cut]
            assert DEPTH.rstrip(".") in (await call(f"{there}/runs/{began['id']}/report.md"))[1]
    await asyncio.to_thread(database_at(database_url).close)


async def streamed(url: str, last: int | None = None, most: int = 10_000) -> tuple[int, list[ServerEvent], int]:
    """Return status, events and the last id of a stream; it is cut after so many lines."""
    lines, last_id = list[str](), {} if last is None else {"Last-Event-ID": str(last)}
    async with aiohttp.ClientSession(headers=last_id) as session, session.get(url) as response:
        async for line in response.content:
            lines.append(line.decode().rstrip("\r\n"))
            if len(lines) >= most and not lines[-1]:
                break
    ids = [int(line.removeprefix("id: ")) for line in lines if line.startswith("id: ")]
    return response.status, list(join(received(lines))), ids[-1] if ids else 0


async def test_a_stream_of_a_run_that_was_cut_goes_on_where_it_was(serving: Serving, files: Path) -> None:
    async with serving(db=[files]) as base:
        _, began = await call(f"{base}/runs", {"q": QUESTION, "web": False})
        url = f"{base}/runs/{began['id']}/events"
        async with asyncio.timeout(120):
            _, first, last = await streamed(url, most=12)
            _, rest, end = await streamed(url, last)
            _, whole, same = await streamed(url)
        assert (first[0].name, first[0].data["outcome"]) == ("run", "running")
        assert (rest[-1].name, rest[-1].data["outcome"]) == ("run", "complete")
        assert [*first[1:], *rest[1:]] == whole[1:], "none is missing, none comes twice"
        assert {"RunStarted", "tool_update", "Planned", "RunEnded"} <= {event.name for event in whole}
        assert end == same
        assert await streamed(url, end) == (204, [], 0), "which tells a browser that there is nothing more"
        assert (await call(f"{base}/runs/nothing/events"))[0] == 404


async def test_a_run_that_is_stopped_before_it_has_begun_reports_that(serving: Serving, files: Path) -> None:
    async with serving(db=[files]) as base:
        _, began = await call(f"{base}/runs", {"q": QUESTION, "web": False})
        assert (await call(f"{base}/runs/{began['id']}/cancel", {}))[0] == 200
        assert (await ended(base, began["id"]))["outcome"] == "cancelled"
        assert "stopped before it finished" in (await call(f"{base}/runs/{began['id']}/report.md"))[1]


async def test_what_is_not_there_is_told_in_words(serving: Serving, online: Settings, files: Path) -> None:
    own = await asyncio.to_thread(prepared, QUESTION, online)
    async with serving(db=[files]) as base:
        for name in ("nothing", "last", "..%2F..%2Fetc", own):
            for path in ("", "/report.md"):
                status, answer = await call(f"{base}/runs/{name}{path}")
                assert (status, {*answer}) == (404, {"error", "type"}), name
        assert (await call(f"{base}/runs/nothing/cancel", {}))[0] == 404
        assert (await call(f"{base}/runs", {"q": " "}))[0] == 422
        assert (await call(f"{base}/runs"))[1] == []


async def test_a_run_that_is_stopped_reports_what_is_there(
    serving: Serving, files: Path, search_server: SearchServer
) -> None:
    search_server.script(Fault("hang"))
    async with serving(db=[files]) as base:
        _, began = await call(f"{base}/runs", {"q": QUESTION, "web": True})
        async with asyncio.timeout(120):
            while not search_server.requests:  # noqa: ASYNC110 the server has no event for it
                await asyncio.sleep(0.1)
        assert (await call(f"{base}/runs/{began['id']}/cancel", {}))[0] == 200
        assert (await ended(base, began["id"]))["outcome"] == "cancelled"
        assert "stopped before it finished" in (await call(f"{base}/runs/{began['id']}/report.md"))[1]


async def test_a_plan_is_changed_and_approved_once_before_anything_is_spent(serving: Serving, files: Path) -> None:
    asked = {"q": QUESTION, "web": False, "ask": True, "max_time": 60, "effort": "quick"}
    async with serving(db=[files]) as base:
        _, began = await call(f"{base}/runs", asked)
        run = f"{base}/runs/{began['id']}"
        assert (await ended(base, began["id"]))["outcome"] == "planned"
    async with serving(db=[files]) as base:
        run = f"{base}/runs/{began['id']}"
        assert (await call(run))[1]["outcome"] == "planned", "another service does not go on with it by itself"
        plan = (await call(f"{run}/plan"))[1]
        assert [task["task"] for task in plan["plan"]["tasks"]] == [QUESTION]
        assert (plan["by"], plan["forecast"]["money"]) == ("rules", [0, 0])
        assert plan["forecast"]["seconds"][1] <= 60
        for unusable in ({"tasks": [{"task": ""}]}, {"tasks": "all"}):
            assert (await call(f"{run}/plan", unusable))[0] == 422
        tasks = {"tasks": [{"task": "How deep is the basin of the harbour of Altmere?"}]}
        assert (await call(f"{run}/plan", tasks))[0] == 202
        status, answer = await call(f"{run}/plan", {"tasks": []})
        assert (status, "cannot be approved" in answer["error"]) == (422, True)
        assert (await ended(base, began["id"]))["outcome"] == "complete"
        report = (await call(f"{run}/report.json"))[1]
        assert [one["question"] for one in report["coverage"]] == [tasks["tasks"][0]["task"]]
        _, events, _ = await streamed(f"{run}/events")
        assert [event.data["by"] for event in events if event.name == "Planned"] == ["user"]
