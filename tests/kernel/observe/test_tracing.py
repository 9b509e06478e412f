"""A run as OpenTelemetry spans: named, nested, timed and closed as the conventions want, and without content."""

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as gen_ai
from pydantic import SecretStr

from loopback import KEY, Fault, ModelServer, Reply, Say, WebServer
from spyglass import research
from spyglass.agent import Planner, Quick_searcher, Reporter
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.model.model import Prompt
from spyglass.model.openai import OpenAI
from spyglass.model.providers import model_for
from spyglass.runs.detached import prepared
from web.engine import put_engine

QUESTION = "How do bees dance?"
DANCE = "Honey bees dance a waggle dance to tell their sisters where flowers are. "
SECRET = "hidden-in-the-address"
EXPORTER = InMemorySpanExporter()


@pytest.fixture(scope="module")
def _provider() -> None:
    """The application's provider: a process sets it once."""
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(EXPORTER))
    trace.set_tracer_provider(provider)


@pytest.fixture
def spans(_provider: None) -> Iterator[InMemorySpanExporter]:
    EXPORTER.clear()
    yield EXPORTER
    EXPORTER.clear()


@pytest.fixture
def settings(tmp_path: Path, web_server: WebServer, model_server: ModelServer) -> Settings:
    return Settings(
        data_dir=tmp_path / "data",
        web=True,
        searxng_url=web_server.url(),
        network__allow_private=["127.0.0.0/8"],
        provider="openai",
        model="gpt-x",
        key=SecretStr(KEY),
        base_url=model_server.base_url("openai"),
        budget__prices={"openai/gpt-x": (1.0, 2.0)},
        search__attempts=1,
        fetch__attempts=1,
        cache__page_hours=0,
        observe__otel=True,
    )


def named(spans: InMemorySpanExporter, name: str) -> list[ReadableSpan]:
    return [span for span in spans.get_finished_spans() if span.name == name]


def one(spans: InMemorySpanExporter, name: str) -> ReadableSpan:
    (span,) = named(spans, name)
    return span


def said(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


def id_of(span: ReadableSpan) -> int:
    assert span.context is not None
    return int(span.context.span_id)


def when(span: ReadableSpan) -> tuple[int, int]:
    return span.start_time or 0, span.end_time or 0


def parents(spans: InMemorySpanExporter, name: str) -> set[str]:
    """The names of the spans under which those of a name are."""
    names = {id_of(span): span.name for span in spans.get_finished_spans()}
    return {names[span.parent.span_id] if span.parent else "" for span in named(spans, name)}


def gpt(server: ModelServer) -> OpenAI:
    from spyglass.model.exchange import ModelConfig

    return OpenAI("gpt-x", ModelConfig(base_url=server.base_url("openai"), key=SecretStr(KEY), price=(1.0, 2.0)))


async def a_report(settings: Settings, web: WebServer, model: ModelServer) -> None:
    page = web.put_article("/dance", "The dance", DANCE * 6)
    put_engine(web, lambda query: [f"{page}?token={SECRET}"])
    plan = {"tasks": [{"task": "dances", "agent": "quick-searcher", "queries": ["bee dance"]}], "sections": ["Dance"]}
    model.script(Say(json.dumps(plan)))
    planner = Planner(model_for(settings, "planner"))
    await research(QUESTION, planner, [Quick_searcher(), Reporter()], settings=settings)


async def test_a_report_is_a_tree_of_its_agents_and_their_calls(
    settings: Settings, spans: InMemorySpanExporter, web_server: WebServer, model_server: ModelServer
) -> None:
    await a_report(settings, web_server, model_server)
    assert parents(spans, "invoke_workflow spyglass") == {""}
    assert parents(spans, "invoke_agent planner") == {"invoke_workflow spyglass"}
    assert parents(spans, "invoke_agent quick-searcher") == {"invoke_workflow spyglass"}
    assert parents(spans, "invoke_agent reporter") == {"invoke_workflow spyglass"}
    assert parents(spans, "chat gpt-x") == {"invoke_agent planner"}
    assert "execute_tool research_web" in parents(spans, "execute_tool fetch_page")
    assert {span.context.trace_id for span in spans.get_finished_spans() if span.context} == {
        one(spans, "invoke_workflow spyglass").context.trace_id
    }
    assert said(one(spans, "invoke_workflow spyglass"))["spyglass.kernel.outcome"] == "complete"


async def test_a_span_lies_within_its_parent_in_time(
    settings: Settings, spans: InMemorySpanExporter, web_server: WebServer, model_server: ModelServer
) -> None:
    await a_report(settings, web_server, model_server)
    by_id = {id_of(span): span for span in spans.get_finished_spans()}
    for span in by_id.values():
        assert 10**18 < when(span)[0] <= when(span)[1], "nanoseconds since 1970"
        if span.parent and span.name.startswith(("chat", "execute_tool")):
            parent = by_id[span.parent.span_id]
            assert when(parent)[0] <= when(span)[0]
            assert when(span)[1] <= when(parent)[1]


async def test_nothing_that_was_read_asked_or_kept_secret_is_in_a_span(
    settings: Settings, spans: InMemorySpanExporter, web_server: WebServer, model_server: ModelServer
) -> None:
    await a_report(settings, web_server, model_server)
    everything = "\n".join(span.to_json() for span in spans.get_finished_spans())
    for text in (QUESTION, "waggle", "bee dance", "dances", KEY, SECRET):
        assert text not in everything
    assert "/dance" in everything, "a page is known by its address"


async def test_whoever_asks_for_content_has_it_in_the_attributes_that_the_conventions_name(
    settings: Settings, spans: InMemorySpanExporter, web_server: WebServer, model_server: ModelServer
) -> None:
    await a_report(settings.updated(observe__otel_content=True), web_server, model_server)
    chat = said(named(spans, "chat gpt-x")[0])
    asked = json.loads(str(chat[gen_ai.GEN_AI_INPUT_MESSAGES]))
    assert asked[0]["role"] == "user"
    assert QUESTION in asked[0]["parts"][0]["content"]
    assert json.loads(str(chat[gen_ai.GEN_AI_SYSTEM_INSTRUCTIONS]))[0]["type"] == "text"
    answer = json.loads(str(chat[gen_ai.GEN_AI_OUTPUT_MESSAGES]))
    assert answer[0]["finish_reason"] == "stop"
    assert KEY not in "\n".join(span.to_json() for span in spans.get_finished_spans())


async def test_a_chat_says_which_model_was_asked_and_what_it_took(
    settings: Settings, spans: InMemorySpanExporter, model_server: ModelServer
) -> None:
    model_server.script(Say("It is so.", prompt_tokens=1000, completion_tokens=500))
    async with Run(QUESTION, settings, journal=Journal()) as run:
        await gpt(model_server).complete(run, Prompt("", "Is it so?"), role="writer", max_tokens=64)
    chat = one(spans, "chat gpt-x")
    assert chat.kind is trace.SpanKind.CLIENT
    assert {name: value for name, value in said(chat).items() if name != "spyglass.kernel.run.id"} == {
        gen_ai.GEN_AI_OPERATION_NAME: gen_ai.GenAiOperationNameValues.CHAT.value,
        gen_ai.GEN_AI_PROVIDER_NAME: gen_ai.GenAiProviderNameValues.OPENAI.value,
        gen_ai.GEN_AI_REQUEST_MODEL: "gpt-x",
        gen_ai.GEN_AI_REQUEST_MAX_TOKENS: 64,
        gen_ai.GEN_AI_OUTPUT_TYPE: "text",
        gen_ai.GEN_AI_RESPONSE_FINISH_REASONS: ("stop",),
        gen_ai.GEN_AI_USAGE_INPUT_TOKENS: 1000,
        gen_ai.GEN_AI_USAGE_OUTPUT_TOKENS: 500,
        "server.address": "127.0.0.1",
        "server.port": model_server.port,
        "spyglass.role": "writer",
        "spyglass.replayed": False,
        "spyglass.kernel.attempts": 1,
        "spyglass.cost": pytest.approx(0.002),
    }


async def test_a_call_that_is_made_again_counts_its_attempts(
    settings: Settings, spans: InMemorySpanExporter, model_server: ModelServer
) -> None:
    model_server.script(Fault(503), Fault(503), Say("It is so."))
    async with Run(QUESTION, settings, journal=Journal()) as run:
        await gpt(model_server).complete(run, Prompt("", "Is it so?"), role="writer")
    chat = one(spans, "chat gpt-x")
    assert said(chat)["spyglass.kernel.attempts"] == 3
    assert [event.name for event in chat.events] == ["spyglass.kernel.retry"] * 2
    assert chat.status.status_code is trace.StatusCode.UNSET


async def test_a_call_that_fails_says_with_which_error_and_no_word_of_it(
    settings: Settings, spans: InMemorySpanExporter, model_server: ModelServer
) -> None:
    model_server.script(Fault(503))
    with pytest.raises(ExceptionGroup):
        async with Run(QUESTION, settings, journal=Journal()) as run, asyncio.TaskGroup() as group:
            group.create_task(gpt(model_server).complete(run, Prompt("", "Is it so?"), role="writer"))
    chat = one(spans, "chat gpt-x")
    assert said(chat)["error.type"] == "ModelBusyError"
    assert said(chat)["spyglass.kernel.attempts"] == 3
    assert (chat.status.status_code, chat.status.description) == (trace.StatusCode.ERROR, None)
    assert not chat.status.description
    assert said(one(spans, "invoke_workflow spyglass"))["error.type"] == "failed"


async def test_an_answer_of_the_journal_is_told_apart_and_counts_no_token_twice(
    settings: Settings, spans: InMemorySpanExporter, model_server: ModelServer
) -> None:
    model_server.script(Say("It is so.", prompt_tokens=10, completion_tokens=5))
    async with Run(QUESTION, settings, journal=Journal()) as run:
        for _ in range(2):
            await gpt(model_server).complete(run, Prompt("", "Is it so?"), role="writer")
    first, second = map(said, named(spans, "chat gpt-x"))
    assert (first["spyglass.replayed"], second["spyglass.replayed"]) == (False, True)
    assert {"spyglass.cost", gen_ai.GEN_AI_USAGE_INPUT_TOKENS} & set(second) == set()


async def test_a_run_is_under_the_span_that_its_caller_is_in_and_leaves_it_as_it_was(
    settings: Settings, spans: InMemorySpanExporter
) -> None:
    async def answer() -> int:
        return 1

    with trace.get_tracer("an application").start_as_current_span("handle request") as outer:
        async with Run(QUESTION, settings, journal=Journal()) as run:
            with trace.get_tracer("an application").start_as_current_span("inner"):
                await run.effect("own kind", {}, answer)
        assert trace.get_current_span() is outer
    assert parents(spans, "invoke_workflow spyglass") == {"handle request"}
    assert parents(spans, "inner") == {"invoke_workflow spyglass"}
    assert parents(spans, "own kind") == {"inner"}


async def test_two_runs_at_once_are_two_trees(settings: Settings, spans: InMemorySpanExporter) -> None:
    async def whole(number: int) -> None:
        async def slow() -> int:
            await asyncio.sleep(0.01)
            return number

        async with Run(f"Question {number}?", settings, journal=Journal()) as run:
            await asyncio.gather(*(run.effect("own kind", [number, part], slow) for part in range(3)))

    await asyncio.gather(whole(1), whole(2))
    roots = {id_of(span): said(span)["spyglass.kernel.run.id"] for span in named(spans, "invoke_workflow spyglass")}
    assert len(set(roots.values())) == 2
    for span in named(spans, "own kind"):
        assert span.parent
        assert said(span)["spyglass.kernel.run.id"] == roots[span.parent.span_id]


async def test_a_search_and_a_page_are_tools_and_name_their_server(
    settings: Settings, spans: InMemorySpanExporter, web_server: WebServer, model_server: ModelServer
) -> None:
    web_server.put("/gone", Reply("", status=404))
    await a_report(settings.model_copy(update={"urls": [web_server.url("/gone")]}), web_server, model_server)
    search, *_ = named(spans, "execute_tool web_search")
    assert said(search)[gen_ai.GEN_AI_OPERATION_NAME] == gen_ai.GenAiOperationNameValues.EXECUTE_TOOL.value
    assert said(search)["spyglass.engine"] == "searxng"
    pages = {
        str(said(page)["url.full"]).rpartition("/")[2]: said(page) for page in named(spans, "execute_tool fetch_page")
    }
    assert pages["gone"]["error.type"] == "StatusError"
    assert "error.type" not in pages["dance"]
    assert pages["dance"]["server.address"] == "127.0.0.1"


async def test_who_does_not_ask_for_spans_gets_none(
    settings: Settings, spans: InMemorySpanExporter, web_server: WebServer, model_server: ModelServer
) -> None:
    await a_report(settings.updated(observe__otel=False), web_server, model_server)
    assert not spans.get_finished_spans()


async def printed(script: str, folder: Path) -> str:
    """Return what a script prints in a process of its own."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, cwd=folder, stdout=asyncio.subprocess.PIPE
    )
    return (await process.communicate())[0].decode()


async def test_without_spans_nothing_of_opentelemetry_is_imported(tmp_path: Path) -> None:
    script = (
        "import asyncio, sys\n"
        "from spyglass.kernel.run import Run\n"
        "from spyglass.kernel.settings import Settings\nfrom spyglass.kernel.journal import Journal\n"
        "async def main():\n"
        "    async with Run('Is it?', Settings(), journal=Journal()) as run:\n"
        "        run.notice('so')\n"
        "asyncio.run(main())\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])\n"
    )
    assert (await printed(script, tmp_path)).strip() == "[]"


async def test_who_wants_spans_without_the_package_is_told_how_to_get_it(tmp_path: Path) -> None:
    script = (
        "import sys\nsys.modules['opentelemetry'] = None\n"
        "from spyglass.kernel.errors import SettingsError\n"
        "from spyglass.kernel.run import Run\nfrom spyglass.kernel.settings import Settings\n"
        "try:\n    Run('Is it?', Settings(observe__otel=True))\nexcept SettingsError as error:\n    print(error)\n"
    )
    assert 'pip install "spyglass[otel]"' in await printed(script, tmp_path)


async def test_a_run_that_another_process_makes_belongs_to_the_trace_of_who_asked_for_it(
    settings: Settings, spans: InMemorySpanExporter, tmp_path: Path
) -> None:
    (tmp_path / "bees").mkdir()
    (tmp_path / "bees" / "bees.md").write_text("# Bees\n\nBees dance in the hive.\n")
    alone = settings.updated(db=[tmp_path / "bees"], web=False, model=None, provider=None)
    with trace.get_tracer("somebody").start_as_current_span("asking") as asking:
        here = await asyncio.to_thread(prepared, QUESTION, alone)
    named_there = f"00-{7:032x}-{8:016x}-01"
    there = await asyncio.to_thread(prepared, QUESTION, alone, traceparent=named_there)
    strange = await asyncio.to_thread(prepared, QUESTION, alone, traceparent="../etc")
    for run in (here, there, strange):
        await research(settings=alone, resume=run)
    one, other, own = named(spans, "invoke_workflow spyglass")
    assert one.parent is not None
    assert one.parent.span_id == asking.get_span_context().span_id
    assert other.parent is not None
    assert (other.parent.trace_id, other.parent.span_id) == (7, 8)
    assert own.parent is None
