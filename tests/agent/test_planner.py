"""The Planner hands out its tasks in order, asks once more where too little was found, and never twice the same."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from loopback import ModelServer
from spyglass.agent import Planner
from spyglass.agent.planner import plan_of
from spyglass.kernel.errors import ModelBusyError, ModelKeyError, PlanWaitsError, RunError, UsageError
from spyglass.kernel.events import Event, Planned
from spyglass.kernel.journal import Journal
from spyglass.kernel.journal.approval import approve, approved, proposed
from spyglass.kernel.message import TERMINATE
from spyglass.kernel.plan import AgentCard, Plan, Task
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.model.exchange import Reply
from spyglass.model.extract import extract
from spyglass.model.providers import model_for
from spyglass.model.scripted import Scripted
from spyglass.prompts import render

CARDS = [
    AgentCard("local-retrieval", "Searches the user's own files.", gathers=False),
    AgentCard("quick-searcher", "Searches the web.", gathers=False),
    AgentCard("reporter", "Writes the report.", gathers=True),
]


def joined(planner: Planner, run: Run) -> Planner:
    """Give a planner its run, and the run its agents, as Router and Server do."""
    run.agents = {card.name: card for card in CARDS}
    planner.attach(run)
    return planner


def plan(*tasks: tuple[str, str], **more: Any) -> str:
    return json.dumps({"tasks": [{"task": task, "agent": agent} for task, agent in tasks], **more})


async def drained(planner: Planner, question: str, found: list[Any] | None = None) -> list[tuple[str, str]]:
    """Ask until TERMINATE; return (agent, task) in order."""
    steps = []
    while (message := await planner.run(question, found or []))["agent"] != TERMINATE:
        steps.append((message["agent"], message["task"]))
    return steps


def enough(*tasks: str) -> list[dict[str, Any]]:
    return [{"task": task, "url": f"file:///{task}/{number}"} for task in tasks for number in range(2)]


async def test_tasks_are_popped_in_order_and_the_reporter_is_last(run: Run) -> None:
    answer = plan(("write it", "reporter"), ("find a", "local-retrieval"), ("find b", "quick-searcher"))
    planner = joined(Planner(Scripted([answer])), run)
    assert await drained(planner, "Why?", enough("find a", "find b")) == [
        ("local-retrieval", "find a"),
        ("quick-searcher", "find b"),
        ("reporter", "Why?"),
    ]


async def test_the_last_message_is_the_contracts(run: Run) -> None:
    planner = joined(Planner(Scripted([plan(("a", "local-retrieval"))])), run)
    found = enough("a")
    await planner.run("Why?", [])
    await planner.run("Why?", found)
    assert await planner.run("Why?", found) == {"agent": "TERMINATE", "task": "TERMINATE", "data": found}


async def test_the_prompt_names_every_agent_its_description_and_the_day_of_the_runs_clock(run: Run) -> None:
    model = Scripted([plan(("a", "local-retrieval"))])
    await joined(Planner(model), run).run("Why?", [])
    asked = model.prompts[0].user
    assert all(f"- {card.name}: {card.description}" in asked for card in CARDS)
    assert run.today.isoformat() in asked
    assert "Why?" in asked


async def test_files_that_are_searched_by_meaning_are_asked_just_the_question(run: Run) -> None:
    question = "Why is the mole of the harbour painted every year?"
    planner = joined(Planner(), run)
    run.agents["local-retrieval"] = replace(run.agents["local-retrieval"], searches="files")
    await planner.run(question, [])
    asked = {task.agent: task.queries for task in run.plan.tasks}
    assert asked["local-retrieval"] == (question,)
    assert len(asked["quick-searcher"]) > 1


async def test_queries_and_sections_travel_on_the_run(run: Run, events: list[Event]) -> None:
    task = {"task": "a", "agent": "local-retrieval", "queries": ["one", "one", " ", "two", "three", "four"]}
    model = Scripted([json.dumps({"tasks": [task], "sections": ["First", "First", "Second"]})])
    await joined(Planner(model), run).run("Why?", [])
    assert run.plan.tasks[0].queries == ("one", "two", "three")
    assert run.plan.sections == ("First", "Second")
    assert [event.by for event in events if isinstance(event, Planned)] == ["model"]


async def test_the_only_section_of_a_model_is_left_to_the_summary(run: Run) -> None:
    task = {"task": "a", "agent": "local-retrieval", "queries": ["one"]}
    model = Scripted([json.dumps({"tasks": [task], "sections": ["First", " First "]})])
    await joined(Planner(model), run).run("Why?", [])
    assert run.plan.sections == ()


@pytest.mark.parametrize(
    "answer",
    [
        '[{"task": "a", "agent": "local-retrieval"}]',
        '<think>{"tasks": []}</think>\n```json\n[{"task": "a", "agent": "LOCAL-RETRIEVAL"}]\n```',
        "Sure! {'tasks': [{'task': 'a', 'agent': 'local-retrieval'},]}",
    ],
)
async def test_plans_are_read_as_models_write_them(run: Run, answer: str) -> None:
    planner = joined(Planner(Scripted([answer])), run)
    assert (await drained(planner, "Why?", enough("a")))[0] == ("local-retrieval", "a")


async def test_an_unknown_agent_is_repaired_once(run: Run) -> None:
    model = Scripted([plan(("a", "web-wizard")), plan(("a", "quick-searcher"))])
    planner = joined(Planner(model), run)
    assert (await drained(planner, "Why?", enough("a")))[0] == ("quick-searcher", "a")
    assert "web-wizard" in model.prompts[1].user
    assert "local-retrieval, quick-searcher, reporter" in model.prompts[1].user


async def test_unknown_agents_that_stay_leave_the_planning_to_the_rules_and_the_run_says_so(
    run: Run, events: list[Event]
) -> None:
    planner = joined(Planner(Scripted([plan(("a", "web-wizard")), plan(("b", "oracle"))])), run)
    assert [task for _, task in await drained(planner, "Why?", enough("Why?"))] == ["Why?"] * 3
    assert [event.by for event in events if isinstance(event, Planned)] == ["rules"]
    assert "oracle" in str(run.notices[0])
    assert "local-retrieval, quick-searcher, reporter" in str(run.notices[0])
    assert run.failures == []


async def test_the_schema_that_is_sent_names_the_agents_of_the_run(model_server: ModelServer, run: Run) -> None:
    model_server.script(plan(("a", "local-retrieval")))
    settings = run.settings.model_copy(
        update={"provider": "openai", "model": "m", "base_url": model_server.base_url("openai")}
    )
    await joined(Planner(model_for(settings, "planner")), run).run("Why?", [])
    [asked] = model_server.requests
    agents = ["local-retrieval", "quick-searcher", "reporter"]
    assert asked.schema is not None
    assert asked.schema["$defs"]["PlannedTask"]["properties"]["agent"] == {
        "type": "string",
        "enum": agents,
        "title": "Agent",
    }
    assert json.dumps({"enum": agents})[1:-1] in asked.user


@pytest.mark.parametrize("name", ["LOCAL-RETRIEVAL", "Local Retrieval", "local_retrieval", "local-retrieval: files"])
async def test_an_agent_is_known_however_its_name_is_written(run: Run, name: str) -> None:
    planner = joined(Planner(Scripted([plan(("a", name))])), run)
    assert (await planner.run("Why?", []))["agent"] == "local-retrieval"


EXAMPLE = extract(render("planner", question="", today="", language="", agents="").user)
REAL = {"task": "how it was built", "agent": "local-retrieval", "queries": ["builders of the harbour"]}
ECHO = {"task": "Why so?", "agent": "quick-searcher", "queries": ["why so"]}
BY_RULES = [("local-retrieval", "Why so?"), ("quick-searcher", "Why so?")]
OWN = [("local-retrieval", "how it was built")]


def tasks(*given: dict[str, Any], **more: Any) -> str:
    return json.dumps({"tasks": given, **more})


@pytest.mark.parametrize(
    ("answer", "planned"),
    [
        pytest.param(json.dumps(EXAMPLE), BY_RULES, id="the example said back"),
        pytest.param(tasks(EXAMPLE["tasks"][0], REAL), OWN, id="the example and a task"),
        pytest.param(tasks({**REAL, "task": "string", "queries": ["query 1"]}), BY_RULES, id="a type for a task"),
        pytest.param(tasks({**REAL, "task": "..."}, {**REAL, "task": ""}), BY_RULES, id="tasks without words"),
        pytest.param(tasks({**REAL, "task": "Searches the user's own files."}), BY_RULES, id="what an agent is for"),
        pytest.param(tasks({**REAL, "agent": "name of an agent"}), BY_RULES, id="the placeholder for an agent"),
        pytest.param(tasks(*[ECHO] * 5), BY_RULES, id="the question as every task"),
        pytest.param(tasks(ECHO, REAL), [BY_RULES[1], *OWN], id="the question and a task"),
        pytest.param(tasks(*[REAL] * 60), OWN, id="a task dozens of times"),
        pytest.param(tasks(REAL, {**REAL, "task": "How it was built."}), OWN, id="a task in two spellings"),
        pytest.param(tasks(*[REAL] * 60)[:-200], OWN, id="cut within a task"),
        pytest.param(tasks(REAL, REAL)[: len(tasks(REAL)) - 1], OWN, id="cut between tasks"),
        pytest.param(json.dumps(plan_of(["reporter"]).model_json_schema()), BY_RULES, id="the schema said back"),
        pytest.param("", BY_RULES, id="nothing"),
        pytest.param("<think>Let me see.", BY_RULES, id="thinking only"),
        pytest.param("I will gladly help.", BY_RULES, id="prose"),
        pytest.param("{}", BY_RULES, id="an empty object"),
        pytest.param("[]", BY_RULES, id="an empty list"),
        pytest.param(tasks({"task": "how", "agent": "reporter"}), BY_RULES, id="the report only"),
        pytest.param(tasks(sections=["heading", "heading"]), BY_RULES, id="headings only"),
    ],
)
async def test_what_small_models_get_wrong_is_planned_all_the_same(
    run: Run, answer: str, planned: list[tuple[str, str]]
) -> None:
    planner = joined(Planner(Scripted(lambda _: answer)), run)
    found = enough("Why so?", "how it was built")
    assert await drained(planner, "Why so?", found) == [*planned, ("reporter", "Why so?")]
    assert run.failures == []
    assert bool(run.notices) == (planned == BY_RULES)
    texts = [text for task in run.plan.tasks for text in (task.task, *task.queries)] + [*run.plan.sections]
    assert not {"query", "heading", "query 1"} & set(texts)


async def test_tasks_that_are_one_share_their_queries(run: Run) -> None:
    model = Scripted([tasks(REAL, {**REAL, "queries": ["engineers", "query"]})])
    await joined(Planner(model), run).run("Why so?", [])
    assert [task.queries for task in run.plan.tasks] == [("builders of the harbour", "engineers")]


async def test_what_the_user_asks_in_words_of_the_prompt_is_not_taken_for_a_copy(settings: Settings) -> None:
    question = "What is the name of an agent, and what to find out of it?"
    answer = tasks({**REAL, "task": "what to find out of it", "queries": ["1984"]})
    async with Run(question, settings, journal=Journal()) as run:
        planner = joined(Planner(Scripted([answer])), run)
        assert (await planner.run(question, []))["task"] == "what to find out of it"
        assert run.plan.tasks[0].queries == ("1984",)


async def test_without_a_model_the_rules_plan_for_every_research_agent(run: Run, events: list[Event]) -> None:
    planner = joined(Planner(None), run)
    found = enough("What is a lens", "how is lens cleaned")
    steps = await drained(planner, "What is a lens and how is it cleaned?", found)
    assert steps == [
        ("local-retrieval", "What is a lens"),
        ("quick-searcher", "What is a lens"),
        ("local-retrieval", "how is lens cleaned"),
        ("quick-searcher", "how is lens cleaned"),
        ("reporter", "What is a lens and how is it cleaned?"),
    ]
    assert [event.by for event in events if isinstance(event, Planned)] == ["rules"]


@pytest.mark.parametrize("answers", [["no idea", "still none"], [ModelKeyError("The key is refused")]])
async def test_when_the_model_gives_no_plan_the_rules_do(run: Run, answers: list[str | Exception]) -> None:
    planner = joined(Planner(Scripted(answers)), run)
    assert (await planner.run("Why?", []))["task"] == "Why?"


async def test_a_model_that_fails_twice_leaves_the_planning_to_the_rules(run: Run) -> None:
    model = Scripted([ModelBusyError("busy", retry_after=0)] * 2)
    planner = joined(Planner(model), run)
    assert (await planner.run("Why?", []))["task"] == "Why?"
    assert len(model.prompts) == 2
    assert "busy" in str(run.failures[0].why)


async def test_asking_once_more_waits_for_no_second_attempt(run: Run) -> None:
    model = Scripted([plan(("a", "local-retrieval")), ModelBusyError("busy", retry_after=0)])
    await drained(joined(Planner(model), run), "Why?")
    assert len(model.prompts) == 2
    assert "further tasks with the model; planned by rules instead" in str(run.failures[0].what)


async def test_a_model_that_cannot_be_called_is_told(run: Run) -> None:
    await joined(Planner(Scripted([ModelKeyError("The key is refused")])), run).run("Why?", [])
    assert "The key is refused" in str(run.failures[0].why)


async def test_a_sub_question_with_too_little_is_asked_once_more_with_new_queries(run: Run) -> None:
    first = plan(("a", "local-retrieval"), ("b", "local-retrieval"))
    further = json.dumps({"tasks": [{"task": "b again", "agent": "local-retrieval", "queries": ["b", "B!", "bee"]}]})
    model = Scripted([first, further])
    planner = joined(Planner(model), run)
    steps = await drained(planner, "Why?", enough("a"))
    assert [task for _, task in steps] == ["a", "b", "Why?", "b again"]
    assert run.plan.tasks[-1].queries == ("bee",)
    assert "b (tried: b)" in model.prompts[1].user


async def test_enough_sources_need_no_second_round(run: Run) -> None:
    model = Scripted([plan(("a", "local-retrieval"))])
    await drained(joined(Planner(model), run), "Why?", enough("a"))
    assert len(model.prompts) == 1


async def test_the_rules_ask_once_more_too_and_only_once(run: Run) -> None:
    planner = joined(Planner(None), run)
    steps = await drained(planner, "How does a telescope form sharp images?")
    further = [task for _, task in steps if task.endswith("(further)")]
    assert further == ["How does a telescope form sharp images? (further)"] * 2
    queries = [query for task in run.plan.tasks[2:3] for query in task.queries]
    assert queries
    assert not set(queries) & set(run.plan.tasks[0].queries)


async def test_tasks_without_words_are_no_plan(run: Run) -> None:
    planner = joined(Planner(Scripted([plan((" ", "local-retrieval"))])), run)
    assert (await planner.run("Why?", []))["task"] == "Why?"


async def test_a_further_task_of_the_same_name_is_told_apart(run: Run) -> None:
    again = json.dumps({"tasks": [{"task": "a", "agent": "local-retrieval", "queries": ["new"]}]})
    planner = joined(Planner(Scripted([plan(("a", "local-retrieval")), again])), run)
    await drained(planner, "Why?")
    assert [(task.task, task.queries, task.sub_question) for task in run.plan.tasks] == [
        ("a", ("a",), "a"),
        ("a (further)", ("new",), "a"),
    ]


async def test_a_task_that_failed_is_not_repeated(run: Run) -> None:
    planner = joined(Planner(None), run)
    for agent in ("local-retrieval", "quick-searcher"):
        run.fail(agent, "Why so?", "it broke")
    assert [task for _, task in await drained(planner, "Why so?")] == ["Why so?"] * 3


async def test_a_model_that_takes_too_long_leaves_the_planning_to_the_rules(settings: Settings) -> None:
    class Slow(Scripted):
        async def ask(self, *_: Any) -> Reply:
            await asyncio.Event().wait()
            raise AssertionError

    hasty = settings.updated(research__agent_deadline=0.1)
    async with Run("Why?", hasty, journal=Journal()) as run:
        planner = joined(Planner(Slow([])), run)
        assert (await planner.run("Why?", []))["task"] == "Why?"
        assert "took longer than 0.03 s" in str(run.failures[0].why)


async def test_a_planner_serves_one_run_at_a_time(settings: Settings, run: Run) -> None:
    planner = joined(Planner(None), run)
    async with Run("Other?", settings, journal=Journal()) as other:
        with pytest.raises(RunError, match='"planner" is used by another run'):
            planner.attach(other)


async def test_a_second_run_starts_anew(run: Run) -> None:
    planner = joined(Planner(None), run)
    first = await drained(planner, "Why?", enough("Why?"))
    planner.attach(run)
    assert await drained(planner, "Why?", enough("Why?")) == first


async def test_with_ask_the_plan_waits_and_an_approved_one_is_followed_without_a_call(settings: Settings) -> None:
    journal = Journal()
    model = Scripted([plan(("find a", "local-retrieval"), ("find b", "quick-searcher"))])
    async with Run("Why?", settings.updated(research__ask=True), journal=journal) as run:
        with pytest.raises(PlanWaitsError):
            await joined(Planner(model), run).run("Why?")
        proposal = proposed(journal)
        assert proposal is not None
        assert [task.task for task in proposal.plan.tasks] == ["find a", "find b"]
        assert (proposal.by, proposal.agents) == ("model", ["local-retrieval", "quick-searcher"])
        wanted = Plan(tasks=(Task(task="find c", agent="quick-searcher"),), sections=("Findings",))
        approve(journal, wanted)
        assert approved(journal) == wanted
        with pytest.raises(UsageError, match="already approved"):
            approve(journal, proposal.plan)
        planner = joined(Planner(Scripted([])), run)
        assert await drained(planner, "Why?", enough("find c")) == [("quick-searcher", "find c"), ("reporter", "Why?")]
        assert run.plan.tasks == (Task(task="find c", agent="quick-searcher", queries=("find c",)),)
        assert run.plan.sections == ("Findings",)


@pytest.mark.parametrize(
    ("tasks", "why"),
    [
        ([Task(task="find", agent="nobody")], 'There is no research agent called "nobody".*local-retrieval'),
        ([Task(task="write", agent="reporter")], 'There is no research agent called "reporter"'),
        ([Task(task=" ", agent="local-retrieval")], "The plan has no tasks"),
    ],
)
async def test_an_approved_plan_that_cannot_be_followed_says_why(run: Run, tasks: list[Task], why: str) -> None:
    approve(run.journal, Plan(tasks=tuple(tasks)))
    with pytest.raises(UsageError, match=why):
        await joined(Planner(), run).run("Why?")
