"""The calls of a run are counted by what was asked, and agree with what the run says it spent."""

from typing import Any

import pytest
from pydantic import SecretStr

from loopback import KEY, ModelServer, Say
from spyglass.kernel.errors import BudgetError, ModelError, RobotsError
from spyglass.kernel.journal import Journal, effect_key
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.model.model import Prompt
from spyglass.model.providers import get_model
from spyglass.model.scripted import Scripted
from spyglass.report.calls import calls


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
    refused = BudgetError("There was no room for it in max_cost = 0").to_record()
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
