"""The search log tells who was asked what, the calls are counted by it, and neither holds a secret."""

import random
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from loopback import KEY, ModelServer, Reply, Say, WebServer
from spyglass.kernel.errors import BudgetError, ModelError, NoSearchError, RetrievalError, RobotsError
from spyglass.kernel.journal import Answer, Journal, effect_key
from spyglass.kernel.plan import Task
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.model.model import Prompt
from spyglass.model.providers import get_model
from spyglass.model.scripted import Scripted
from spyglass.rag.ingest import ingest
from spyglass.rag.retrieve import retrieve
from spyglass.report.tally import FILES, KINDS, LEFT, calls, searches
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
def online(tmp_path: Path, web_server: WebServer) -> Settings:
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


async def test_what_a_run_really_searched_is_in_its_log(online: Settings, web_server: WebServer) -> None:
    page = web_server.put_article("/dance", "The dance", "Honey bees dance a waggle dance. " * 20)
    put_engine(web_server, lambda query: Reply("no", status=500) if query == "Why dance" else [page])
    async with Run(QUESTION, online, journal=Journal()) as run:
        async with WebResearcher(run, online) as gathering:
            await gathering.research(TASKS[0].task, TASKS[0].queries)
            assert online.folders
            await ingest(run, online.folders[0], embed=False)
            await retrieve(run, online.folders, [QUESTION, "submarines"], 3)
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


async def test_the_log_of_a_run_in_which_no_engine_answered_says_why(online: Settings, web_server: WebServer) -> None:
    put_engine(web_server, lambda query: Reply("no", status=500))
    alone = online.model_copy(update={"urls": []})
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
    refused = Answer(error=BudgetError("It did not fit within the limit max_searches = 0").to_record())
    assert lines([("search", {"engine": "searxng", "query": "why dance"}, refused)]) == []


def request(kind: str, asked: Any, error: str = "") -> tuple[str, str, Any, dict[str, str] | None]:
    return effect_key(kind, asked), kind, asked, {"what": error} if error else None


def test_calls_are_counted_by_what_was_asked_in_a_fixed_order() -> None:
    asked = [
        request("fetch", {"url": "a"}),
        request("search", {"engine": "searxng", "query": "a"}),
        request("fetch", {"url": "b"}, error="gone"),
        request("search", {"engine": "brave", "query": "a"}, error="429"),
        request("clock", {"reading": "start"}),
        request("gather", {"task": "t"}),
        request("model", {"role": "writer", "model": "m", "user": "a"}),
        request("model", {"role": "writer", "model": "m", "user": "b"}),
        request("model", {"role": "planner", "model": "m", "user": "a"}),
        request("embed", {"model": "e", "texts": ["a"]}),
        request("retrieve", {"query": "a"}),
    ]
    counted = calls(asked, {})
    assert [(call.kind, call.what, call.count, call.failed) for call in counted] == [
        ("model", "planner: m", 1, 0),
        ("model", "writer: m", 2, 0),
        ("embed", "e", 1, 0),
        ("search", "brave", 1, 1),
        ("search", "searxng", 1, 0),
        ("fetch", "pages", 2, 1),
        ("retrieve", "local files", 1, 0),
    ]
    assert calls(reversed(asked), {}) == counted


def test_a_call_that_a_limit_of_the_run_forbade_was_none() -> None:
    key, kind, asked, _ = request("model", {"role": "writer", "model": "m", "user": "a"})
    refused = BudgetError("It did not fit within the limit max_cost = 0").to_record()
    assert calls([(key, kind, asked, refused)], {}) == []


def test_tokens_and_cost_are_those_of_the_run(run: Run) -> None:
    one, two = (request("model", {"role": "writer", "model": "m", "user": user}) for user in "ab")
    run.spending.add(one[0], 100, 10, 0.25)
    run.spending.add(two[0], 50, 5, 0.5)
    run.spending.add(two[0], 50, 5, 0.5)
    (call,) = calls([one, two], run.spending.each)
    assert (call.prompt_tokens, call.completion_tokens, call.cost) == (150, 15, 0.75)


def test_the_cost_is_unknown_where_any_price_is(run: Run) -> None:
    one, two = (request("model", {"role": "writer", "model": "m", "user": user}) for user in "ab")
    run.spending.add(one[0], 100, 10, None)
    run.spending.add(two[0], 50, 5, 0.5)
    (call,) = calls([one, two], run.spending.each)
    assert (call.cost, call.prompt_tokens) == (None, 150)


async def test_what_a_run_asked_of_a_model_adds_up_to_what_it_spent(settings: Settings) -> None:
    async with Run("What is known?", settings, journal=Journal()) as run:
        model = Scripted({"planner": ["a plan"], "writer": ["a text", ModelError("broken")]})
        await model.complete(run, Prompt("", "plan"), role="planner")
        await model.complete(run, Prompt("", "write"), role="writer")
        with pytest.raises(ModelError):
            await model.complete(run, Prompt("", "write more"), role="writer")
        counted = calls(run.journal.requests(), run.spending.each)
        assert [(call.what, call.count, call.failed) for call in counted] == [
            ("planner: scripted", 1, 0),
            ("writer: scripted", 2, 1),
        ]
        assert sum(call.prompt_tokens for call in counted) == run.spending.prompt_tokens > 0
        assert sum(call.completion_tokens for call in counted) == run.spending.completion_tokens > 0
        assert sum(call.count - call.failed for call in counted) == run.spending.calls


async def test_no_key_reaches_the_calls(settings: Settings, model_server: ModelServer) -> None:
    model_server.play(lambda asked: Say("hello"))
    theirs = {"provider": "openai", "base_url": model_server.base_url("openai"), "key": SecretStr(KEY)}
    given = settings.updated(**theirs)
    async with Run("What is known?", given, journal=Journal()) as run:
        await get_model("openai", "gpt-4o-mini", given).complete(run, Prompt("", "hello"), role="writer")
        (call,) = calls(run.journal.requests(), run.spending.each)
        assert KEY not in f"{call} {run.journal.requests()}"
    assert (call.kind, call.what, call.count) == ("model", "writer: gpt-4o-mini", 1)
    assert call.prompt_tokens > 0


async def test_a_robots_txt_that_could_not_be_read_is_a_failed_call(run: Run) -> None:
    async def fails() -> None:
        raise RobotsError("robots.txt cannot be read")

    with pytest.raises(RobotsError):
        await run.effect("robots", {"url": "https://example.org/robots.txt"}, fails)
    (call,) = calls(run.journal.requests(), {})
    assert (call.kind, call.what, call.count, call.failed) == ("robots", "robots.txt", 1, 1)
