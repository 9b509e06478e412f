"""A question becomes a report about real files: with every wire format, no model, and models that misbehave."""

import asyncio
import io
import json
import re
import string
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from documents import files as documents
from loopback import Fault, ModelServer, PromptRequest, Say, SearchServer
from loopback.prose import of_section
from spyglass import generate_report, research
from spyglass.agent import Agent, Planner, RAG_agent
from spyglass.kernel.errors import FolderError, MissingAgentError, QuestionError, UnknownNameError
from spyglass.kernel.events import Event, PhaseChanged, RunEnded
from spyglass.kernel.journal import Journal
from spyglass.kernel.message import TERMINATE, Message
from spyglass.kernel.notice import recorded
from spyglass.kernel.run import Run
from spyglass.kernel.sentence import sentence_spans
from spyglass.kernel.settings import Settings
from spyglass.render.output import render
from spyglass.report import Report
from spyglass.verify.file import read_report
from spyglass.verify.verify import verify

PLAN = json.dumps(
    {
        "tasks": [
            {"task": "history of the harbour", "agent": "local-retrieval", "queries": ["harbour built", "harbour age"]},
            {"task": "depth of the harbour", "agent": "local-retrieval", "queries": ["harbour depth"]},
        ],
        "sections": ["History", "Depth"],
    }
)

QUESTION = "When was the harbour built, and how deep is it?"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with a few documents."""
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "harbour.md").write_text(
        "# The harbour\n\nThe harbour was built in 1871 by the company of Anna Berg. It took nine years.\n\n"
        "## Depth\n\nThe harbour basin is eleven metres deep at low water.\n"
    )
    (folder / "pilot.txt").write_text(
        "Pilots say that the harbour depth changes: after a storm two metres of sand lie in it."
    )
    (folder / "bakery.txt").write_text("The bakery on the square sells rye bread on Mondays.")
    (folder / "empty.txt").write_text("")
    return folder


def writes(asked: PromptRequest) -> str:
    """Plan when asked to plan, else say the last sentence of each passage that is offered; of one only, to sum up.

    Asked whether the sentences answer the question, say that the first one does in part, and bread is beside it.
    """
    if "tasks" in asked.user and "agent" in asked.user:
        return PLAN
    if '"beside"' in asked.user:
        beside = re.findall(r'<source id="(c\d+)"[^>]*>\n[^<]*rye bread', asked.user)
        return json.dumps({"parts": [{"id": "q1", "verdict": "partly", "by": ["c1"]}], "beside": beside})
    blocks = re.findall(r'<source id="(S[\d.]+)"[^>]*>\n(.*?)\n</source>', asked.user, re.DOTALL)
    blocks = blocks[:1] if "Section: Summary" in asked.user else blocks
    blocks = of_section(asked.user, blocks)
    said = [(label, text[slice(*sentence_spans(text)[-1])]) for label, text in blocks]
    return " ".join(f"{sentence.rstrip('.')} [{label}]." for label, sentence in said)


def with_model(settings: Settings, server: ModelServer, provider: str, **more: Any) -> Settings:
    changes = {"provider": provider, "model": "m", "base_url": server.base_url(provider), "models.attempts": 1, **more}
    return settings.updated(**changes)


def assert_every_quote_is_verbatim(report: Report, settings: Settings) -> None:
    journal = Journal(settings.data_dir / "runs" / report.run / "journal.sqlite")
    assert report.citations
    for citation in report.citations:
        text = journal.snapshot(citation.snapshot)
        assert text is not None
        assert text[citation.start : citation.end] == citation.quote
    journal.close()


@pytest.mark.usefixtures("files")
async def test_without_a_model_the_files_are_quoted(settings: Settings) -> None:
    report = await research(QUESTION, settings=settings)
    assert report.outcome == "complete"
    assert re.search(r"The harbour was built in 1871 by the company of Anna Berg\. ?\[\d\]", report.markdown)
    assert "harbour.md" in report.markdown
    assert "rye bread" not in report.markdown
    assert_every_quote_is_verbatim(report, settings)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("provider", ["openai", "gemini", "ollama"])
async def test_with_a_model_the_sections_cite_passages(
    settings: Settings, model_server: ModelServer, provider: str
) -> None:
    model_server.play(writes)
    report = await research(QUESTION, settings=with_model(settings, model_server, provider, research__rounds=0))
    assert report.outcome == "complete", report.failures
    assert [section.title for section in report.sections] == ["Summary", "Depth"]
    assert ["rye bread" in gone.text for gone in report.removed] == [True], "all that was written in History"
    assert (
        report.spending.calls == len(model_server.requests) == 5
    )  # the plan, three sections side by side, their judgement
    assert "S1" not in report.markdown
    assert_every_quote_is_verbatim(report, settings)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    "act",
    [
        Fault(401),
        Fault(404),
        Fault(500),
        Fault("reset"),
        Fault("garbage"),
        Fault("half"),
        Fault("html"),
        Fault("empty"),
        Say(""),
        Say("no", finish="refusal"),
        Say("The harb", finish="length"),
        Say("I cannot plan.\n```\n{\n```"),
    ],
    ids=str,
)
async def test_a_model_that_fails_loses_nothing_that_the_files_say(
    settings: Settings, model_server: ModelServer, act: Say | Fault
) -> None:
    model_server.script(act)
    report = await research(QUESTION, settings=with_model(settings, model_server, "openai"))
    assert "built in 1871" in report.markdown
    assert_every_quote_is_verbatim(report, settings)


@pytest.mark.usefixtures("files")
async def test_a_model_that_cannot_be_reached_is_told_with_its_remedy(settings: Settings) -> None:
    away = settings.updated(provider="openai", model="m", base_url="http://127.0.0.1:9/v1", models__attempts=1)
    report = await research(QUESTION, settings=away)
    assert report.outcome == "partial"
    assert any("127.0.0.1:9" in str(failure.why) for failure in report.failures)
    assert "built in 1871" in report.markdown


@pytest.mark.usefixtures("files")
async def test_a_server_that_hangs_ends_at_the_deadline(settings: Settings, model_server: ModelServer) -> None:
    model_server.script(Fault("hang"))
    report = await research(QUESTION, settings=with_model(settings, model_server, "openai", models__deadline=0.2))
    assert any("0.2 s" in str(failure.why) for failure in report.failures)
    assert "built in 1871" in report.markdown


@pytest.mark.usefixtures("files")
async def test_invented_links_and_labels_reach_no_report(settings: Settings, model_server: ModelServer) -> None:
    def lies(asked: PromptRequest) -> str:
        told = writes(asked)
        return told if told == PLAN else f"{told} It doubled in 2019 [S99]. See [this](http://made.up/study)."

    model_server.play(lies)
    report = await research(QUESTION, settings=with_model(settings, model_server, "openai"))
    assert "made.up" not in report.markdown
    assert report.dropped_markers == 3
    assert_every_quote_is_verbatim(report, settings)


async def test_when_nothing_is_found_no_writer_is_called(
    settings: Settings, model_server: ModelServer, files: Path
) -> None:
    model_server.script(json.dumps({"tasks": [{"task": "zebras", "agent": "local-retrieval", "queries": ["zebras"]}]}))
    report = await research(
        "Where do zebras sleep?", settings=with_model(settings, model_server, "openai", research__rounds=0)
    )
    assert report.outcome == "nothing_found"
    assert len(model_server.requests) == 1
    assert "zebras" in report.markdown
    assert not report.references


async def test_an_empty_folder_is_an_honest_nothing_found(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    assert (await research(QUESTION, settings=settings)).outcome == "nothing_found"


async def test_a_missing_folder_is_an_error_before_anything_begins(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(FolderError, match=f"There is no {tmp_path / 'files'}"):
        await research(QUESTION, settings=settings)
    assert not (settings.data_dir / "runs").exists()


@pytest.mark.parametrize(
    ("question", "said"),
    [("", "empty"), (" \n\t\x00 ", "empty"), ("why " * 25_000, r"100,000|99,999 characters; the limit is 10,000")],
)
async def test_a_question_that_cannot_be_asked_is_told(settings: Settings, question: str, said: str) -> None:
    with pytest.raises(QuestionError, match=said):
        await generate_report(question, settings=settings)


async def test_an_unknown_agent_in_the_settings_lists_the_known_ones(settings: Settings) -> None:
    with pytest.raises(UnknownNameError, match="local-retrieval"):
        await generate_report("Why?", settings=settings.model_copy(update={"agents": ["wizard"]}))


async def test_without_a_reporter_the_error_names_it(settings: Settings) -> None:
    with pytest.raises(MissingAgentError, match='agent "reporter" is missing; the agents are: local-retrieval'):
        await generate_report("Why?", Planner(None), [RAG_agent(None)], settings=settings)


class OwnReporter(Agent):
    """A reporter of somebody else's, which knows nothing but the contract."""

    name = "reporter"
    description = "Writes."

    def get_recv_format(self) -> type[BaseModel] | None:
        return None

    def get_send_format(self) -> type[BaseModel] | None:
        return None

    async def run(self, response: str, data: list[Any] | None = None) -> Message:
        return {"agent": TERMINATE, "task": "", "data": f"{len(data or [])} records"}


class BrokenReporter(OwnReporter):
    async def run(self, response: str, data: list[Any] | None = None) -> Message:
        raise ValueError("out of ink")


@pytest.mark.usefixtures("files")
async def test_somebody_elses_reporter_may_write_the_report(settings: Settings) -> None:
    report = await generate_report(QUESTION, Planner(None), [RAG_agent(None), OwnReporter()], settings=settings)
    assert re.fullmatch(r"\d records", report)


@pytest.mark.usefixtures("files")
async def test_a_reporter_that_breaks_loses_nothing_that_was_found(settings: Settings) -> None:
    report = await research(QUESTION, Planner(None), [RAG_agent(None), BrokenReporter()], settings=settings)
    assert "out of ink" in report.markdown
    assert "built in 1871" in report.markdown
    assert report.outcome == "partial"


@pytest.mark.usefixtures("files")
async def test_a_stopped_run_still_reports_what_is_there(settings: Settings, model_server: ModelServer) -> None:
    def slow(asked: PromptRequest) -> Say | str:
        told = writes(asked)
        return told if told == PLAN else Say(told, delay=30)

    model_server.play(slow)
    runs: list[Run] = []

    def stop_when_writing(event: Event) -> None:
        if isinstance(event, PhaseChanged) and event.phase == "WRITING":
            asyncio.get_running_loop().call_later(0.2, runs[0].stop)

    report = await research(
        QUESTION,
        settings=with_model(settings, model_server, "openai"),
        on_event=stop_when_writing,
        on_start=runs.append,
    )
    assert report.outcome == "cancelled"
    assert "built in 1871" in report.markdown


@pytest.mark.usefixtures("files")
async def test_the_last_event_says_how_the_run_ended(settings: Settings) -> None:
    events: list[Event] = []
    await research(QUESTION, settings=settings, on_event=events.append)
    assert isinstance(events[-1], RunEnded)
    assert events[-1].outcome == "complete"


@pytest.mark.usefixtures("files")
async def test_equal_effects_make_an_equal_report(settings: Settings) -> None:
    first = await research(QUESTION, settings=settings)
    again = await research(QUESTION, settings=settings)
    assert first.markdown == again.markdown


DOOR = """
import asyncio, sys
from pathlib import Path
from src.generate_report import generate_report
from src.factory.factory import Factory
from src.agent import Planner
from src import Settings

async def main():
    settings = Settings(db=[Path(sys.argv[1])], data_dir=Path(sys.argv[2]))
    agents = [Factory.get_agent("reporter", None), Factory.get_agent("local-retrieval", None)]
    print(await generate_report("When was the harbour built?", Planner(None), agents, settings=settings))

asyncio.run(main())
assert "spyglass" not in sys.modules
"""


def test_the_contracts_imports_work_from_the_checkout(files: Path, tmp_path: Path) -> None:
    checkout = Path(__file__).parent.parent
    ran = subprocess.run(
        [sys.executable, "-c", DOOR, str(files), str(tmp_path / "data")],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "built in 1871" in ran.stdout, ran.stderr


COMMANDS = "\x1b[31m\x9b2J\x07\x7f\u202e\u2066\u200f\u061c"


async def test_what_commands_a_terminal_or_turns_text_is_in_no_output(
    settings: Settings, model_server: ModelServer, files: Path, tmp_path: Path
) -> None:
    (files / f"depth{COMMANDS}.md").write_text(
        f"# Depth{COMMANDS}\n\nThe harbour{COMMANDS} basin is eleven metres{COMMANDS} deep.\n\n"
        "The harbour &#x202e;basin &rlm;has two &#27;quays.\n"
    )

    def commands(asked: PromptRequest) -> str:
        said = writes(asked)
        if said == PLAN:
            plan = json.loads(PLAN)
            plan["sections"] = [f"History{COMMANDS}", f"Depth{COMMANDS}"]
            return json.dumps(plan)
        return said.replace(" harbour", f" {COMMANDS}harbour&#x202e;&#155;&rlm;")

    model_server.play(commands)
    for chosen in (settings, with_model(settings, model_server, "openai", report__policy="mark", research__rounds=0)):
        report = await research(QUESTION, settings=chosen)
        assert_every_quote_is_verbatim(report, chosen)
        (tmp_path / "r.json").write_bytes(await render(report, Path("r.json"), chosen))
        found = await asyncio.to_thread(read_report, tmp_path / "r.json")
        assert (await asyncio.to_thread(verify, found.report, found.checksum)).holds
        for name in ("r.md", "r.html", "r.json", "r.docx", "r.bib", "r.csl.json"):
            said = text_of(name, await render(report, Path(name), chosen))
            assert "harbour" in said
            assert not set(said) & set(COMMANDS) - set(string.printable), name
            if name in ("r.md", "r.html", "r.docx"):  # where a reference would be read as what it spells
                assert not re.search(r"(?<!\\)&(?:#x202e|#155|#27|rlm);", said), name
        texts = [text for text in strings(report.model_dump(mode="json")) if not text.startswith("depth")]
        assert [text for text in texts if set(text) & set(COMMANDS) - set(string.printable)] == []


def text_of(name: str, content: bytes) -> str:
    """Return what a viewer of a file reads."""
    if not name.endswith(".docx"):
        return content.decode()
    with zipfile.ZipFile(io.BytesIO(content)) as word:
        return "".join(word.read(part).decode() for part in word.namelist() if part.endswith(".xml"))


def strings(value: Any) -> Iterator[str]:
    """Yield all texts in a JSON value."""
    if isinstance(value, str):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings(one)


@pytest.mark.ocr
async def test_a_scan_is_cited_by_its_page_with_how_sure_ocr_was(settings: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "scans"
    folder.mkdir()
    lines = ["The harbour was built in 1871", "by the company of Anna Berg."]
    (folder / "harbour.pdf").write_bytes(await asyncio.to_thread(documents.scan, ["The ferry sails at noon."], lines))
    report = await research("When was the harbour built?", settings=settings.model_copy(update={"db": [folder]}))
    assert report.outcome == "complete", report.failures
    (entry,) = report.references
    assert (entry.page, entry.path) == (2, "harbour.pdf")
    assert 80 <= (entry.ocr_confidence or 0) <= 100
    said = f"page 2, read by OCR, {entry.ocr_confidence} % confidence"
    for name in ("report.md", "report.html"):
        assert said in (await render(report, tmp_path / name, settings)).decode()
    assert "tesserocr" in report.snapshots[0].extractor
    kept = Report.model_validate_json(report.model_dump_json(exclude={"checksum"}))
    assert verify(kept).holds
    doubtful = entry.model_copy(update={"ocr_confidence": 12})
    assert not verify(kept.model_copy(update={"references": [doubtful]})).holds


LEFT_ENGLISH = re.compile(r"\b(?:the|is|not|with|answer\w*|asked|again|nothing|cannot|trouble|try|checked)\b")
"""Words that an English message can hardly do without, and no German one has."""


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Wann wurde der Hafen von Altmere gebaut?", "Der Hafen von Altmere wurde im Jahr 1871 gebaut."),
        ("アルトミア港はいつ建設されましたか。", "アルトミア港は1871年に建設されました。港の水深は11メートルです。"),
    ],
    ids=["German", "Japanese"],
)
async def test_what_went_wrong_with_models_engines_and_pages_is_told_in_the_language_of_the_question(
    model_server: ModelServer, search_server: SearchServer, tmp_path: Path, question: str, text: str
) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "altmere.md").write_text(f"{text}\n", encoding="utf-8")
    model_server.script(Fault(500, "kaputt"))
    search_server.script(Fault(503))
    pages = ["http://127.0.0.1:9/x", f"{search_server.url}/void"]
    settings = Settings(
        **search_server.settings("searxng", "brave"),
        db=[tmp_path / "files"], web=True, urls=pages, data_dir=tmp_path / "own", browser__mode="never",
        search__attempts=1, models__attempts=1, fetch__attempts=1, retrieval__dense=False,
        network__allow_private=["127.0.0.0/8", "127.0.0.1:9"],
    )  # fmt: skip
    report = await research(question, settings=with_model(settings, model_server, "openai"))
    whys = [failure.why for failure in report.failures]
    assert {code for code in ("model_server_in_trouble", "no_engine_answered", "connection_refused", "page_missing")
            if not any(code in json.dumps(recorded(why)) for why in whys)} == set()  # fmt: skip
    assert [why for why in whys if isinstance(why, str)] == []
    assert [line.error for line in report.searches if line.error and isinstance(line.error, str)] == []
    assert [line for line in report.markdown.splitlines() if LEFT_ENGLISH.search(line)] == []
