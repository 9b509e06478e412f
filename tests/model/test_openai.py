"""OpenAI's wire format, and servers that understand only a part of it."""

from collections.abc import Callable

import pytest
from pydantic import BaseModel, SecretStr

from loopback import KEY, Fault, ModelAt, ModelServer, PromptRequest, Say
from spyglass.kernel.errors import ModelBusyError, ModelError, ModelKeyError, ModelRequestError
from spyglass.kernel.run import Run
from spyglass.model.exchange import ModelConfig
from spyglass.model.model import Model, Prompt
from spyglass.model.openai import THINKING_ROOM, Deepseek, Gork, OpenAI, strict_schema

ASK = Prompt("Be brief.", "What is a spyglass?")


class Colour(BaseModel):
    name: str
    default: int = 3


Act = Callable[[PromptRequest], Fault | Say]


def refusing(*names: str) -> Act:
    """Return a server's act: it refuses each of these parameters or formats by name."""

    def act(asked: PromptRequest) -> Fault | Say:
        sent = {*asked.body, asked.body.get("response_format", {}).get("type", "")}
        for name in names:
            if name in sent:
                return Fault(400, f"Unsupported parameter: '{name}' is not supported with this model.")
        return Say("ok")

    return act


def formats(server: ModelServer) -> list[str]:
    return [asked.body.get("response_format", {}).get("type", "") for asked in server.requests]


async def test_a_server_without_schemas_is_asked_for_json_and_the_run_remembers(
    model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.play(refusing("json_schema"))
    model = model_at("openai")
    for number in range(3):
        assert await model.complete(run, Prompt("", f"Question {number}"), role="planner", schema=Colour) == "ok"
    assert formats(model_server) == ["json_schema", "json_object", "json_object", "json_object"]


async def test_a_server_without_any_format_is_asked_plainly(
    model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.play(refusing("response_format"))
    assert await model_at("openai").complete(run, ASK, role="planner", schema=Colour) == "ok"
    assert formats(model_server) == ["json_schema", "json_object", ""]


async def test_a_refusal_that_is_not_about_a_parameter_drops_none(
    model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.script(Fault(400, "API key not valid"))
    with pytest.raises(ModelKeyError):
        await model_at("openai").complete(run, ASK, role="planner", schema=Colour)
    assert len(model_server.requests) == 1
    model_server.script(Fault(400, "max_tokens must be at most 16"))
    with pytest.raises(ModelRequestError, match="at most 16"):
        await model_at("openai").complete(run, ASK, role="writer")
    assert len(model_server.requests) == 2


async def test_a_server_that_refuses_everything_is_left_after_a_few_tries(
    model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.play(lambda asked: Fault(422, f"unsupported: {sorted(asked.body)}"))
    with pytest.raises(ModelRequestError):
        await model_at("openai").complete(run, ASK, role="planner", schema=Colour, stream=True)
    assert len(model_server.requests) <= 6


@pytest.mark.parametrize(("refused", "taken"), [("max_tokens", "max_completion_tokens"), ("nothing", "max_tokens")])
async def test_the_output_limit_has_the_name_that_the_server_knows(
    refused: str, taken: str, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.play(refusing(refused))
    assert await model_at("openai", models__max_output_tokens=100).complete(run, ASK, role="writer") == "ok"
    assert model_server.requests[-1].body[taken] == 100
    assert len({"max_tokens", "max_completion_tokens"} & set(model_server.requests[-1].body)) == 1


async def test_a_server_that_cannot_count_in_a_stream_streams_all_the_same(
    model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.play(refusing("stream_options"))
    assert await model_at("openai").complete(run, ASK, role="writer", stream=True) == "ok"
    assert run.spending.prompt_tokens > 0


@pytest.mark.parametrize(
    ("name", "limit"), [("gpt-4o-mini", 100), ("gpt-5-mini", 100 + THINKING_ROOM), ("o3", 100 + THINKING_ROOM)]
)
async def test_at_home_a_model_that_thinks_has_room_for_it(
    name: str, limit: int, model_server: ModelServer, run: Run
) -> None:
    class AtHome(OpenAI):
        home = model_server.base_url("openai")

    model = AtHome(name, ModelConfig(key=SecretStr(KEY), max_output_tokens=100))
    assert await model.complete(run, ASK, role="writer") == "ok"
    assert model_server.requests[0].body["max_completion_tokens"] == limit


@pytest.mark.parametrize(("code", "kind"), [("429", ModelBusyError), ("402", ModelRequestError), ("", ModelBusyError)])
async def test_an_error_in_a_successful_answer_is_an_error(
    code: str, kind: type[ModelError], model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.script(Fault(200, "The source of this model failed", code=code))
    with pytest.raises(ModelError, match="The source of this model failed") as caught:
        await model_at("openai").complete(run, ASK, role="writer")
    assert type(caught.value) is kind


async def test_deepseek_is_never_asked_for_a_schema(model_at: ModelAt, model_server: ModelServer, run: Run) -> None:
    assert await model_at("deepseek").complete(run, ASK, role="planner", schema=Colour) == "ok"
    assert formats(model_server) == ["json_object"]


@pytest.mark.parametrize(
    ("kind", "variable"), [(OpenAI, "OPENAI_API_KEY"), (Deepseek, "DEEPSEEK_API_KEY"), (Gork, "XAI_API_KEY")]
)
async def test_a_missing_key_is_an_error_at_the_first_call(kind: type[Model], variable: str, run: Run) -> None:
    with pytest.raises(ModelKeyError, match=f"no key for {kind.provider}.*{variable}"):
        await kind("m").complete(run, ASK, role="writer")


async def test_a_compatible_server_needs_no_key(model_at: ModelAt, run: Run) -> None:
    assert await model_at("openai", key=None).complete(run, ASK, role="writer") == "ok"


async def test_the_environments_organisation_is_not_told_to_any_server(
    model_at: ModelAt, model_server: ModelServer, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "of-the-environment")
    await model_at("openai", key=None).complete(run, ASK, role="writer")
    assert "of-the-environment" not in str(model_server.requests[0].headers)


def test_a_strict_schema_closes_every_object_and_requires_every_field() -> None:
    class Palette(BaseModel):
        colours: list[Colour] = []
        note: str | None = None

    schema = Palette.model_json_schema()
    strict = strict_schema(schema)
    assert schema == Palette.model_json_schema(), "the original is left as it is"
    assert strict["required"] == ["colours", "note"]
    assert strict["additionalProperties"] is False
    assert "default" not in strict["properties"]["note"]
    assert strict["$defs"]["Colour"]["required"] == ["name", "default"], "a field may be called default"
