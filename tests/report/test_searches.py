"""The search log tells who was asked what, in the order of the plan, and holds no secret."""

import random
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from loopback import Reply, WebServer
from spyglass.kernel.errors import BudgetError, NoSearchError, RetrievalError
from spyglass.kernel.journal import Answer, Journal
from spyglass.kernel.plan import Task
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.rag.ingest import ingest
from spyglass.rag.retrieve import retrieve
from spyglass.report.searches import FILES, KINDS, LEFT, searches
from spyglass.web import WebResearcher
from web.engine import put_engine

QUESTION = "How do bees dance?"
TASKS = (
    Task(task="Why do bees dance?", agent="web", queries=("Why dance", "reasons of dances")),
    Task(task="Who saw it first?", agent="web"),
)


def effect(query: str, engine: str = "searxng", found: int = 3, error: str = "") -> tuple[str, Any, Answer]:
    answer = Answer(error={"what": error}) if error else Answer(value=[{}] * found)
    return "search", {"engine": engine, "query": query}, answer


def gather(task: str, queries: list[str], given_up: list[str]) -> tuple[str, Any, Answer]:
    return "gather", {"task": task, "queries": queries, "wanted": 2}, Answer(value={"given_up": given_up})


def lines(effects: list[tuple[str, Any, Answer]]) -> list[tuple[str, str, int, str]]:
    found = searches(effects, QUESTION, TASKS)
    return [(line.query, str(line.engine), line.results, str(line.error)) for line in found]


def test_the_log_follows_the_plan_and_not_the_order_of_the_answers() -> None:
    effects = [
        effect("zebras"),
        effect("who saw it first"),
        effect("reasons of dances"),
        effect("why dance", found=0),
        effect("how do bees dance"),
        gather("Who saw it first?", ["Who saw it first?", "Discovery of dances"], []),
        effect("discovery of dances"),
    ]
    expected = [
        (QUESTION, "searxng", 3, ""),
        ("Why dance", "searxng", 0, ""),
        ("reasons of dances", "searxng", 3, ""),
        ("Who saw it first?", "searxng", 3, ""),
        ("Discovery of dances", "searxng", 3, ""),
        ("zebras", "searxng", 3, ""),
    ]
    for seed in range(20):
        random.Random(seed).shuffle(effects)
        assert lines(effects) == expected


def test_an_engine_that_failed_stands_before_the_one_that_was_asked_instead() -> None:
    effects = [effect("why dance", "brave"), effect("why dance", "zeal", error="zeal: 500"), gather("x", [], [])]
    assert lines(effects) == [("Why dance", "zeal", 0, "zeal: 500"), ("Why dance", "brave", 3, "")]


def test_a_query_that_was_given_up_is_told_unless_it_was_answered_elsewhere() -> None:
    given_up = gather("Why do bees dance?", ["Why dance", "reasons of dances"], ["Why dance", "reasons of dances"])
    failed = effect("why dance", error="searxng: 500")
    assert lines([given_up, effect("reasons of dances"), failed]) == [
        ("Why dance", "searxng", 0, "searxng: 500"),
        ("Why dance", "", 0, str(LEFT)),
        ("reasons of dances", "searxng", 3, ""),
    ]


def test_a_gathering_that_failed_and_other_effects_are_passed_over() -> None:
    failed = ("gather", {"task": "x", "queries": ["y"], "wanted": 1}, Answer(error={"what": "too late"}))
    assert lines([failed, ("clock", {"reading": "start"}, Answer(value="2026-01-01"))]) == []


def test_a_query_that_was_cut_is_told_as_it_was_asked() -> None:
    long = "bees " * 60
    task = Task(task="long", agent="web", queries=(long,))
    (line,) = searches([effect(" ".join(["bees"] * 50))], QUESTION, [task])
    assert line.query == " ".join(["bees"] * 50)


@pytest.fixture
def settings(tmp_path: Path, web_server: WebServer) -> Settings:
    files = tmp_path / "files"
    files.mkdir()
    (files / "bees.md").write_text("# Bees\n\nBees dance a waggle dance in the hive.\n", encoding="utf-8")
    return Settings(
        db=[files],
        data_dir=tmp_path / "data",
        web=True,
        urls=[web_server.put_article("/given", "Given", "Bees dance. " * 40)],
        searxng_url=web_server.url(),
        tavily_api_key=SecretStr("tvly-secret"),
        search__engines=["searxng"],
        network__allow_private=["127.0.0.0/8"],
        search__attempts=1,
        fetch__attempts=1,
        cache__page_hours=0,
        retrieval__dense=False,
    )


async def test_what_a_run_really_searched_is_in_its_log(settings: Settings, web_server: WebServer) -> None:
    page = web_server.put_article("/dance", "The dance", "Honey bees dance a waggle dance. " * 20)
    put_engine(web_server, lambda query: Reply("no", status=500) if query == "Why dance" else [page])
    async with Run(QUESTION, settings, journal=Journal()) as run:
        async with WebResearcher(run, settings) as gathering:
            await gathering.research(TASKS[0].task, TASKS[0].queries)
            assert settings.folders
            await ingest(run, settings.folders[0], embed=False)
            await retrieve(run, settings.folders, [QUESTION, "submarines"], 3)
        log = searches(run.journal.effects(*KINDS), QUESTION, TASKS)
        replay = searches(run.journal.effects(*KINDS), QUESTION, TASKS)
    assert [(line.query, line.engine, line.results) for line in log if not line.error] == [
        (QUESTION, "searxng", 1),
        (QUESTION, FILES, 1),
        ("reasons of dances", "searxng", 1),
        ("submarines", FILES, 0),
    ]
    (failed,) = (line for line in log if line.error)
    assert (failed.query, failed.engine, failed.results) == ("Why dance", "searxng", 0)
    assert "500" in str(failed.error)
    assert log == replay
    assert "/given" not in str(log), "a page that the user named was not searched for"
    assert "secret" not in str(log)


async def test_the_log_of_a_run_in_which_no_engine_answered_says_why(settings: Settings, web_server: WebServer) -> None:
    put_engine(web_server, lambda query: Reply("no", status=500))
    alone = settings.model_copy(update={"urls": []})
    async with Run(QUESTION, alone, journal=Journal()) as run, WebResearcher(run, alone) as gathering:
        with pytest.raises(NoSearchError):
            await gathering.research(TASKS[0].task, TASKS[0].queries)
        log = searches(run.journal.effects(*KINDS), QUESTION, TASKS)
    assert [(line.query, line.engine) for line in log] == [(one, "searxng") for one in (QUESTION, *TASKS[0].queries)]
    assert all(line.error and not line.results for line in log)


async def test_a_search_of_files_that_failed_says_why(run: Run) -> None:
    async def fails() -> None:
        raise RetrievalError("The index cannot be read")

    with pytest.raises(RetrievalError):
        await run.effect("retrieve", {"folders": [], "query": QUESTION, "top_k": 3}, fails)
    (line,) = searches(run.journal.effects(*KINDS), QUESTION, TASKS)
    assert (line.engine, line.results, line.error) == (FILES, 0, "The index cannot be read")


def test_a_search_that_a_limit_of_the_run_forbade_was_none() -> None:
    refused = Answer(error=BudgetError("There was no room for it in max_searches = 0").to_record())
    assert lines([("search", {"engine": "searxng", "query": "why dance"}, refused)]) == []
