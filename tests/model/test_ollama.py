"""What is Ollama's own: the window asked for, thinking off, what to pull, a key only if it is ours."""

import pytest

from loopback import Fault, ModelAt, ModelServer
from spyglass.kernel.errors import ModelUnknownError, ModelUnreachableError
from spyglass.kernel.run import Run
from spyglass.model.exchange import ModelConfig
from spyglass.model.model import Prompt
from spyglass.model.ollama import Ollama

ASK = Prompt("Be brief.", "What is a spyglass?")


async def test_the_window_and_the_output_limit_are_asked_for(
    model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model = model_at("ollama", context_window=16_384, models__max_output_tokens=100)
    await model.complete(run, ASK, role="writer")
    assert model_server.requests[0].body["options"] == {"num_ctx": 16_384, "num_predict": 100}
    assert model_server.requests[0].body["think"] is False


async def test_a_window_is_asked_for_even_where_none_is_set(
    model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model = model_at("ollama", model="gpt-oss")
    await model.complete(run, ASK, role="writer")
    assert model_server.requests[0].body["options"]["num_ctx"] == model.context_window == 8192


async def test_a_model_that_is_not_there_can_be_pulled(model_at: ModelAt, model_server: ModelServer, run: Run) -> None:
    model_server.script(Fault(404, "model 'qwen3' not found"))
    with pytest.raises(ModelUnknownError, match=r"model 'qwen3' not found.*Run `ollama pull qwen3`"):
        await model_at("ollama", model="qwen3").complete(run, ASK, role="writer")


async def test_a_server_that_is_down_can_be_started(run: Run) -> None:
    model = Ollama("m", ModelConfig(base_url="http://127.0.0.1:9", attempts=1))
    with pytest.raises(ModelUnreachableError, match="ollama serve"):
        await model.complete(run, ASK, role="writer")


async def test_it_costs_nothing(model_at: ModelAt, run: Run) -> None:
    await model_at("ollama").complete(run, ASK, role="writer")
    assert run.spending.known_cost == 0


async def test_the_environments_key_is_not_sent(
    model_at: ModelAt, model_server: ModelServer, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", "of-the-environment")
    await model_at("ollama", key=None).complete(run, ASK, role="writer")
    assert "of-the-environment" not in str(model_server.requests[0].headers)


async def test_a_key_that_is_set_is_sent(model_at: ModelAt, model_server: ModelServer, run: Run) -> None:
    await model_at("ollama", key="mine").complete(run, ASK, role="writer")
    assert model_server.requests[0].headers["Authorization"] == "Bearer mine"
