"""The searchers find pages for a task, read them, and answer with records whose passages are verbatim."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from loopback import Reply, WebServer
from spyglass.agent import Quick_searcher, Search_agent
from spyglass.agent.web_agent import Web_agent
from spyglass.kernel.errors import BudgetError, NoSearchError
from spyglass.kernel.journal import Journal
from spyglass.kernel.plan import Plan, Task
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.kernel.source import Source
from spyglass.model.scripted import Scripted
from spyglass.router import Router
from spyglass.web import researcher_of
from web.engine import put_engine, queries, searching

DANCE = "Honey bees dance to tell their sisters where flowers are. "
WAX = "Young bees make the wax that the comb is built of. "


@pytest.fixture
def settings(tmp_path: Path, web_server: WebServer) -> Settings:
    return searching(web_server, tmp_path)


@pytest.fixture
async def run(settings: Settings) -> AsyncIterator[Run]:
    async with Run("How do bees dance?", settings, journal=Journal()) as run:
        yield run


def two_pages(server: WebServer) -> list[str]:
    return [
        server.put_article("/dance", "The dance", DANCE * 6),
        server.put_article("/wax", "The wax", WAX * 6, DANCE * 2),
    ]


async def answered(agent: Web_agent, run: Run, task: str = "How do bees dance?") -> list[Source]:
    answer = await Router(agent, run).recv_response(task, [])
    assert answer["agent"] == "planner"
    return [Source.model_validate(record) for record in answer["data"]]


async def test_a_task_is_answered_with_verbatim_passages_of_pages(run: Run, web_server: WebServer) -> None:
    urls = two_pages(web_server)
    put_engine(web_server, lambda query: urls)
    sources = await answered(Quick_searcher(), run)
    assert {source.url for source in sources} == set(urls)
    for source in sources:
        text = run.journal.snapshot(source.snapshot)
        assert text is not None
        assert source.passages
        assert all(text[one.start : one.end] == one.text for one in source.passages)
        assert (source.kind, source.domain, source.credibility_tier) == ("web", "127.0.0.1", "tier3")
        assert source.summary == "\n\n".join(one.text for one in source.passages)


async def test_the_queries_are_those_of_the_plan(run: Run, web_server: WebServer) -> None:
    put_engine(web_server, lambda query: two_pages(web_server))
    run.plan = Plan(tasks=(Task(task="dances", agent="quick-searcher", queries=("waggle dance", "bee dance")),))
    await answered(Quick_searcher(), run, "dances")
    assert sorted(set(queries(web_server)) - {run.question}) == ["bee dance", "waggle dance"]


async def test_without_a_plan_a_task_is_expanded_by_the_model_or_by_rules(
    settings: Settings, web_server: WebServer
) -> None:
    put_engine(web_server, lambda query: two_pages(web_server))
    three = {"direct": "bee dance", "broader": "insect signals", "specific": "waggle dance angle"}
    expanded: list[tuple[Scripted | None, set[str]]] = [
        (Scripted([json.dumps(three)]), set(three.values())),
        (None, {"dances of bees", "what is dances of bees", "dances of bees explained"}),
    ]
    for model, wanted in expanded:
        before = len(queries(web_server))
        async with Run("How do bees dance?", settings, journal=Journal()) as run:
            await answered(Quick_searcher(model), run, "dances of bees")
            assert set(queries(web_server)[before:]) - {run.question} == wanted


async def test_no_query_is_asked_twice_and_no_page_is_read_twice(run: Run, web_server: WebServer) -> None:
    urls = two_pages(web_server)
    put_engine(web_server, lambda query: urls)
    router = Router(Quick_searcher(), run)
    first = await router.recv_response("How do bees dance?", [])
    both = await router.recv_response("how do bees DANCE", first["data"])
    asked = queries(web_server)
    assert len(asked) == len({query.casefold().strip("?") for query in asked})
    assert all(len(web_server.visits_to(path)) == 1 for path in ("/dance", "/wax"))
    assert (len(first["data"]), len(both["data"])) == (2, 4)


async def test_an_engine_that_fails_is_an_error_and_not_an_empty_answer(run: Run, web_server: WebServer) -> None:
    """Whichever agent it is; the run's pipeline has it among those that failed, and the run is told once."""
    put_engine(web_server, lambda query: Reply("broken", status=500))
    for agent in (Quick_searcher(), Search_agent()):
        with pytest.raises(NoSearchError, match="500"):
            await answered(agent, run, agent.name)
    failed = (await researcher_of(run, run.settings)).pipeline.failed
    assert [one.subtopic.title for one in failed] == ["quick-searcher", "search-agent"]
    assert all("500" in one.why for one in failed)
    assert [(one.who, one.what) for one in run.failures] == [("search", "quick-searcher"), ("search", "search-agent")]


async def test_a_search_that_a_limit_of_the_run_kept_from_being_asked_is_one_that_failed(
    settings: Settings, web_server: WebServer
) -> None:
    put_engine(web_server, lambda query: two_pages(web_server))
    limited = settings.updated(budget__max_searches=0)
    async with Run("How do bees dance?", limited, journal=Journal()) as run:
        for agent in (Quick_searcher(), Search_agent()):
            with pytest.raises(BudgetError):
                await answered(agent, run, agent.name)
        failed = (await researcher_of(run, limited)).pipeline.failed
    assert [one.subtopic.title for one in failed] == ["quick-searcher", "search-agent"]


async def test_one_query_without_an_answer_loses_nothing_of_the_others(run: Run, web_server: WebServer) -> None:
    urls = two_pages(web_server)
    put_engine(web_server, lambda query: Reply("busy", status=429) if query == "waggle dance" else urls)
    run.plan = Plan(tasks=(Task(task="dances", agent="quick-searcher", queries=("waggle dance", "bee dance")),))
    assert await answered(Quick_searcher(), run, "dances")


async def test_pages_that_cannot_be_read_are_named(run: Run, web_server: WebServer) -> None:
    urls = [web_server.url("/cookie-wall"), *two_pages(web_server)]
    put_engine(web_server, lambda query: urls)
    await answered(Quick_searcher(), run)
    assert any("/cookie-wall" in str(notice) and "cookie" in str(notice) for notice in run.notices)


async def test_the_search_agent_has_the_model_plan_its_searches(run: Run, web_server: WebServer) -> None:
    put_engine(web_server, lambda query: two_pages(web_server))
    calls = [
        {"tool": "url_search", "keyword": "bee dance meaning"},
        {"tool": "url_search", "keyword": "Bee dance meaning?"},
        {"tool": "page_content", "keyword": "Previous URLs"},
    ]
    sources = await answered(Search_agent(Scripted([json.dumps(calls)])), run)
    assert queries(web_server) == ["bee dance meaning"]
    assert len(sources) == 2


async def test_the_search_agent_goes_by_rules_when_the_model_answers_nothing_usable(
    run: Run, web_server: WebServer
) -> None:
    put_engine(web_server, lambda query: two_pages(web_server))
    assert await answered(Search_agent(Scripted(["no plan", "no plan"])), run)


async def test_given_pages_are_read_and_the_web_is_not_searched(settings: Settings, web_server: WebServer) -> None:
    [dance, wax] = two_pages(web_server)
    given = settings.model_copy(update={"web": False, "urls": [dance, web_server.url("/nowhere")]})
    async with Run("How do bees dance?", given, journal=Journal()) as run:
        sources = await answered(Quick_searcher(), run)
        assert [source.url for source in sources] == [dance]
        [failure] = run.failures
        assert "/nowhere" in str(failure.what)
    assert not queries(web_server)
    assert not web_server.visits_to("/wax"), wax


async def test_with_summaries_a_record_holds_the_model_s_words(settings: Settings, web_server: WebServer) -> None:
    put_engine(web_server, lambda query: two_pages(web_server))
    summarising = settings.updated(research__summarise=True)
    async with Run("How do bees dance?", summarising, journal=Journal()) as run:
        sources = await answered(Quick_searcher(Scripted(lambda prompt: "They dance.")), run)
    assert {source.summary for source in sources} == {"They dance."}


async def test_a_replay_asks_nobody_and_decides_as_the_run_did(settings: Settings, web_server: WebServer) -> None:
    put_engine(web_server, lambda query: two_pages(web_server))
    path = settings.data_dir / "run.sqlite"
    async with Run("How do bees dance?", settings, journal=Journal(path)) as run:
        first = await answered(Quick_searcher(), run)
    seen = len(web_server.visits)
    async with Run("How do bees dance?", settings, journal=Journal(path)) as run:
        assert await answered(Quick_searcher(), run) == first
    assert len(web_server.visits) == seen
