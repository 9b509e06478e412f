"""The message loop: side by side where it may, in plan order always, and bounded whatever the agents do."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pydantic import BaseModel

from spyglass.agent import Agent
from spyglass.kernel.errors import (
    AgentError,
    DeadlineError,
    DispatchLimitError,
    MessageError,
    ModelBusyError,
    RoutingError,
    SpyglassError,
    UsageError,
)
from spyglass.kernel.events import Event, TaskEnded
from spyglass.kernel.message import TERMINATE, Message
from spyglass.kernel.run import Run
from spyglass.router import Router, Server

Answering = Callable[[str, list[Any]], Any]


class Member(Agent):
    """An agent that answers as its function says, after as many turns of the loop as it is told to wait."""

    def __init__(
        self, name: str, answer: Answering, *, gathers: bool = False, turns: Callable[[str], int] = len
    ) -> None:
        self.name = name
        self.description = f"The {name}."
        self.gathers = gathers
        self.answer = answer
        self.turns = turns
        self.tasks: list[str] = []

    def get_recv_format(self) -> type[BaseModel] | None:
        return None

    def get_send_format(self) -> type[BaseModel] | None:
        return None

    async def run(self, response: str, data: list[Any] | None = None) -> Message:
        self.tasks.append(response)
        for _ in range(self.turns(response)):
            await asyncio.sleep(0)
        message: Message = self.answer(response, data or [])
        return message


def record(task: str, **more: str) -> dict[str, Any]:
    """A result with the five keys of the contract."""
    return {"title": task, "summary": task, "brief_summary": task, "keywords": [], "url": "", "task": task, **more}


def finder(name: str = "finder", turns: Callable[[str], int] = len) -> Member:
    """A research agent that adds one record a task."""
    return Member(name, lambda task, data: say("planner", task, [*data, record(task, by=name)]), turns=turns)


class Hanging(Member):
    """An agent that never answers."""

    def __init__(self) -> None:
        super().__init__("hanging", lambda task, data: None)
        self.started = asyncio.Event()

    async def run(self, response: str, data: list[Any] | None = None) -> Message:
        self.started.set()
        await asyncio.Event().wait()
        raise AssertionError


def reporter() -> Member:
    return Member("reporter", lambda task, data: say(TERMINATE, "", " ".join(r["task"] for r in data)), gathers=True)


def say(agent: str, task: str, data: Any) -> Message:
    return {"agent": agent, "task": task, "data": data}


def planner(*plan: tuple[str, str]) -> Member:
    """A planner that pops its plan in order and then terminates."""
    left = list(plan)

    def answer(task: str, data: list[Any]) -> Message:
        return say(*left.pop(0), data) if left else say(TERMINATE, TERMINATE, data)

    return Member("planner", answer, turns=lambda _: 0)


def server_of(*agents: Agent, run: Run | None = None, deadline: float = 120.0, max_dispatches: int = 50) -> Server:
    server = Server(run, max_dispatches=max_dispatches)
    for agent in agents:
        server.add(Router(agent, run, deadline=deadline))
    return server


async def test_the_plan_is_carried_out_and_the_reporter_ends_it() -> None:
    plan = planner(("finder", "one"), ("finder", "two"), ("reporter", "write"))
    assert await server_of(plan, finder(), reporter()).start("Why?") == "one two"


async def test_without_a_reporter_the_data_come_back() -> None:
    server = server_of(planner(("finder", "one")), finder())
    assert await server.start("Why?") == [record("one", by="finder")]
    assert server.data == [record("one", by="finder")]


async def test_a_plan_without_the_reporter_still_ends_with_it() -> None:
    assert await server_of(planner(("finder", "one")), finder(), reporter()).start("Why?") == "one"


async def test_research_runs_side_by_side() -> None:
    both = asyncio.Barrier(2)

    class Meeting(Member):
        async def run(self, response: str, data: list[Any] | None = None) -> Message:
            async with asyncio.timeout(60):
                await both.wait()
            return await super().run(response, data)

    meeting = Meeting("finder", lambda task, data: say("planner", task, [*data, record(task)]))
    plan = planner(("finder", "a"), ("finder", "b"), ("reporter", "write"))
    assert await server_of(plan, meeting, reporter()).start("Why?") == "a b"


@given(turns=st.lists(st.integers(0, 12), min_size=1, max_size=6))
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
def test_whichever_order_they_end_in_the_data_are_in_plan_order(turns: list[int]) -> None:
    tasks = [str(position) for position in range(len(turns))]
    slow = finder(turns=lambda task: turns[int(task)])
    plan = planner(*(("finder", task) for task in tasks), ("reporter", "write"))
    assert asyncio.run(server_of(plan, slow, reporter()).start("Why?")) == " ".join(tasks)


async def test_each_task_sees_the_data_as_they_were_when_it_started() -> None:
    seen: list[int] = []

    def look(task: str, data: list[Any]) -> Message:
        seen.append(len(data))
        return say("planner", task, [*data, record(task)])

    plan = planner(("finder", "aaa"), ("finder", "a"), ("reporter", "write"))
    await server_of(plan, Member("finder", look), reporter()).start("Why?")
    assert seen == [0, 0]


async def test_the_planner_is_asked_again_when_the_research_is_in_and_may_put_tasks_in_front() -> None:
    asked: list[int] = []

    def answer(task: str, data: list[Any]) -> Message:
        asked.append(len(data))
        steps = [say("finder", "one", data), say("reporter", "write", data), say("finder", "more", data)]
        return steps[len(asked) - 1] if len(asked) <= len(steps) else say(TERMINATE, TERMINATE, data)

    plan = Member("planner", answer, turns=lambda _: 0)
    assert await server_of(plan, finder(), reporter()).start("Why?") == "one more"
    assert asked[:3] == [0, 0, 1]


async def test_an_agent_may_hand_its_task_to_another() -> None:
    first = Member("first", lambda task, data: say("second", f"{task}!", [*data, record("first")]))
    second = Member("second", lambda task, data: say("planner", task, [*data, record(task)]))
    plan = planner(("first", "go"), ("reporter", "write"))
    assert await server_of(plan, first, second, reporter()).start("Why?") == "first go!"


async def test_an_agent_may_end_the_run_and_what_others_found_stays() -> None:
    ender = Member("ender", lambda task, data: say(TERMINATE, "", [*data, record("end")]))
    server = server_of(planner(("finder", "one"), ("ender", "go")), finder(), ender)
    assert await server.start("Why?") == [record("one", by="finder"), record("end")]


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        (ValueError("boom"), "raised ValueError: boom"),
        (ModelBusyError("the server is busy"), "the server is busy"),
    ],
)
async def test_an_agent_that_raises_loses_nothing_of_the_others(
    run: Run, events: list[Event], fault: Exception, named: str
) -> None:
    def raising(task: str, data: list[Any]) -> Message:
        raise fault

    plan = planner(("finder", "one"), ("broken", "go"), ("reporter", "write"))
    assert await server_of(plan, finder(), Member("broken", raising), reporter(), run=run).start("Why?") == "one"
    assert [failure.who for failure in run.failures] == ["broken"]
    assert named in str(run.failures[0].why)
    assert any(isinstance(event, TaskEnded) and named in event.error for event in events)


async def test_an_agent_that_hangs_ends_at_its_deadline(run: Run) -> None:
    plan = planner(("finder", "one"), ("hanging", "go"), ("reporter", "write"))
    server = server_of(plan, finder(), reporter(), run=run)
    server.add(Router(Hanging(), run, deadline=0.05))
    assert await server.start("Why?") == "one"
    assert "took longer than 0.05 s" in str(run.failures[0].why)


@pytest.mark.parametrize(
    ("answer", "field"),
    [
        ("prose", "message"),
        ({"agent": "planner", "task": "t"}, "data"),
        ({"agent": "planner", "task": 3, "data": []}, "task"),
        ({"agent": "planner", "task": "t", "data": [], "more": 1}, "more"),
        ({"agent": None, "task": "t", "data": []}, "agent"),
    ],
)
async def test_a_message_of_the_wrong_shape_names_agent_and_field(run: Run, answer: Any, field: str) -> None:
    plan = planner(("wrong", "go"), ("finder", "one"), ("reporter", "write"))
    wrong = Member("wrong", lambda task, data: answer)
    assert await server_of(plan, wrong, finder(), reporter(), run=run).start("Why?") == "one"
    assert f'The agent "wrong" returned a message whose "{field}" is wrong' in str(run.failures[0].why)


async def test_altering_the_data_that_one_was_given_is_an_error(run: Run) -> None:
    def forget(task: str, data: list[Any]) -> Message:
        data.clear()
        return say("planner", task, [record("mine")])

    def alter(task: str, data: list[Any]) -> Message:
        data[0]["task"] = "altered"
        return say("planner", task, data)

    for agent in (Member("bad", forget), Member("bad", alter)):
        router = Router(agent, run)
        with pytest.raises(MessageError, match="changed the data that it was given"):
            await router.recv_response("go", [record("given")])


@pytest.mark.parametrize("added", [{"title": "only"}, "a text", 3, {**record("x"), "keywords": "not a list"}])
async def test_a_bad_record_is_left_out_by_name_and_loses_no_other(run: Run, added: Any) -> None:
    sloppy = Member("sloppy", lambda task, data: say("planner", task, [*data, record("good"), added]))
    plan = planner(("sloppy", "go"), ("finder", "one"), ("reporter", "write"))
    assert await server_of(plan, sloppy, finder(), reporter(), run=run).start("Why?") == "good one"
    assert [(failure.who, "left out" in str(failure.why)) for failure in run.failures] == [("sloppy", True)]


@pytest.mark.parametrize("added", [{("a", "tuple"): 1}, {"a": {1, 2}}, {"a": object()}])
async def test_data_that_are_not_json_are_an_error_that_names_the_agent(run: Run, added: Any) -> None:
    odd = Router(Member("odd", lambda task, data: say("planner", task, [*data, added])))
    with pytest.raises(MessageError, match='"odd" added data that is not JSON'):
        await odd.recv_response("go", [])


async def test_a_text_as_data_only_ends_a_run() -> None:
    early = Router(Member("early", lambda task, data: say("planner", task, "my report")))
    with pytest.raises(MessageError, match="only allowed at the end of a run"):
        await early.recv_response("go", [])


async def test_what_the_planner_adds_is_kept() -> None:
    adding = Member("planner", lambda task, data: say(TERMINATE, TERMINATE, data or [record("own")]), turns=lambda _: 0)
    assert await server_of(adding, reporter()).start("Why?") == "own"


async def test_an_agent_that_gathers_may_hand_on_to_another() -> None:
    draft = Member("draft", lambda task, data: say("polish", "polish it", data), gathers=True)
    polish = Member("polish", lambda task, data: say(TERMINATE, "", f"polished {len(data)}"), gathers=True)
    plan = planner(("finder", "one"), ("draft", "write"))
    assert await server_of(plan, finder(), draft, polish).start("Why?") == "polished 1"
    lost = Member("draft", lambda task, data: say("nobody", "", data), gathers=True)
    with pytest.raises(RoutingError, match="nobody"):
        await server_of(planner(("draft", "write")), lost).start("Why?")


async def test_two_agents_of_one_name_are_refused() -> None:
    with pytest.raises(UsageError, match='two agents called "finder"'):
        server_of(planner(), finder(), finder())


async def test_an_agent_that_will_not_be_cancelled_is_given_up() -> None:
    awake = asyncio.Event()

    class Stubborn(Member):
        async def run(self, response: str, data: list[Any] | None = None) -> Message:
            while not awake.is_set():
                with suppress(asyncio.CancelledError):
                    await awake.wait()
            return say("planner", response, data)

    async with asyncio.timeout(60):
        with pytest.raises(DeadlineError):
            await Router(Stubborn("stubborn", lambda task, data: None), deadline=0.01).recv_response("go", [])
    awake.set()


async def test_an_agent_whose_own_task_was_cancelled_has_failed(run: Run) -> None:
    class Leaking(Member):
        async def run(self, response: str, data: list[Any] | None = None) -> Message:
            raise asyncio.CancelledError

    plan = planner(("leaking", "go"), ("finder", "one"), ("reporter", "write"))
    leaking = Leaking("leaking", lambda task, data: None)
    assert await server_of(plan, leaking, finder(), reporter(), run=run).start("Why?") == "one"
    assert "CancelledError" in str(run.failures[0].why)


async def test_at_the_bound_with_nothing_found_the_reporter_says_so(run: Run) -> None:
    empty = Member("empty", lambda task, data: say("planner", task, data))
    plan = planner(("empty", "go"), ("reporter", "write"))
    assert await server_of(plan, empty, reporter(), run=run, max_dispatches=2).start("Why?") == ""


async def test_a_name_that_no_router_has_lists_the_known_ones() -> None:
    server = server_of(planner(("wizard", "go")), finder(), reporter())
    with pytest.raises(RoutingError, match=r'"wizard", which does not exist\. Known agents: planner, finder, reporter'):
        await server.start("Why?")


async def test_a_research_agent_that_names_nobody_keeps_what_it_found(run: Run) -> None:
    lost = Member("lost", lambda task, data: say("nobody", task, [*data, record("found")]))
    plan = planner(("lost", "go"), ("reporter", "write"))
    assert await server_of(plan, lost, reporter(), run=run).start("Why?") == "found"
    assert '"nobody"' in str(run.failures[0].why)


async def test_names_match_whatever_their_case_and_by_alias() -> None:
    quick = finder("quick-searcher")
    quick.aliases = ("searcher",)
    plan = planner(("Searcher", "one"), ("QUICK-SEARCHER", "two"))
    assert len(await server_of(plan, quick).start("Why?")) == 2


async def test_dispatches_are_bounded() -> None:
    endless = Member("planner", lambda task, data: say("finder", "again", data), turns=lambda _: 0)
    with pytest.raises(DispatchLimitError, match="more than 7 dispatches"):
        await server_of(endless, finder(), max_dispatches=7).start("Why?")


async def test_at_the_bound_the_reporter_still_reports(run: Run) -> None:
    endless = Member("planner", lambda task, data: say("finder", "again", data), turns=lambda _: 0)
    report = await server_of(endless, finder(), reporter(), run=run, max_dispatches=8).start("Why?")
    assert report == "again again again again"
    assert "more than 8 dispatches" in str(run.failures[0].why)


async def test_a_planner_that_fails_later_loses_nothing(run: Run) -> None:
    calls: list[str] = []

    def answer(task: str, data: list[Any]) -> Message:
        calls.append(task)
        if len(calls) == 1:
            return say("finder", "one", data)
        raise ValueError("no more")

    plan = Member("planner", answer, turns=lambda _: 0)
    assert await server_of(plan, finder(), reporter(), run=run).start("Why?") == "one"
    assert "no more" in str(run.failures[0].why)


async def test_a_planner_that_fails_at_once_fails_the_run() -> None:
    def answer(task: str, data: list[Any]) -> Message:
        raise ValueError("no plan")

    with pytest.raises(AgentError, match="no plan"):
        await server_of(Member("planner", answer), finder(), reporter()).start("Why?")


async def test_a_cancelled_run_leaves_no_task_behind() -> None:
    hanging = Hanging()
    running = asyncio.create_task(server_of(planner(("hanging", "go")), hanging).start("Why?"))
    await hanging.started.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_every_dispatch_is_in_the_journal(run: Run) -> None:
    plan = planner(("finder", "one"), ("reporter", "write"))
    await server_of(plan, finder(), reporter(), run=run).start("Why?")
    senders = [sender for sender, _ in run.journal.messages()]
    assert senders == ["planner", "planner", "finder", "planner", "reporter"]
    assert run.journal.messages()[2][1]["added"] == [record("one", by="finder")]


class Strict(Member):
    """An agent with formats of its own."""

    class Incoming(BaseModel):
        agent: str
        task: str
        data: list[int]

    def get_recv_format(self) -> type[BaseModel] | None:
        return self.Incoming

    def get_send_format(self) -> type[BaseModel] | None:
        return self.Incoming


async def test_formats_are_checked_in_both_directions() -> None:
    strict = Router(Strict("strict", lambda task, data: say("planner", task, [*data, "word"])))
    with pytest.raises(MessageError, match=r'"strict" was given a message whose "data\.0" is wrong.*not \'x\''):
        await strict.recv_response("go", ["x"])
    with pytest.raises(MessageError, match=r'"strict" returned a message whose "data\.0" is wrong.*not \'word\''):
        await strict.recv_response("go", [1])


async def test_a_deadline_error_says_what_to_do() -> None:
    with pytest.raises(DeadlineError, match="agent_deadline") as raised:
        await Router(Hanging(), deadline=0.01).recv_response("go", [])
    assert isinstance(raised.value, SpyglassError)


PREPARING = """
import asyncio, sys
from router.test_server import planner, server_of

asked = planner()

async def prepare(question):
    print("numpy" in sys.modules)

assert "numpy" not in sys.modules
asked.prepare = prepare
asyncio.run(server_of(asked).start("Why?"))
"""


def test_agents_prepare_side_by_side_what_several_threads_must_not_import_at_once() -> None:
    path = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, "-c", PREPARING],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.stdout == "True\n"
