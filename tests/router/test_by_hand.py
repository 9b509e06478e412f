"""Agents, routers and a server that are put together by hand make a report, in a run of their own."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from loopback import ModelServer, WebServer
from loopback.server import PromptRequest
from spyglass import generate_report
from spyglass.agent import Agent, Planner, Quick_searcher, RAG_agent, Reporter, Search_agent
from spyglass.factory import Factory
from spyglass.kernel.errors import RoutingError, RunError
from spyglass.kernel.message import Message
from spyglass.kernel.settings import Settings
from spyglass.model.model import Model
from spyglass.router import Router, Server
from spyglass.runs import RunStore
from web.engine import put_engine

QUESTION = "How do honey bees dance?"
DANCE = "Honey bees dance to tell their sisters where flowers are. "
PLAN = {"tasks": [{"task": QUESTION, "agent": "quick-searcher", "queries": ["bee dance"]}], "sections": ["The dance"]}


class Keeper(Agent):
    """As a user writes one who knows the contract alone."""

    name = "keeper"
    description = "Asks a bee keeper."

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def run(self, response: str, data: list[Any] | None = None) -> Message:
        self.asked.append(response)
        said = {"title": "A keeper", "summary": DANCE, "brief_summary": "", "keywords": []}
        found = [{**said, "url": f"https://k.example/{number}"} for number in (1, 2)]
        return {"agent": "planner", "task": response, "data": [*(data or []), *found]}

    def get_recv_format(self) -> type[BaseModel] | None:
        return None

    def get_send_format(self) -> type[BaseModel] | None:
        return None


@pytest.fixture(autouse=True)
def _world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, web_server: WebServer) -> None:
    """Whoever loads today's settings finds a page about the question, and a file."""
    url = web_server.put_article("/dance", "The dance", DANCE * 6)
    put_engine(web_server, lambda query: [url])
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "bees.md").write_text(DANCE, encoding="utf-8")
    given = {"SEARXNG_URL": web_server.url(), "NETWORK__ALLOW_PRIVATE": '["127.0.0.0/8"]', "CACHE__PAGE_HOURS": "0"}
    given |= {
        "WEB": "true",
        "DB": json.dumps([str(tmp_path / "files")]),
        "SEARCH__ATTEMPTS": "1",
        "RETRIEVAL__DENSE": "false",
    }
    for name, value in given.items():
        monkeypatch.setenv(f"SPYGLASS_{name}", value)


def answer(asked: PromptRequest) -> str:
    """Say what a model says to each prompt of a report."""
    if asked.schema is None:
        return "Bees dance to tell their sisters where flowers are [S1.1]."
    return json.dumps(PLAN if "tasks" in asked.schema["properties"] else {})


@pytest.fixture(params=["a model", "no model"])
def model(request: pytest.FixtureRequest, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Model | None:
    if request.param == "no model":
        return None
    model_server.play(answer)
    monkeypatch.setenv("OPENAI_BASE_URL", model_server.base_url("openai"))
    return Factory.get_model("openai", "m")


def served(*agents: Agent) -> Server:
    """Put agents together as the contract says: one router each, the planner's the initial one."""
    server = Server()
    for agent in agents:
        server.routers[agent.name] = Router(agent)
    server.initial_router = "planner"
    return server


async def test_a_server_without_a_run_makes_a_report_in_one_of_its_own(model: Model | None, tmp_path: Path) -> None:
    server = served(Reporter(model), Quick_searcher(model), RAG_agent(model), Planner(model))
    report = await server.start(QUESTION)
    assert isinstance(report, str)
    assert "where flowers are" in report
    assert "- [1] " in report
    assert {record["kind"] for record in server.data} == {"web", "file"}
    [stored] = RunStore(tmp_path / "data").all()
    assert (stored.question, stored.outcome) == (QUESTION, "complete")


async def test_each_question_has_a_run_of_its_own(tmp_path: Path) -> None:
    keeper = Keeper()
    server = served(Planner(None), keeper, Reporter(None))
    first, second = await server.start(QUESTION), await server.start("Where do honey bees find flowers?")
    assert "where flowers are" in first
    assert "# Where do honey bees find flowers?" in second
    assert len(server.data) == 2, "nothing is left of the first question"
    assert len(list(RunStore(tmp_path / "data").all())) == 2


async def test_without_a_reporter_the_answer_is_what_was_found(tmp_path: Path) -> None:
    found = await served(Planner(None), Keeper()).start(QUESTION)
    assert [record["url"] for record in found if isinstance(record, dict)] == [
        "https://k.example/1",
        "https://k.example/2",
    ]
    [stored] = RunStore(tmp_path / "data").all()
    assert stored.outcome == "complete"


@pytest.mark.parametrize("agent", [Quick_searcher, Search_agent, RAG_agent])
async def test_a_router_without_a_run_answers_each_message_in_one_of_its_own(
    agent: type[Quick_searcher | Search_agent | RAG_agent], tmp_path: Path
) -> None:
    router = Router(agent())
    for _ in range(2):
        answer = await router.recv_response(QUESTION, [])
        assert (answer["agent"], answer["task"]) == ("planner", QUESTION)
        assert "where flowers are" in answer["data"][0]["summary"]
    assert list(RunStore(tmp_path / "data").all()) == [], "a message alone is not kept"


async def test_messages_passed_on_by_hand_end_with_a_report() -> None:
    found = await Router(Quick_searcher()).recv_response(QUESTION, [])
    report = await Router(Reporter(None)).recv_response(QUESTION, found["data"])
    assert report["agent"] == "TERMINATE"
    assert "where flowers are" in report["data"]


async def test_an_agent_of_ones_own_gets_a_report(model: Model | None) -> None:
    keeper = Keeper()
    report = await generate_report(QUESTION, Planner(model), [Factory.get_agent("reporter", model), keeper])
    assert "where flowers are" in report
    assert "https://k.example" in report
    assert keeper.asked


async def test_settings_that_an_agent_was_made_with_are_its_run_s(tmp_path: Path) -> None:
    settings = Settings.load(data_dir=tmp_path / "elsewhere")
    server = served(Planner(None), Factory.get_agent("local-retrieval", None, settings), Reporter(None))
    await server.start(QUESTION)
    assert len(list(RunStore(tmp_path / "elsewhere").all())) == 1


async def test_what_is_missing_is_told(model: Model | None) -> None:
    with pytest.raises(RoutingError, match="Known agents: –"):
        await Server().start(QUESTION)
    with pytest.raises(RunError, match="through a Router"):
        await Quick_searcher(model).run(QUESTION)
