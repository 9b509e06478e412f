"""The stock client of OpenAI asks the service as it asks a model."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI
from openai.types.responses import ResponseCompletedEvent, ResponseOutputMessage, ResponseOutputText

from loopback import Fault, SearchServer, WebServer
from serve.conftest import Serving
from serve.test_runs import call, ended
from tools.sites import finds, put

QUESTION = "How deep is the Altmere harbour basin?"
DEPTH = "The basin of the Altmere harbour is seven metres deep at low water."


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "harbour.md").write_text(f"# The harbour\n\n{DEPTH}\n\nIts quay was built of oak.\n")
    return tmp_path / "files"


@asynccontextmanager
async def client_of(base: str) -> AsyncIterator[AsyncOpenAI]:
    async with AsyncOpenAI(base_url=f"{base}/v1", api_key="none", max_retries=0, timeout=120) as client:
        yield client


def text_of(response: openai.types.responses.Response) -> ResponseOutputText:
    (message,) = response.output
    assert isinstance(message, ResponseOutputMessage)
    (part,) = message.content
    assert isinstance(part, ResponseOutputText)
    return part


async def test_a_response_cites_files_and_pages_at_exact_offsets(
    serving: Serving, files: Path, search_server: SearchServer, web_server: WebServer
) -> None:
    quay = "The quay of Altmere harbour basin was built of grey granite in 1871."
    finds(search_server, url := put(web_server, "127.0.0.1", "/quay", quay))
    async with serving(db=[files], web=True) as base, client_of(base) as client:
        response = await client.responses.create(
            model="spyglass", input=f"{QUESTION} And when was the quay of Altmere harbour built?"
        )
        assert (response.status, response.error) == ("completed", None)
        part = text_of(response)
        found = [one.model_dump() for one in part.annotations]
        assert {one["type"] for one in found} == {"url_citation", "file_citation"}
        for one in found:
            cited = part.text[one["start_index"] : one["end_index"]]
            assert one["quote"] in (DEPTH, quay)
            assert (one["quote"] in cited, one["verdict"], len(one["snapshot"])) == (True, "supported", 64)
            assert cited.endswith(f"[{one['number']}]")
        assert {one["url"] for one in found if one["type"] == "url_citation"} == {url}
        assert {one["filename"] for one in found if one["type"] == "file_citation"} == {"harbour.md"}
        assert (await client.responses.retrieve(response.id)).output == response.output


async def test_a_stream_is_the_response_in_parts_and_goes_on_after_a_cut(serving: Serving, files: Path) -> None:
    async with serving(db=[files], web=False) as base, client_of(base) as client:
        text, events = "", []
        async for event in await client.responses.create(
            model="spyglass-quick", input=QUESTION, stream=True, background=True
        ):
            events.append(event)
            if event.type == "response.output_text.delta":
                text += event.delta
        assert [event.sequence_number for event in events] == [*range(len(events))]
        assert (events[0].type, events[-1].type) == ("response.created", "response.completed")
        assert isinstance(events[-1], ResponseCompletedEvent)
        final = events[-1].response
        assert DEPTH in text
        assert text == text_of(final).text
        kept = [event async for event in await client.responses.retrieve(final.id, stream=True, starting_after=3)]
        assert [event.sequence_number for event in kept] == [*range(4, len(events))]


async def test_one_in_the_background_is_asked_after_stopped_and_asked_on(
    serving: Serving, files: Path, search_server: SearchServer
) -> None:
    search_server.script(Fault("hang"))
    async with serving(db=[files], web=True) as base, client_of(base) as client:
        begun = await client.responses.create(model="spyglass", input=QUESTION, background=True)
        assert begun.status == "in_progress"
        assert (await client.responses.retrieve(begun.id)).status in ("in_progress", "completed")
        stopped = await client.responses.cancel(begun.id)
        assert stopped.status == "cancelled"
        on = await client.responses.create(
            model="spyglass",
            input="Of what was its quay built?",
            previous_response_id=begun.id,
            tools=[{"type": "file_search", "vector_store_ids": []}],
        )
        assert "built of oak" in text_of(on).text
        run = (await call(f"{base}/runs/{on.id.removeprefix('resp_')}"))[1]
        assert run["question"] == "Of what was Altmere harbour basin's quay built?"


async def test_a_chat_is_answered_whole_and_in_chunks(serving: Serving, files: Path) -> None:
    async with serving(db=[files], web=False) as base, client_of(base) as client:
        chat: Any = [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": QUESTION},
            {"role": "assistant", "content": "Seven metres."},
            {"role": "user", "content": [{"type": "text", "text": "Of what was its quay built?"}]},
        ]
        whole = await client.chat.completions.create(model="spyglass", messages=chat)
        message = whole.choices[0].message
        assert "built of oak" in (message.content or "")
        assert message.annotations
        text, cited = message.content or "", [one.url_citation for one in message.annotations]
        assert any("built of oak" in text[one.start_index : one.end_index] for one in cited)
        assert (await call(cited[0].url))[0] == 200, "a file leads to the report"
        text, usage = "", None
        async for chunk in await client.chat.completions.create(
            model="spyglass",
            messages=chat,
            stream=True,
            stream_options={"include_usage": True},
        ):
            text += "".join(choice.delta.content or "" for choice in chunk.choices)
            usage = chunk.usage or usage
        assert "built of oak" in text
        assert usage is not None


async def test_who_leaves_a_chat_stops_its_run(serving: Serving, files: Path, search_server: SearchServer) -> None:
    search_server.script(Fault("hang"))
    async with serving(db=[files], web=True) as base, client_of(base) as client:
        stream = await client.chat.completions.create(
            model="spyglass", messages=[{"role": "user", "content": QUESTION}], stream=True
        )
        first = await anext(aiter(stream))
        await stream.close()
        assert (await ended(base, first.id.removeprefix("chatcmpl-")))["outcome"] == "cancelled"


async def test_what_is_wrong_is_told_in_the_words_that_the_client_raises(serving: Serving, files: Path) -> None:
    async with serving(db=[files], web=False) as base, client_of(base) as client:
        assert "spyglass" in {model.id async for model in client.models.list()}
        with pytest.raises(openai.NotFoundError, match="There is no model 'gpt'"):
            await client.responses.create(model="gpt", input=QUESTION)
        with pytest.raises(openai.NotFoundError, match="There is no run"):
            await client.responses.retrieve("resp_nothing")
        with pytest.raises(openai.BadRequestError, match="There is no message of the user"):
            await client.chat.completions.create(model="spyglass", messages=[{"role": "system", "content": "x"}])
        with pytest.raises(openai.UnprocessableEntityError, match="does not search the web"):
            await client.responses.create(model="spyglass", input=QUESTION, tools=[{"type": "web_search"}])
