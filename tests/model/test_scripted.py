"""A scripted model says what it is told to, through the same door as any other."""

import pytest

from spyglass.kernel.errors import ModelBusyError, OutputCutError, ScriptError
from spyglass.kernel.events import Event, ModelCalled, TextDelta
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.model.exchange import ModelConfig, Reply
from spyglass.model.model import Prompt
from spyglass.model.scripted import Scripted


async def test_it_answers_in_order_and_counts_what_it_was_asked(run: Run) -> None:
    model = Scripted(["one", "two"])
    assert await model.complete(run, Prompt("s", "first"), role="writer") == "one"
    assert await model.complete(run, Prompt("s", "second"), role="writer") == "two"
    assert [prompt.user for prompt in model.prompts] == ["first", "second"]


async def test_it_answers_by_a_function_of_the_prompt(run: Run) -> None:
    model = Scripted(lambda prompt: prompt.user.upper())
    assert await model.complete(run, Prompt("", "shout"), role="writer") == "SHOUT"


async def test_it_answers_by_role(run: Run) -> None:
    model = Scripted({"planner": ["a plan"], "writer": lambda prompt: f"about {prompt.user}"})
    assert await model.complete(run, Prompt("", "stars"), role="writer") == "about stars"
    assert await model.complete(run, Prompt("", "stars"), role="planner") == "a plan"
    with pytest.raises(ScriptError, match="no line left for critic"):
        await model.complete(run, Prompt("", "stars"), role="critic")


async def test_a_script_that_ends_is_an_error_that_shows_the_prompt(run: Run) -> None:
    with pytest.raises(ScriptError, match="no line left for 'first'"):
        await Scripted([]).complete(run, Prompt("", "first"), role="writer")


async def test_an_error_in_the_script_is_raised_and_tried_again_if_it_may_be(run: Run) -> None:
    model = Scripted([ModelBusyError("busy", retry_after=0.0), "at last", OutputCutError("cut", text="h")])
    assert await model.complete(run, Prompt("", "first"), role="writer") == "at last"
    with pytest.raises(OutputCutError):
        await model.complete(run, Prompt("", "second"), role="writer")


async def test_a_whole_reply_says_how_it_ended(run: Run) -> None:
    model = Scripted([Reply(text="half a sen", finish="length")])
    with pytest.raises(OutputCutError) as caught:
        await model.complete(run, Prompt("", "first"), role="writer")
    assert caught.value.details["text"] == "half a sen"


async def test_events_costs_and_journal_work_as_with_any_model(settings: Settings) -> None:
    seen: list[Event] = []
    journal = Journal()
    async with Run("Why?", settings, on_event=seen.append, journal=journal) as run:
        model = Scripted(["spoken aloud"], ModelConfig(max_output_tokens=50))
        await model.complete(run, Prompt("s", "u"), role="writer", stream=True)
        assert await Scripted([]).complete(run, Prompt("s", "u"), role="writer", max_tokens=50) == "spoken aloud"
        assert (run.spending.calls, run.spending.known_cost) == (1, 0)
        (effect,) = [effect for effect in journal.effects() if effect[0] == "model"]
        assert (effect[1]["user"], effect[2].value["text"]) == ("u", "spoken aloud")
    assert TextDelta("writer", "spoken aloud") in seen
    assert sum(isinstance(event, ModelCalled) for event in seen) == 2
