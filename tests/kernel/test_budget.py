"""A run never spends more than it may, and whatever it may not spend, its report is there."""

import asyncio
import json
import random
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from loopback import WebServer
from spyglass import research
from spyglass.agent import Planner, RAG_agent, Reporter
from spyglass.generate_report import replay
from spyglass.kernel.budget import NOTHING, Amount, Budget
from spyglass.kernel.errors import BudgetError, ModelBusyError, ModelError, SettingsError
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Bounds, Settings
from spyglass.model.exchange import ModelConfig, ModelRequest, Reply
from spyglass.model.model import Model, Prompt
from spyglass.model.openai import OpenAI
from spyglass.model.providers import model_for
from spyglass.model.scripted import Scripted
from web.engine import put_engine, queries

PRICE = (1.0, 4.0)
"""US dollars for a million tokens of prompts, and of answers."""


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def budget(share: float = 0.0, roles: dict[str, dict[str, float]] | None = None, **limits: float) -> Budget:
    return Budget(limits, roles or {}, share, clock=Clock())


async def spend(budget: Budget, role: str, most: Amount, used: Amount | None = None) -> None:
    async with budget.hold(role, most) as held:
        held.used = most if used is None else used


async def test_what_fits_is_spent_and_what_does_not_is_refused() -> None:
    bounded = budget(max_tokens=100)
    await spend(bounded, "writer", Amount(tokens=60))
    with pytest.raises(BudgetError, match=r"not fit within the limit max_tokens = 100\. Raise max_tokens\."):
        await spend(bounded, "writer", Amount(tokens=41))
    await spend(bounded, "writer", Amount(tokens=40))
    assert bounded.spent == Amount(tokens=100)


async def test_what_a_call_did_not_use_is_there_for_the_next() -> None:
    bounded = budget(max_cost=1.0)
    for _ in range(5):
        await spend(bounded, "writer", Amount(cost=0.8), used=Amount(cost=0.05))
    assert bounded.spent.cost == pytest.approx(0.25)


async def test_a_call_that_would_fit_waits_for_those_under_way() -> None:
    bounded, order = budget(max_cost=1.0), []

    async def call(name: str) -> None:
        async with bounded.hold("writer", Amount(cost=0.7)) as held:
            order.append(name)
            await asyncio.sleep(0.01)
            held.used = Amount(cost=0.1)

    await asyncio.gather(call("first"), call("second"), call("third"))
    assert order == ["first", "second", "third"]


async def test_a_call_that_fails_with_its_use_unknown_counts_as_reserved() -> None:
    bounded = budget(max_calls=2, max_cost=1.0)
    with pytest.raises(ZeroDivisionError):
        async with bounded.hold("writer", Amount(cost=0.9, calls=1)):
            raise ZeroDivisionError
    with pytest.raises(BudgetError, match="max_cost"):
        await spend(bounded, "writer", Amount(cost=0.2, calls=1))


async def test_a_role_has_limits_of_its_own() -> None:
    bounded = budget(roles={"checker": {"max_calls": 1}})
    await spend(bounded, "checker", Amount(calls=1))
    with pytest.raises(BudgetError, match="max_calls = 1 of the checker"):
        await spend(bounded, "checker", Amount(calls=1))
    await spend(bounded, "writer", Amount(calls=1))


async def test_research_leaves_writing_its_share() -> None:
    bounded = budget(share=0.3, max_calls=10, max_searches=10)
    for _ in range(7):
        await spend(bounded, "planner", Amount(calls=1))
    with pytest.raises(BudgetError):
        await spend(bounded, "planner", Amount(calls=1))
    for _ in range(10):
        await spend(bounded, "search", Amount(searches=1))
    bounded.begin_writing()
    for _ in range(3):
        await spend(bounded, "writer", Amount(calls=1))
    with pytest.raises(BudgetError):
        await spend(bounded, "writer", Amount(calls=1))


async def test_what_waits_in_research_has_room_once_writing_begins() -> None:
    bounded = budget(share=0.5, max_cost=1.0)
    async with bounded.hold("planner", Amount(cost=0.4)):
        waiting = asyncio.create_task(spend(bounded, "planner", Amount(cost=0.4)))
        await asyncio.sleep(0)
        bounded.begin_writing()
        await waiting
    assert bounded.spent.cost == pytest.approx(0.8)


async def test_a_run_that_was_killed_goes_on_from_what_it_had_spent_and_reserved() -> None:
    kept: list[dict[str, Any]] = []
    first = Budget({"max_cost": 1.0}, {}, 0.0, clock=Clock(), keep=kept.append)
    await spend(first, "writer", Amount(cost=0.3), used=Amount(cost=0.1))
    async with first.hold("writer", Amount(cost=0.5)):
        again = Budget({"max_cost": 1.0}, {}, 0.0, clock=Clock(), spent=kept[-1])
    assert again.spent.cost == pytest.approx(0.6)


async def test_time_is_left_for_writing_and_for_the_end() -> None:
    clock = Clock()
    bounded = Budget({"max_time": 100}, {}, 0.3, clock=clock)
    assert (bounded.within(1000), bounded.within(5)) == (70, 5)
    clock.now = 80
    assert bounded.within(1000) == 0
    assert bounded.at_most(1000) == 5
    with pytest.raises(BudgetError, match="no time left for it: max_time = 100 s"):
        async with bounded.in_time("fetch"):
            pass
    bounded.begin_writing()
    assert bounded.within(1000) == 19
    assert budget().at_most(1000) == 1000


async def test_a_call_is_given_up_with_its_retries_when_the_time_is_over(settings: Settings) -> None:
    async def busy() -> None:
        raise ModelBusyError("busy", retry_after=30.0)

    async def hang() -> None:
        await asyncio.Event().wait()

    async with Run("Why?", settings.updated(budget__max_time=0.2), journal=Journal()) as run:
        for name, call in (("busy", busy), ("hang", hang)):
            with pytest.raises(BudgetError, match="max_time"):
                await run.effect("search", {"q": name}, call, attempts=3)
        for name in ("busy", "hang"):
            with pytest.raises(BudgetError, match="max_time"):
                await run.effect("search", {"q": name}, hang)


# Models


class Billing(Scripted):
    """A model that takes its time, and knows what its maker charges: also for what nobody waited for."""

    def __init__(self, script: Callable[[Prompt], Any], config: ModelConfig) -> None:
        super().__init__(script, config)
        self.billed = NOTHING

    async def ask(self, client: None, request: ModelRequest, hear: Callable[[str], None] | None) -> Reply:
        reply = await super().ask(client, request, hear)
        self.billed += self.amount(reply.prompt_tokens or 0, reply.completion_tokens or request.max_tokens)
        await asyncio.sleep(len(self.prompts) % 3 / 1000)
        return reply

    def amount(self, prompt: int, answer: int) -> Amount:
        return Amount((prompt * PRICE[0] + answer * PRICE[1]) / 1_000_000, prompt + answer, 1)


def erratic(chance: random.Random, longest: int) -> Callable[[Prompt], Reply | Exception]:
    """Answer, say how much that was or not, be busy, or fail for good."""

    def line(prompt: Prompt) -> Reply | Exception:
        what = chance.random()
        if what < 0.15:
            return ModelBusyError("busy", retry_after=0.0)
        if what < 0.2:
            return ModelError("garbage")
        silent = what < 0.3
        said = None if silent else chance.randint(1, longest)
        return Reply(text="words", prompt_tokens=None if silent else len(prompt.user) // 4, completion_tokens=said)

    return line


async def workload(seed: int, settings: Settings) -> tuple[Amount, Amount, dict[str, float]]:
    """Make many calls at once, of several roles, some cancelled; return what was billed, what the run says, limits."""
    chance = random.Random(seed)
    limits: dict[str, float] = {
        "max_cost": chance.choice([0.0, 0.0005, 0.002, 0.01]),
        "max_tokens": chance.choice([200, 2_000, 20_000]),
        "max_calls": chance.randint(0, 8),
    }
    given = {**dict(chance.sample(sorted(limits.items()), chance.randint(1, 3))), "writing_share": chance.random() / 2}
    longest = chance.choice([50, 500])
    model = Billing(
        erratic(chance, longest), ModelConfig(price=PRICE, max_output_tokens=longest, attempts=chance.choice([1, 1, 2]))
    )
    async with Run("Why?", settings.updated(budget=given), journal=Journal()) as run:

        async def one(number: int) -> None:
            with suppress(BudgetError, ModelError):
                prompt = Prompt("", f"{number} " + "word " * chance.randint(1, 60))
                await model.complete(run, prompt, role=chance.choice(["planner", "writer", "checker"]))

        tasks = [asyncio.create_task(one(number)) for number in range(chance.randint(2, 10))]
        await asyncio.sleep(0.001)
        for task in chance.sample(tasks, len(tasks) // 4):
            task.cancel()
        if chance.random() < 0.5:
            run.budget.begin_writing()
        async with asyncio.timeout(120):
            await asyncio.gather(*tasks, return_exceptions=True)
        said = run.spending
        spent = Amount(said.cost, said.prompt_tokens + said.completion_tokens, said.calls)
        return model.billed, spent, given


@pytest.mark.slow
async def test_over_a_thousand_workloads_no_limit_is_exceeded(settings: Settings) -> None:
    asyncio.get_running_loop().set_debug(False)  # ten thousand calls, and four times as slow with it
    tried = 0
    for start in range(0, 1000, 50):
        for billed, said, limits in await asyncio.gather(*(workload(start + n, settings) for n in range(50))):
            for amount in (billed, said):
                assert amount.cost <= limits.get("max_cost", 1.0) + 1e-9
                assert amount.tokens <= limits.get("max_tokens", 1e9)
                assert amount.calls <= limits.get("max_calls", 1e9)
            tried += billed.calls > 0
    assert tried > 450


# Whole runs


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    for number, subject in enumerate(["harbour", "lighthouse", "market", "ferry"]):
        (folder / f"{subject}.md").write_text(
            f"# The {subject}\n\nThe {subject} was built in 18{number}1 by the company of Anna Berg in nine years.\n\n"
            f"## Depth\n\nThe {subject} lies eleven metres above the sea; its stones weigh {number + 3} tonnes.\n"
        )
    return folder


PLAN = {
    "tasks": [{"task": "history of the harbour", "agent": "local-retrieval", "queries": ["harbour built"]}],
    "sections": ["The harbour", "The lighthouse", "The market"],
}

QUESTION = "When was the harbour built, and how deep is it?"


def obliging(prompt: Prompt) -> str:
    """Plan when asked to plan, else write a sentence for each passage that is offered."""
    if "tasks" in prompt.user and "agent" in prompt.user:
        return json.dumps(PLAN)
    labels = re.findall(r'<source id="(S[\d.]+)"', prompt.user)
    return " ".join(f"It was built by the company of Anna Berg [{label}]." for label in labels) or "It took nine years."


def agents(model: Model) -> dict[str, Any]:
    return {"planner": Planner(model), "agents": [RAG_agent(model), Reporter(model)]}


@pytest.mark.slow
@pytest.mark.usefixtures("files")
async def test_a_report_comes_out_of_every_run_that_has_a_source(settings: Settings) -> None:
    asyncio.get_running_loop().set_debug(False)
    chance, writers = random.Random(7), []
    for _ in range(20):
        model = Billing(obliging, ModelConfig(price=PRICE, max_output_tokens=500))
        limits = {"max_cost": chance.choice([0.0, 0.002, 0.005, 0.01, 0.03]), "max_calls": chance.randint(0, 8)}
        effort = chance.choice(["normal", "deep"])
        given = settings.updated(budget=limits, retrieval__dense=False, effort=effort)
        report = await research(QUESTION, **agents(model), settings=given)
        assert report.sections
        assert report.citations
        assert model.billed.cost <= limits["max_cost"] + 1e-9
        assert model.billed.calls <= limits["max_calls"]
        skipped = {failure.why for failure in report.failures}
        assert report.outcome == ("partial" if skipped else "complete")
        assert all("max_cost" in str(why) or "max_calls" in str(why) for why in skipped)
        writers.append(report.writer)
    assert len(set(writers)) == 2, "some were written and some quoted"


@pytest.mark.usefixtures("files")
async def test_what_was_skipped_is_told_in_one_line_with_its_limit(settings: Settings) -> None:
    given = settings.updated(budget__max_calls=0, retrieval__dense=False)
    report = await research(QUESTION, **agents(Scripted(obliging)), settings=given)
    lines = [line for line in report.markdown.splitlines() if "max_calls" in line]
    assert len(lines) == 1
    assert "planning with the model" in lines[0]
    assert (
        "quoted from its sources instead – It did not fit within the limit max_calls = 0. Raise max_calls." in lines[0]
    )


@pytest.mark.usefixtures("files")
async def test_a_model_without_a_price_stops_a_bounded_sum_before_the_run_starts(settings: Settings) -> None:
    model = OpenAI("house-model", ModelConfig(base_url="http://127.0.0.1:9/v1"))
    bounded = settings.updated(budget__roles={"writer": Bounds(max_cost=1.0)})
    with pytest.raises(SettingsError, match=r'openai/house-model.*prices = \{"openai/house-model" = \[0\.5, 1\.5\]\}'):
        await research(QUESTION, **agents(model), settings=bounded)
    assert not (settings.data_dir / "runs").exists()


async def test_a_price_of_ones_own_counts(settings: Settings) -> None:
    priced = settings.updated(provider="openai", model="m", budget__prices={"openai/m": (2.0, 10.0)})
    model = model_for(priced, "writer")
    assert model is not None
    assert model.price(datetime(2026, 6, 1, tzinfo=UTC), 1_000_000, 100_000) == pytest.approx(3.0)


@pytest.mark.usefixtures("files")
async def test_a_replay_of_a_run_that_met_its_limit_is_the_same_and_costs_nothing(settings: Settings) -> None:
    given = settings.updated(budget__max_calls=3, retrieval__dense=False)
    report = await research(QUESTION, **agents(Scripted(obliging)), settings=given)
    assert report.outcome == "partial"
    again = Scripted(obliging)
    replayed = await replay(report.run, **agents(again), settings=settings)
    assert replayed.markdown == report.markdown
    assert not again.prompts


async def test_what_the_journal_answers_is_neither_refused_nor_counted_again(
    settings: Settings, tmp_path: Path
) -> None:
    given = settings.updated(budget__max_calls=2, budget__writing_share=0.0)
    model = Scripted(lambda prompt: f"answer to {prompt.user}")
    path = tmp_path / "journal.sqlite"
    async with Run("Why?", given, journal=Journal(path)) as run:
        await model.complete(run, Prompt("", "a"), role="writer")
    async with Run("Why?", given, journal=Journal(path)) as run:
        for name in "aaba":
            assert await model.complete(run, Prompt("", name), role="writer") == f"answer to {name}"
        with pytest.raises(BudgetError):
            await model.complete(run, Prompt("", "c"), role="writer")
        assert await model.complete(run, Prompt("", "b"), role="writer") == "answer to b"
        assert run.budget.spent.calls == 2
    assert len(model.prompts) == 2


@pytest.mark.usefixtures("files")
async def test_a_run_that_met_its_limit_is_finished_with_a_higher_one(settings: Settings) -> None:
    given = settings.updated(budget__max_calls=2, retrieval__dense=False)
    model = Scripted(obliging)
    short = await research(QUESTION, **agents(model), settings=given)
    assert short.outcome == "partial"
    more = settings.updated(budget__max_calls=50, retrieval__dense=False)
    whole = await research(resume=short.run, **agents(model), settings=more)
    assert (whole.outcome, whole.failures) == ("complete", [])
    assert len(model.prompts) == len({(prompt.system, prompt.user) for prompt in model.prompts})


# On the web


@pytest.fixture
def web(tmp_path: Path, web_server: WebServer) -> Settings:
    """Settings that search and read the loopback web, where there are ten pages about bees."""
    text = "Honey bees dance a waggle dance to tell their sisters where flowers are. "
    pages = [web_server.put_article(f"/{n}", f"Dance {n}", f"{text} Number {n}. " * 6) for n in range(10)]
    put_engine(web_server, lambda query: pages)
    return Settings(
        data_dir=tmp_path / "data",
        searxng_url=web_server.url(),
        network__allow_private=["127.0.0.0/8"],
        cache__page_hours=0,
        search__attempts=1,
    )


BEES = "How do bees dance, and why do they dance?"


async def test_searches_and_pages_are_bounded(web: Settings, web_server: WebServer) -> None:
    report = await research(BEES, settings=web.updated(budget__max_searches=2, budget__max_fetches=3))
    assert len(queries(web_server)) == 2
    assert len({visit.path for visit in web_server.visits if visit.path[1:].isdecimal()}) == 3
    assert report.outcome == "partial"
    assert len(report.sources) == 3
    assert {str(failure.why).split(".")[0] for failure in report.failures} <= {
        "It did not fit within the limit max_searches = 2",
        "It did not fit within the limit max_fetches = 3",
    }
    assert not any("It did not fit" in str(search.error) for search in report.searches)


async def test_where_nothing_may_be_searched_the_report_says_so(web: Settings, web_server: WebServer) -> None:
    report = await research(BEES, settings=web.updated(budget__max_searches=0))
    assert (report.outcome, report.sections) == ("failed", [])
    assert "max_searches = 0. Raise max_searches." in report.markdown
    assert not web_server.visits


async def test_an_agent_that_had_no_time_has_it_in_the_resumed_run(web: Settings, web_server: WebServer) -> None:
    hasty = await research(BEES, settings=web.updated(budget__max_time=0.001))
    assert (hasty.outcome, hasty.sources) == ("failed", [])
    assert "max_time = 0.001 s" in hasty.markdown
    report = await research(settings=web.updated(budget__max_time=600.0), resume="last")
    assert (report.outcome, len(report.sources) > 1) == ("complete", True)


@pytest.mark.slow
@pytest.mark.usefixtures("files")
async def test_a_run_ends_in_time_whatever_the_model_and_the_pages_do(
    settings: Settings, web: Settings, web_server: WebServer
) -> None:
    class Slow(Scripted):
        async def ask(self, client: None, request: ModelRequest, hear: Callable[[str], None] | None) -> Reply:
            await asyncio.sleep(90)
            return await super().ask(client, request, hear)

    slow = [web_server.url(f"/hang?{number}") for number in range(9)]
    put_engine(web_server, lambda query: [web_server.url("/0"), *slow])
    limits = {
        "budget.max_time": 12.0,
        "budget.writing_share": 0.1,
        "retrieval.dense": False,
        "fetch.page_deadline": 600,
        "network.read_deadline": 600,
    }
    of_files, of_pages = await asyncio.gather(
        research(QUESTION, **agents(Slow(obliging)), settings=settings.updated(**limits)),
        research(BEES, settings=web.updated(**limits, urls=slow[:2])),
    )
    assert (of_files.outcome, of_files.writer) == ("partial", "")
    assert of_files.citations
    assert {str(failure.why) for failure in of_files.failures} == {
        "There was no time left for it: max_time = 12 s. Raise max_time."
    }
    assert [source.title for source in of_pages.sources] == ["Dance 0"]
    assert of_pages.outcome == "partial"
    assert "max_time = 12 s" in of_pages.markdown
