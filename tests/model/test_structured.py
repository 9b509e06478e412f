"""A typed value comes out of whatever shape a model wraps it in, or the default does; each step is told."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, model_validator

from loopback import Fault, ModelAt, ModelServer, Say
from spyglass.kernel.errors import ModelKeyError, RefusalError, ScriptError
from spyglass.kernel.events import AnswerRead, Event
from spyglass.kernel.run import Run
from spyglass.model.exchange import Reply
from spyglass.model.model import Prompt
from spyglass.model.scripted import Scripted
from spyglass.model.structured import read, structured


class Step(BaseModel):
    what: str
    who: str = "anyone"


class Steps(BaseModel):
    steps: list[Step]
    title: str = ""

    @model_validator(mode="before")
    @classmethod
    def _bare_list(cls, value: object) -> object:
        return {"steps": value} if isinstance(value, list) else value


ASK = Prompt("Plan.", "How is a telescope made?")
NOTHING = Steps(steps=[])
GOOD = Steps(steps=[Step(what="grind 2 lenses", who="a glazier"), Step(what='mount them, "tight"')], title="A plan")
PLAIN = GOOD.model_dump_json()

STYLES = {
    "plain": PLAIN,
    "fenced": f"```json\n{PLAIN}\n```",
    "prose": f"Sure! Here are the steps [as asked]:\n\n```json\n{PLAIN}\n```\n\nLet me know if {{you}} need more.",
    "prose without fence": f"Sure, here it is: {PLAIN} Is that fine?",
    "think": f'<think>\nThey want {{"steps": []}}.\n</think>\n{PLAIN}',
    "think, opened by the template": f'They want {{"steps": []}}.\n</think>\n{PLAIN}',
    "trailing comma": f"{PLAIN[:-1]},\n}}",
    "single quotes": repr(json.loads(PLAIN)),
    "no closing bracket": PLAIN.rstrip("}"),
    "comments": PLAIN.replace('"title"', '// the name\n"title"'),
    "unquoted keys": PLAIN.replace('"steps"', "steps").replace('"title"', "title"),
}


def steps_of(events: list[Event]) -> list[str]:
    return [event.step for event in events if isinstance(event, AnswerRead)]


@pytest.mark.parametrize("style", STYLES)
async def test_a_value_is_read_whatever_the_style(
    style: str, model_at: ModelAt, model_server: ModelServer, run: Run, events: list[Event]
) -> None:
    model_server.script(STYLES[style])
    assert await structured(model_at("openai"), run, ASK, Steps, role="planner", default=NOTHING) == GOOD
    assert steps_of(events) in (["extracted"], ["repaired"])


async def test_every_provider_gets_the_schema_in_the_prompt_and_beside_it(
    provider: str, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.script(PLAIN)
    assert await structured(model_at(provider), run, ASK, Steps, role="planner", default=NOTHING) == GOOD
    (asked,) = model_server.requests
    assert "JSON Schema" in asked.user
    assert '"steps"' in asked.user
    assert asked.schema is not None


async def test_a_part_of_a_broken_answer_does_not_pass_for_the_whole(run: Run, events: list[Event]) -> None:
    broken = '{"steps": [{"what": "grind"}, {"what": "mount"}], "title": "A plan" "steps_end": tru'
    found = await structured(Scripted([broken]), run, ASK, Steps, role="planner", default=NOTHING)
    assert (found.title, len(found.steps)) == ("A plan", 2)
    assert steps_of(events) == ["repaired"]


async def test_a_cut_answer_gives_what_is_whole_in_it(run: Run, events: list[Event]) -> None:
    cut = Reply(text=PLAIN[: PLAIN.index("mount")], finish="length")
    found = await structured(Scripted([cut]), run, ASK, Steps, role="planner", default=NOTHING)
    assert found.steps[0] == GOOD.steps[0]
    assert steps_of(events) == ["repaired"]


async def test_prose_is_asked_again_with_the_problem_and_what_was_said(
    provider: str, model_at: ModelAt, model_server: ModelServer, run: Run, events: list[Event]
) -> None:
    model_server.script("I'm sorry, I cannot do that in JSON.", PLAIN)
    assert await structured(model_at(provider), run, ASK, Steps, role="planner", default=NOTHING) == GOOD
    again = model_server.requests[1].user
    assert "it holds no JSON" in again
    assert "<last_answer>\nI'm sorry, I cannot do that in JSON.\n</last_answer>" in again
    assert steps_of(events) == ["asked_again", "extracted"]


async def test_a_value_of_the_wrong_shape_is_asked_again_with_the_field(run: Run, events: list[Event]) -> None:
    model = Scripted(['{"steps": [{"what": 7}]}', PLAIN])
    assert await structured(model, run, ASK, Steps, role="planner", default=NOTHING) == GOOD
    assert "steps.0.what: Input should be a valid string" in model.prompts[1].user
    asked_again = next(event for event in events if isinstance(event, AnswerRead))
    assert (asked_again.step, asked_again.role) == ("asked_again", "planner")
    assert "steps.0.what" in asked_again.problem


async def test_a_value_with_none_of_the_fields_is_none(run: Run) -> None:
    class Loose(BaseModel):
        title: str = "untitled"

    model = Scripted(['{"what": "grind"}', '{"title": "A plan"}'])
    found = await structured(model, run, ASK, Loose, role="planner", default=Loose())
    assert found.title == "A plan"
    assert "none of the fields title" in model.prompts[1].user


@pytest.mark.parametrize("bad", ["", "Certainly.", "{", "[1, 2", '{"steps": 3}', "null", '"steps"', "<think>Hm."])
async def test_after_two_bad_answers_the_default_is_taken(bad: str, run: Run, events: list[Event]) -> None:
    model = Scripted(lambda prompt: bad)
    assert await structured(model, run, ASK, Steps, role="planner", default=NOTHING) is NOTHING
    assert len(model.prompts) == 2
    assert steps_of(events) == ["asked_again", "defaulted"]


def test_a_hostile_answer_breaks_nothing() -> None:
    assert [
        unit
        for unit in ["[", '{"a":', '"', "{'a': ", "[x]", "\\", '{"a": "b", ', "```json\n"]
        if read("[" + unit * (20_000 // len(unit)), Steps).value is not None
    ] == []


@given(st.text(alphabet="[]{}\",:'\\ntrue1.e/ `x", max_size=60))
def test_no_answer_breaks_the_reading(text: str) -> None:
    reading = read(text, Steps)
    assert (reading.value is None) == bool(reading.problem)


async def test_a_bare_list_is_taken_where_the_shape_takes_it(run: Run) -> None:
    model = Scripted(['[{"what": "grind"}]'])
    found = await structured(model, run, ASK, Steps, role="planner", default=NOTHING)
    assert found.steps == [Step(what="grind")]


async def test_a_long_bad_answer_is_not_repeated_whole(run: Run) -> None:
    model = Scripted(["blah " * 10_000, PLAIN])
    assert await structured(model, run, ASK, Steps, role="planner", default=NOTHING) == GOOD
    assert len(model.prompts[1].user) < len(model.prompts[0].user) + 1000


async def test_when_the_second_prompt_does_not_fit_the_default_is_taken(
    model_at: ModelAt, model_server: ModelServer, run: Run, events: list[Event]
) -> None:
    model_server.script("Certainly. " * 60)
    model = model_at("openai", context_window=1200, models__max_output_tokens=600)
    ask = Prompt("Plan.", "ships " * 230)
    assert await structured(model, run, ask, Steps, role="planner", default=NOTHING) is NOTHING
    assert len(model_server.requests) == 1
    assert "is too long" in str(events) or "fit into the context window" in str(events)


@pytest.mark.parametrize("error", [ModelKeyError("no key"), RefusalError("no"), ScriptError("none")])
async def test_an_error_that_is_not_about_the_form_is_the_callers(error: Exception, run: Run) -> None:
    with pytest.raises(type(error)):
        await structured(Scripted([error]), run, ASK, Steps, role="planner", default=NOTHING)


async def test_a_server_without_structured_answers_still_gives_a_value(
    model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    def act(asked: object) -> Fault | Say:
        body = getattr(asked, "body", {})
        return Fault(400, "response_format is not supported") if "response_format" in body else Say(f"Sure: {PLAIN}")

    model_server.play(act)
    assert await structured(model_at("openai"), run, ASK, Steps, role="planner", default=NOTHING) == GOOD
