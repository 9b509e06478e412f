"""Whatever the provider: an answer is recorded and counted, and what goes wrong has a name, in time and once."""

import asyncio
import logging
import re
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import BaseModel

from loopback import KEY, Fault, ModelAt, ModelServer, Say
from loopback.clock import noted_waits
from spyglass.kernel.errors import (
    EmbedderError,
    EmptyAnswerError,
    ModelBusyError,
    ModelDeadlineError,
    ModelError,
    ModelKeyError,
    ModelRequestError,
    ModelUnknownError,
    ModelUnreachableError,
    OutputCutError,
    PromptCutError,
    PromptTooLongError,
    RefusalError,
)
from spyglass.kernel.events import Event, ModelCalled, TextDelta
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.model.asking import Trying
from spyglass.model.model import Model, Prompt
from spyglass.model.providers import model_for

ASK = Prompt("Be brief.", "What is a spyglass?")

WAYS = [(Prompt("Be brief.", "Answer whole."), False), (Prompt("Be brief.", "Answer in a stream."), True)]
"""A prompt for each way to ask."""


class Colour(BaseModel):
    name: str
    wavelength: int = 0


def told(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def called(events: list[Event]) -> list[ModelCalled]:
    return [event for event in events if isinstance(event, ModelCalled)]


async def test_an_answer_comes_back_as_text(
    provider: str, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.script("A small telescope.")
    assert await model_at(provider).complete(run, ASK, role="writer") == "A small telescope."
    assert (model_server.requests[0].system, model_server.requests[0].user) == (ASK.system, ASK.user)


async def test_a_streamed_answer_is_told_piece_by_piece_and_returned_whole(
    provider: str, model_at: ModelAt, model_server: ModelServer, run: Run, events: list[Event]
) -> None:
    model_server.script("A small telescope, with a view of <3 far ships>.")
    answer = await model_at(provider).complete(run, ASK, role="writer", stream=True)
    assert answer == told(events) == "A small telescope, with a view of <3 far ships>."
    assert sum(isinstance(event, TextDelta) for event in events) > 3
    assert model_server.requests[0].stream


async def test_tokens_are_counted_by_the_server_and_the_call_is_an_event(
    provider: str, model_at: ModelAt, model_server: ModelServer, run: Run, events: list[Event]
) -> None:
    model_server.script(Say("A telescope.", prompt_tokens=40, completion_tokens=7))
    for prompt, stream in WAYS:
        await model_at(provider).complete(run, prompt, role="writer", stream=stream)
    assert [(event.role, event.model, event.prompt_tokens, event.completion_tokens) for event in called(events)] == [
        ("writer", "m", 40, 7)
    ] * 2
    assert (run.spending.calls, run.spending.prompt_tokens, run.spending.completion_tokens) == (2, 80, 14)


async def test_a_server_that_counts_nothing_is_counted_for(
    provider: str, model_at: ModelAt, model_server: ModelServer, run: Run, events: list[Event]
) -> None:
    model_server.script(Say("A telescope.", prompt_tokens=0))
    for prompt, stream in WAYS:
        await model_at(provider).complete(run, prompt, role="writer", stream=stream)
    for event in called(events):
        assert 5 < event.prompt_tokens < 15
        assert 1 < event.completion_tokens < 8


@pytest.mark.parametrize(
    "text", ["<think>Ships? {no}</think>\nA telescope.", "Ships, I think.</think>A telescope.", "A telescope."]
)
async def test_thinking_is_no_part_of_the_answer(
    provider: str, text: str, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.script(Say(text, thinking="Let me see."))
    for prompt, stream in WAYS:
        assert await model_at(provider).complete(run, prompt, role="writer", stream=stream) == "A telescope."


async def test_thinking_is_not_told_while_it_streams(
    provider: str, model_at: ModelAt, model_server: ModelServer, run: Run, events: list[Event]
) -> None:
    model_server.script(Say("<think>Ships, or stars?</think>A telescope.", thinking="Let me see."))
    await model_at(provider).complete(run, ASK, role="writer", stream=True)
    assert told(events) == "A telescope."


async def test_a_schema_reaches_the_server(
    provider: str, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.script('{"name": "red", "wavelength": 700}')
    await model_at(provider).complete(run, ASK, role="planner", schema=Colour)
    schema = model_server.requests[0].schema
    assert schema is not None
    assert set(schema["properties"]) == {"name", "wavelength"}


async def test_equal_requests_are_one_call_and_a_recorded_answer_is_told_again(
    provider: str, model_at: ModelAt, model_server: ModelServer, settings: Settings, tmp_path: Path
) -> None:
    model_server.script("A telescope.")
    model, path = model_at(provider), tmp_path / "journal.sqlite"
    async with Run("Why?", settings, journal=Journal(path)) as run:
        await asyncio.gather(*(model.complete(run, ASK, role="writer", stream=True) for _ in range(3)))
        assert run.spending.calls == 1
    seen: list[Event] = []
    without_key = model_at(provider, key=None)
    async with Run("Why?", settings, on_event=seen.append, journal=Journal(path)) as again:
        assert await without_key.complete(again, ASK, role="writer", stream=True) == "A telescope."
        assert again.spending.calls == 1
    assert told(seen) == "A telescope."
    assert [event.replayed for event in called(seen)] == [True]
    assert len(model_server.requests) == 1


async def test_half_a_surrogate_pair_in_a_prompt_breaks_nothing(
    provider: str, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    assert await model_at(provider).complete(run, Prompt("\ud800", "What is \udfff?"), role="writer") == "ok"
    assert (model_server.requests[0].system, model_server.requests[0].user) == ("\ufffd", "What is \ufffd?")
    assert len(await model_at(provider).embed(run, ["a \ud800"])) == 1


async def test_half_a_surrogate_pair_from_a_server_breaks_nothing(
    provider: str, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.script("A \ud83d\ude00 and \ud800.")
    assert await model_at(provider).complete(run, ASK, role="writer") == "A 😀 and \ufffd."
    model_server.script(Fault(400, "no \ud800"))
    with pytest.raises(ModelRequestError, match="no \ufffd"):
        await model_at(provider).complete(run, Prompt("", "Why?"), role="writer")


# What a server does wrong

FAULTS = [
    (Fault("reset"), ModelUnreachableError),
    (Fault("garbage"), ModelBusyError),
    (Fault("half"), ModelBusyError),
    (Fault("html"), ModelBusyError),
    (Fault("empty"), ModelBusyError),
    (Fault(400), ModelRequestError),
    (Fault(401), ModelKeyError),
    (Fault(403), ModelKeyError),
    (Fault(404), ModelUnknownError),
    (Fault(429), ModelBusyError),
    (Fault(500), ModelBusyError),
    (Fault(503), ModelBusyError),
    (Fault(400, "API key not valid. Please pass a valid API key."), ModelKeyError),
    (Fault(400, "Model Not Exist"), ModelUnknownError),
    (Fault(400, "This model's maximum context length is 4096 tokens"), PromptTooLongError),
    (Fault(400, "The response was filtered by the content management policy"), RefusalError),
    (Fault(402, "Insufficient Balance"), ModelRequestError),
]


async def test_each_fault_is_an_error_that_says_where(
    provider: str, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model = model_at(provider)
    for number, (fault, kind) in enumerate(FAULTS):
        model_server.script(fault)
        for stream in (False, True):
            with pytest.raises(ModelError, match=re.escape(f"{provider} m, {model_server.url}")) as caught:
                await model.complete(run, Prompt("", f"Question {number} {stream}"), role="writer", stream=stream)
            assert type(caught.value) is kind, f"{fault}, stream={stream}: {caught.value!r}"


async def test_an_empty_account_is_told_from_a_hurry(model_at: ModelAt, model_server: ModelServer, run: Run) -> None:
    model_server.script(Fault(429, "You exceeded your quota", code="insufficient_quota"))
    with pytest.raises(ModelRequestError, match="no credit"):
        await model_at("openai", models__attempts=3).complete(run, ASK, role="writer")
    assert len(model_server.requests) == 1


async def test_an_error_repeats_what_the_server_said(
    provider: str, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.script(Fault(400, "temperature must be positive"))
    with pytest.raises(ModelRequestError, match="status 400: temperature must be positive"):
        await model_at(provider).complete(run, ASK, role="writer")


async def test_a_stream_that_breaks_off_is_no_answer(
    provider: str, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.script(Say("A small telescope.", break_off=True))
    with pytest.raises(ModelBusyError, match="was cut off"):
        await model_at(provider).complete(run, ASK, role="writer", stream=True)


async def test_an_error_in_the_midst_of_a_stream_is_an_error(
    provider: str, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.script(Say("A small telescope.", stream_error="the runner has unexpectedly stopped"))
    with pytest.raises(ModelBusyError, match="the runner has unexpectedly stopped"):
        await model_at(provider).complete(run, ASK, role="writer", stream=True)


async def test_a_server_that_is_down_is_unreachable_and_the_error_says_how_to_mend_it(provider: str, run: Run) -> None:
    model = model_for(Settings(provider=provider, base_url="http://127.0.0.1:9", key=KEY, models__attempts=1), "writer")
    assert model is not None
    with pytest.raises(ModelUnreachableError, match=r", http://127\.0\.0\.1:9") as caught:
        await model.complete(run, ASK, role="writer")
    assert "base_url" in caught.value.remedy


async def test_a_server_that_hangs_is_given_up_at_the_deadline(
    provider: str, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.script(Fault("hang"))
    for prompt, stream in WAYS:
        with pytest.raises(ModelDeadlineError, match=r"longer than 0\.2 s"):
            async with asyncio.timeout(60):  # nobody waits for what the SDK has as its deadline
                await model_at(provider, models__deadline=0.2).complete(run, prompt, role="writer", stream=stream)


@pytest.mark.slow
async def test_a_stream_that_drips_is_given_up_at_the_deadline(
    model_at: ModelAt, model_server: ModelServer, run: Run, events: list[Event]
) -> None:
    model_server.script(Say("word " * 2_000, pause=0.05))
    models = [model_at(provider, models__deadline=5.0) for provider in ("openai", "google", "ollama")]
    calls = (model.complete(run, ASK, role="writer", stream=True) for model in models)
    for error in await asyncio.gather(*calls, return_exceptions=True):
        assert isinstance(error, ModelDeadlineError)
    assert told(events).count("word") > len(models)


@pytest.mark.parametrize(
    "headers", [{"Retry-After": "0.3"}, {"retry-after-ms": "300", "Retry-After": "20"}], ids=["seconds", "ms"]
)
async def test_a_busy_server_is_asked_again_after_the_pause_that_it_names(
    provider: str, headers: dict[str, str], model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.script(Fault(429, headers=headers), "A telescope.")
    waits = noted_waits()
    answer = await model_at(provider, models__attempts=3).complete(run, ASK, role="writer")
    assert answer == "A telescope."
    assert len(model_server.requests) == 2
    assert 0.3 in waits


async def test_attempts_are_ours_alone(provider: str, model_at: ModelAt, model_server: ModelServer, run: Run) -> None:
    model_server.script(Fault(503, headers={"Retry-After": "0"}))
    with pytest.raises(ModelBusyError) as caught:
        await model_at(provider, models__attempts=3).complete(run, ASK, role="writer")
    assert len(model_server.requests) == 3
    assert caught.value.details["retry_after"] == 0
    with pytest.raises(ModelBusyError):
        await model_at(provider, models__attempts=3).complete(run, ASK, role="writer")
    assert len(model_server.requests) == 3, "a failure that survived every attempt is recorded"


async def test_a_call_is_made_no_oftener_than_its_caller_wants_and_the_settings_allow(
    model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.script(Fault(503, headers={"Retry-After": "0"}))
    trying = Trying()
    for number, (allowed, wanted, made) in enumerate([(3, 2, 2), (1, 2, 3), (3, None, 6)]):
        with pytest.raises(ModelBusyError):
            await model_at("openai", models__attempts=allowed).complete(
                run, Prompt("", f"Question {number}"), role="writer", attempts=wanted, trying=trying
            )
        assert len(model_server.requests) == made
        assert trying.in_vain


# What is wrong with an answer that came


async def test_an_answer_cut_at_the_output_limit_is_an_error_that_keeps_the_text(
    provider: str, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.script(Say("A small tele", finish="length"))
    for prompt, stream in WAYS:
        with pytest.raises(OutputCutError, match="max_output_tokens") as caught:
            await model_at(provider).complete(run, prompt, role="writer", stream=stream)
        assert caught.value.details["text"] == "A small tele"
    assert run.spending.calls == 2, "what was paid for is counted"


async def test_a_stream_that_goes_on_and_on_is_given_up_and_keeps_the_text(
    provider: str, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.script(Say("A small telescope. " * 500))
    with pytest.raises(OutputCutError) as caught:
        await model_at(provider).complete(run, ASK, role="writer", stream=True, longest=100)
    text = str(caught.value.details["text"])
    assert text.startswith("A small telescope.")
    assert 100 < len(text) < 9_000
    assert run.spending.calls == 1, "what was read is counted"


async def test_an_empty_answer_is_an_error(
    provider: str, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.script(Say(""))
    for prompt, stream in WAYS:
        with pytest.raises(EmptyAnswerError, match="gave no answer"):
            await model_at(provider).complete(run, prompt, role="writer", stream=stream)


@pytest.mark.parametrize("say", [Say("", thinking="Hm. " * 50), Say("<think>Hm. Hm.")], ids=["apart", "mixed in"])
async def test_thinking_that_ate_the_answer_is_said(
    provider: str, say: Say, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.script(replace(say, finish="length"))
    for prompt, stream in WAYS:
        with pytest.raises(EmptyAnswerError, match=r"thought, but gave no answer.*max_output_tokens"):
            await model_at(provider).complete(run, prompt, role="writer", stream=stream)


@pytest.mark.parametrize("text", ["I cannot help with that.", ""])
@pytest.mark.parametrize("provider", ["openai", "google"])
async def test_a_refusal_is_an_error_of_its_own(
    provider: str, text: str, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.script(Say(text, finish="refusal"))
    for prompt, stream in WAYS:
        with pytest.raises(RefusalError) as caught:
            await model_at(provider).complete(run, prompt, role="writer", stream=stream)
        assert caught.value.details["text"] == text


async def test_a_prompt_that_does_not_fit_is_not_sent(
    provider: str, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model = model_at(provider, context_window=4096, models__max_output_tokens=1000)
    with pytest.raises(PromptTooLongError, match=r"3096 fit into the context window of 4096.*context_window"):
        await model.complete(run, Prompt("", "ships and stars " * 2000), role="writer")
    assert model_server.requests == []


async def test_a_prompt_that_just_fits_is_sent(
    provider: str, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model = model_at(provider, context_window=4096, models__max_output_tokens=1000)
    assert await model.complete(run, Prompt("", "ships and stars " * 800), role="writer") == "ok"
    assert model.room() == 3096


async def test_a_prompt_that_the_server_cut_without_a_word_is_an_error(
    provider: str, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.script(Say("About stars.", prompt_tokens=1026))
    for prompt, stream in WAYS:
        long = Prompt(prompt.user, "ships and stars " * 800)
        with pytest.raises(PromptCutError, match=r"read 1026 tokens.*context_window"):
            await model_at(provider).complete(run, long, role="writer", stream=stream)


async def test_an_honest_count_of_a_long_prompt_is_no_cut(
    provider: str, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    text = f"{Prompt.__doc__} {Model.__doc__}" * 20
    model_server.script(Say("Tests.", prompt_tokens=len(text) // 5))
    assert await model_at(provider).complete(run, Prompt("", text), role="writer") == "Tests."


# Limits, secrets, clients


@pytest.mark.parametrize(
    ("asked", "changes", "most"), [("ollama", {}, 1), ("openai", {}, 8), ("google", {"models.concurrency": 2}, 2)]
)
async def test_no_more_calls_at_once_than_the_provider_takes(
    asked: str, changes: dict[str, int], most: int, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.script(Say("ok", delay=0.05, together=most))
    models = [model_at(asked, **changes), model_at(asked, model="n", **changes)]
    prompts = [Prompt("", f"Question {number}") for number in range(10 if most > 2 else 4)]
    await asyncio.gather(*(models[at % 2].complete(run, prompt, role="writer") for at, prompt in enumerate(prompts)))
    assert model_server.most_at_once == most


@pytest.mark.slow
async def test_waiting_for_a_turn_does_not_count_against_the_deadline(
    model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.script(Say("ok", delay=1.0))
    model = model_at("ollama", models__deadline=5.0)
    prompts = [Prompt("", f"Question {number}") for number in range(6)]
    answers = await asyncio.gather(*(model.complete(run, prompt, role="writer") for prompt in prompts))
    assert answers == ["ok"] * 6


async def test_a_cancelled_call_gives_its_turn_back(model_at: ModelAt, model_server: ModelServer, run: Run) -> None:
    model_server.play(lambda asked: Fault("hang") if asked.user == "hang" else Say("ok"))
    model = model_at("ollama")
    hanging = asyncio.create_task(model.complete(run, Prompt("", "hang"), role="writer"))
    await model_server.first_chat.wait()
    hanging.cancel()
    assert await model.complete(run, Prompt("", "next"), role="writer") == "ok"


async def test_the_key_appears_nowhere_but_in_the_request(
    provider: str,
    model_at: ModelAt,
    model_server: ModelServer,
    settings: Settings,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    model_server.script(
        *2 * [Fault(401, f"Incorrect API key provided: {KEY}")],
        *2 * [Fault(500, f"key={KEY}")],
        *2 * [Fault(400, f"why {KEY}?")],
        "ok",
    )
    model, seen, errors = model_at(provider), list[Event](), list[str]()
    async with Run("Why?", settings, on_event=seen.append, journal=Journal(tmp_path / "j" / "journal.sqlite")) as run:
        for number in range(7):
            try:
                await model.complete(run, Prompt("", f"Question {number}"), role="writer", stream=number % 2 == 0)
            except ModelError as error:
                errors.append(f"{error} {error.to_record()}")
        kept = b"".join(file.read_bytes() for file in (tmp_path / "j").iterdir())
    assert len(errors) == 6
    assert any(KEY in value for asked in model_server.requests for value in asked.headers.values())
    for shown in (*errors, *map(repr, seen), repr(model.config), model.place, caplog.text):
        assert KEY not in shown
    assert b"Question 6" in kept
    assert KEY.encode() not in kept


async def test_a_password_in_the_address_is_not_recorded(model_server: ModelServer, run: Run) -> None:
    url = f"http://user:hunter2@127.0.0.1:{model_server.port}/v1"
    model = model_for(Settings(provider="openai", model="m", base_url=url), "writer")
    assert model is not None
    assert await model.complete(run, ASK, role="writer") == "ok"
    assert "hunter2" not in f"{run.journal.effects()} {model.place}"


async def test_clients_are_closed_with_the_run(
    provider: str, model_at: ModelAt, model_server: ModelServer, settings: Settings
) -> None:
    async with Run("Why?", settings, journal=Journal()) as run:
        for stream in (True, False):
            await model_at(provider).complete(run, Prompt("", f"{stream}"), role="writer", stream=stream)
        assert model_server.connections() >= 1
    async with asyncio.timeout(60):
        while model_server.connections():  # noqa: ASYNC110 (aiohttp tells nobody when one closes)
            await asyncio.sleep(0.01)


async def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    provider: str, model_at: ModelAt, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY")
    assert await model_at(provider).complete(run, ASK, role="writer") == "ok"


# Embeddings


async def test_texts_become_vectors_in_their_order_and_in_batches(
    provider: str, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    texts = [f"{'a' * number} text" for number in range(150)]
    vectors = await model_at(provider).embed(run, texts)
    assert [vector[0] for vector in vectors] == [len(text) / 100 for text in texts]
    assert sorted(map(len, model_server.embedded)) == [22, 64, 64]
    assert await model_at(provider).embed(run, texts) == vectors
    assert len(model_server.embedded) == 3, "equal batches are one effect"


async def test_no_texts_are_no_vectors(provider: str, model_at: ModelAt, model_server: ModelServer, run: Run) -> None:
    assert await model_at(provider).embed(run, []) == []
    assert model_server.embedded == []


@pytest.mark.parametrize("fault", [Fault(404, "no such model"), Fault("garbage"), Fault("html"), Fault("reset")])
async def test_an_embedder_that_fails_is_one_error(
    provider: str, fault: Fault, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.script(fault)
    with pytest.raises(EmbedderError, match=f"{provider} m, http"):
        await model_at(provider).embed(run, ["a text"])


@pytest.mark.parametrize("vectors", [[], [[1.0]], [[1.0], []], [[1.0], [float("nan")]]], ids=str)
async def test_vectors_that_are_not_one_a_text_are_an_error(
    provider: str, vectors: list[list[float]], model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    model_server.vectors = lambda texts: vectors
    with pytest.raises(EmbedderError, match=f"{provider} m, http"):
        await model_at(provider).embed(run, ["one text", "another"])


@pytest.mark.parametrize("without", ["deepseek", "xai"])
async def test_a_provider_without_embeddings_says_so(
    without: str, model_at: ModelAt, model_server: ModelServer, run: Run
) -> None:
    with pytest.raises(EmbedderError, match="no embeddings"):
        await model_at(without).embed(run, ["a text"])
    assert model_server.embedded == []
