"""What is Gemini's own: room for thinking, blocks, pauses named in the body, settings of the environment."""

import pytest

from loopback import KEY, Fault, ModelAt, ModelServer, Say
from loopback.clock import noted_waits
from spyglass.kernel.errors import ModelKeyError
from spyglass.kernel.run import Run
from spyglass.model.gemini import THINKING_ROOM, Gemini
from spyglass.model.model import Prompt

ASK = Prompt("Be brief.", "What is a spyglass?")


async def test_the_output_limit_leaves_room_for_thinking(
    model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    await model_at("gemini", models__max_output_tokens=100).complete(run, ASK, role="writer")
    assert model_server.requests[0].body["generationConfig"]["maxOutputTokens"] == 100 + THINKING_ROOM


async def test_thinking_counts_as_written(model_at: ModelAt, model_server: ModelServer, run: Run) -> None:
    model_server.script(Say("A telescope.", thinking="Hm. " * 10, completion_tokens=5))
    assert await model_at("gemini").complete(run, ASK, role="writer") == "A telescope."
    assert run.spending.completion_tokens == 15


async def test_the_pause_that_stands_in_the_body_is_kept(
    model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    retry = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.4s"}
    model_server.script(Fault(429, "Quota exceeded", code="RESOURCE_EXHAUSTED", details=[retry]), "ok")
    waits = noted_waits()
    assert await model_at("gemini", models__attempts=2).complete(run, ASK, role="writer") == "ok"
    assert 0.4 in waits


async def test_the_key_goes_in_a_header_and_not_in_the_address(
    model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    await model_at("gemini").complete(run, ASK, role="writer")
    assert model_server.requests[0].headers["x-goog-api-key"] == KEY
    assert KEY not in model_server.requests[0].path


async def test_the_environment_does_not_turn_it_into_another_service(
    model_at: ModelAt, model_server: ModelServer, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "p")
    monkeypatch.setenv("GOOGLE_API_KEY", "of-the-environment")
    assert await model_at("gemini").complete(run, ASK, role="writer") == "ok"
    assert "of-the-environment" not in str(model_server.requests[0].headers)


async def test_a_missing_key_is_an_error_at_the_first_call(run: Run) -> None:
    with pytest.raises(ModelKeyError, match=r"no key for google.*GEMINI_API_KEY"):
        await Gemini("gemini-2.5-flash").complete(run, ASK, role="writer")
