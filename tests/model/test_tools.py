"""A model calls tools where its provider has them, and says the same as JSON where it has none."""

import json

import pytest
from pydantic import BaseModel, RootModel

from loopback import Fault, ModelAt, ModelServer, Say
from spyglass.kernel.run import Run
from spyglass.kernel.tool import tool
from spyglass.model.exchange import called
from spyglass.model.model import Prompt
from spyglass.model.structured import structured


class Call(BaseModel):
    tool: str
    words: str = ""


class Calls(RootModel[list[Call]]):
    """What a model calls."""


@tool
def look_up(words: str) -> str:
    """Look words up.

    Args:
        words: What to look up.
    """
    return words


ASK = Prompt("Plan.", "What is a telescope?")
CALLS = Say(calls=(("look_up", {"words": "telescope"}), ("look_up", {"words": "lens “2”"})))
WANTED = Calls([Call(tool="look_up", words="telescope"), Call(tool="look_up", words="lens “2”")])


async def asked(model_at: ModelAt, provider: str, run: Run) -> Calls:
    model = model_at(provider)
    return await structured(model, run, ASK, Calls, role="planner", default=Calls([]), tools=[look_up.schema])


async def test_the_calls_of_a_model_are_its_answer(
    model_at: ModelAt, model_server: ModelServer, provider: str, run: Run
) -> None:
    model_server.script(CALLS)
    assert await asked(model_at, provider, run) == WANTED
    assert await asked(model_at, provider, run) == WANTED, "from the journal"
    [seen] = model_server.requests
    assert (seen.tools, seen.schema) == (("look_up",), None)
    assert "What to look up." in json.dumps(seen.body)


async def test_a_model_that_writes_its_calls_is_understood(
    model_at: ModelAt, model_server: ModelServer, provider: str, run: Run
) -> None:
    model_server.script("I will:\n```json\n" + json.dumps([{"tool": "look_up", "words": "x"}]) + "\n```")
    assert await asked(model_at, provider, run) == Calls([Call(tool="look_up", words="x")])


async def test_a_model_that_calls_nothing_is_asked_for_json(
    model_at: ModelAt, model_server: ModelServer, provider: str, run: Run
) -> None:
    model_server.script("I would look it up.", json.dumps([{"tool": "look_up", "words": "x"}]))
    assert await asked(model_at, provider, run) == Calls([Call(tool="look_up", words="x")])
    assert [(bool(one.tools), one.schema is not None) for one in model_server.requests] == [
        (True, False),
        (False, True),
    ]


@pytest.mark.parametrize("provider", ["openai", "ollama"])
async def test_a_server_without_tools_is_asked_without(
    model_at: ModelAt, model_server: ModelServer, provider: str, run: Run
) -> None:
    refusal = Fault(400, message="registry.example/library/m does not support tools")
    model_server.play(lambda asked: refusal if asked.tools else json.dumps([{"tool": "look_up", "words": "x"}]))
    assert await asked(model_at, provider, run) == Calls([Call(tool="look_up", words="x")])


def test_arguments_that_are_no_json_object_are_none() -> None:
    given = [("a", '{"words": 1}'), ("b", "{words"), ("c", '["x"]'), ("d", None), ("e", {"words": "é"})]
    assert (
        called(given)
        == '[{"tool": "a", "words": 1}, {"tool": "b"}, {"tool": "c"}, {"tool": "d"}, {"tool": "e", "words": "é"}]'
    )
