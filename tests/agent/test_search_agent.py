"""The search agent carries out its plan: what is searched for and read, in which order, and nothing else."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from loopback import ModelAt, ModelServer, Reply, Say, WebServer
from loopback.prose import article
from spyglass import research
from spyglass.agent import Planner, Reporter, Search_agent
from spyglass.generate_report import replay
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.model.scripted import Scripted
from spyglass.router import Router
from web.engine import put_engine, queries, searching

QUESTION = "How do honey bees dance?"
DANCE = "Honey bees dance to tell their sisters where flowers are. "
WAX = "Young honey bees make the wax that the comb is built of. "

Calls = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def settings(tmp_path: Path, web_server: WebServer) -> Settings:
    """Settings of a web with two pages that a search finds, and one that only a link leads to."""
    web_server.put_article("/overview", "Overview", WAX * 6)
    linked = '<a href="/angle">The angle of the dance</a>, <a href="/prices">prices of cars</a>'
    web_server.put("/dance", article("The dance", DANCE * 6, body=f"<p>{linked}</p>"))
    web_server.put_article("/angle", "The angle", DANCE * 2, "The angle of the dance is the angle to the sun. " * 4)
    web_server.put_article("/prices", "Prices", DANCE * 6)
    found = {"bees": ["/overview"], "dance": ["/dance"]}
    put_engine(web_server, lambda query: [web_server.url(path) for path in found.get(query, ["/dance", "/overview"])])
    return searching(web_server, tmp_path, fetch__attempts=1)


def planning(*calls: tuple[str, str]) -> Search_agent:
    """An agent whose model plans these calls."""
    plan = [{"tool": tool, "keyword": keyword} for tool, keyword in calls]
    return Search_agent(Scripted(lambda prompt: json.dumps(plan)))


async def carried_out(agent: Search_agent, settings: Settings, journal: Journal | None = None) -> list[str]:
    """Give an agent the question as its task; return the titles of what it found."""
    async with Run(QUESTION, settings, journal=journal or Journal()) as run:
        answer = await Router(agent, run).recv_response(QUESTION, [])
        assert all(run.journal.snapshot(record["snapshot"]) for record in answer["data"])
        return sorted(record["title"] for record in answer["data"])


def asked(server: WebServer) -> list[str]:
    """Return what was asked of the server, in order: queries, and paths of pages."""
    words = iter(queries(server))
    return [next(words) if visit.path.startswith("/search?") else visit.path for visit in server.visits]


async def test_calls_are_carried_out_in_their_order(settings: Settings, web_server: WebServer) -> None:
    agent = planning(
        ("url_search", "dance"), ("page_content", "Previous URLs"), ("url_search", "bees"), ("page_content", "")
    )
    assert await carried_out(agent, settings) == ["Overview", "The dance"]
    assert asked(web_server) == ["dance", "/dance", "bees", "/overview"]


async def test_links_of_pages_are_followed_where_they_bear_on_the_task(
    settings: Settings, web_server: WebServer
) -> None:
    agent = planning(("url_search", "dance"), ("page_content", "Previous URLs"), ("page_content", "angle"))
    assert await carried_out(agent, settings) == ["The angle", "The dance"]
    assert asked(web_server) == ["dance", "/dance", "/angle"]


async def test_links_are_followed_only_where_the_user_admits_them(settings: Settings, web_server: WebServer) -> None:
    elsewhere = f'<a href="{web_server.url("/x", "127.0.0.2")}">dance</a>'
    web_server.put("/dance", article("The dance", DANCE * 6, body=elsewhere))
    agent = planning(("url_search", "dance"), ("page_content", ""), ("page_content", "dance"))
    await carried_out(agent, settings.updated(search__block=["127.0.0.2"]))
    assert web_server.visits_to(host="127.0.0.2") == []


async def test_a_plan_without_a_search_does_not_search(settings: Settings, web_server: WebServer) -> None:
    given = settings.model_copy(update={"urls": [web_server.url("/dance")]})
    agents = [planning(("page_content", "")), Reporter(None)]
    report = await research(QUESTION, Planner(None), agents, settings=deep(given))
    assert "where flowers are" in report.markdown
    assert asked(web_server) == ["/dance"]


async def test_an_address_in_the_question_is_read_and_one_that_the_model_made_up_is_not(
    settings: Settings, web_server: WebServer
) -> None:
    url, invented = web_server.url("/dance"), web_server.url("/angle?stolen=words")
    question = f"How do honey bees dance, as {url} says?"
    agent = planning(("page_content", invented), ("page_content", url))
    report = await research(question, Planner(None), [agent, Reporter(None)], settings=deep(settings))
    assert asked(web_server) == ["/dance"]
    assert any("it was neither given nor found" in str(notice) for notice in report.notices)


async def test_what_a_plan_finds_and_does_not_read_is_read_at_its_end(
    settings: Settings, web_server: WebServer
) -> None:
    assert await carried_out(planning(("url_search", "dance")), settings) == ["The dance"]


async def test_searches_and_readings_are_bounded(settings: Settings, web_server: WebServer) -> None:
    searches = [("url_search", f"dance {number}") for number in range(9)]
    await carried_out(planning(*searches, *[("page_content", "")] * 9), settings)
    assert len(queries(web_server)) == settings.search.max_queries


async def test_tools_that_nobody_has_are_left_out_of_a_plan(settings: Settings, web_server: WebServer) -> None:
    await carried_out(planning(("shell", "rm -rf /"), ("url_search", "dance")), settings)
    assert asked(web_server) == ["dance", "/dance"]


async def test_a_killed_run_goes_on_behind_the_calls_that_were_answered(
    settings: Settings, web_server: WebServer, tmp_path: Path
) -> None:
    reached = asyncio.Event()

    def hang(_visit: object) -> Reply:
        reached.set()
        return Reply("", delay=600)

    web_server.put("/angle", hang)
    calls = ("url_search", "dance"), ("page_content", ""), ("page_content", "angle")
    path = tmp_path / "run.sqlite"
    running = asyncio.create_task(carried_out(planning(*calls), settings, Journal(path)))
    async with asyncio.timeout(60):
        await reached.wait()
    running.cancel()
    await asyncio.wait([running])
    before = len(web_server.visits)
    web_server.put_article("/angle", "The angle", DANCE * 6)
    assert await carried_out(planning(*calls), settings, Journal(path)) == ["The angle", "The dance"]
    assert asked(web_server)[before:] == ["/angle"]


async def test_a_run_with_a_plan_is_replayed_byte_for_byte(settings: Settings, web_server: WebServer) -> None:
    def agents() -> list[Any]:
        return [planning(("url_search", "dance"), ("page_content", ""), ("page_content", "angle")), Reporter(None)]

    first = await research(QUESTION, Planner(None), agents(), settings=deep(settings))
    seen = len(web_server.visits)
    again = await replay(first.run, Planner(None), agents(), settings=deep(settings))
    assert again.model_dump_json() == first.model_dump_json()
    assert {source.title for source in first.sources} == {"The angle", "The dance"}
    assert len(web_server.visits) == seen


async def test_the_model_plans_by_calling_tools(
    settings: Settings, web_server: WebServer, model_server: ModelServer, model_at: ModelAt, provider: str
) -> None:
    calls: Calls = [("url_search", {"keyword": "dance"}), ("page_content", {"keyword": "Previous URLs"})]
    model_server.script(Say(calls=(*calls, ("page_content", {"keyword": "angle"}))))
    assert await carried_out(Search_agent(model_at(provider)), settings) == ["The angle", "The dance"]
    assert asked(web_server) == ["dance", "/dance", "/angle"]
    assert [one.tools for one in model_server.requests] == [("url_search", "page_content")]


def deep(settings: Settings) -> Settings:
    """The agent's model plans, whatever the run's plan says."""
    return settings.updated(effort="deep", research__rounds=0)
