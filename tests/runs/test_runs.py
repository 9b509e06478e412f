"""What is kept of a run, and what one can do with it later: go on, make it again or anew from a step, forget it."""

import asyncio
import json
import os
import re
import sqlite3
from pathlib import Path

import pytest
from pydantic import SecretStr

from loopback import Fault, SearchServer, WebServer
from report.shelf import HIVES, HONEY, WASPS
from spyglass import research
from spyglass.agent import Planner, RAG_agent, Reporter
from spyglass.generate_report import replay
from spyglass.kernel.errors import (
    JournalError,
    ModelBusyError,
    ModelDeadlineError,
    ModelKeyError,
    ModelUnknownError,
    ModelUnreachableError,
    NotRecordedError,
    SettingsError,
    UnknownRunError,
    UsageError,
)
from spyglass.kernel.events import PhaseChanged
from spyglass.kernel.journal import Journal
from spyglass.kernel.notice import Notice
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Role, Settings
from spyglass.model.exchange import ModelConfig
from spyglass.model.model import Prompt
from spyglass.model.scripted import Scripted
from spyglass.report import Report
from spyglass.runs import Account, RunStore
from spyglass.runs.branch import branched
from spyglass.runs.recorded_settings import settings_from_record, settings_record, unlike
from tools.sites import finds, put

QUESTION = "How do bees dance, and how do wasps build their nests?"
PLAN = {
    "tasks": [{"task": "bees", "agent": "local-retrieval", "queries": ["dance of bees"]}],
    "sections": ["Bees", "Wasps"],
}

FAULTS = [
    ModelUnreachableError("The connection was refused"),
    ModelKeyError("There is no key"),
    ModelBusyError("The rate limit is reached", retry_after=0),
    ModelDeadlineError("The model gave no answer"),
    ModelUnknownError("The server does not have this model"),
]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    files = tmp_path / "files"
    files.mkdir()
    for name, text in (("bees.md", HONEY), ("wasps.md", WASPS), ("hives.md", HIVES)):
        (files / name).write_text(text, encoding="utf-8")
    return Settings(db=[files], data_dir=tmp_path / "data", retrieval__dense=False)


def says(prompt: Prompt) -> str:
    if "JSON Schema" in prompt.user:
        return json.dumps(PLAN)
    first = r'<source id="(S[\d.]+)"[^>]*>\s*(?:#[^\n]*\n+)?([^.<]{10,300}\.)'
    last = r'<source id="(S[\d.]+)"[^>]*>[^<]*?([^.<\n]{10,300}\.)\s*</source>'
    found = re.findall(last if "Section: Summary" in prompt.user else first, prompt.user)
    return " ".join(f"{' '.join(text.split())[:-1]} [{label}]." for label, text in found[:6])


class Made:
    """Makes reports with a model that counts its prompts."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.model = Scripted(says)

    async def report(self, **how: object) -> Report:
        return await research(planner=Planner(self.model), agents=self.agents, settings=self.settings, **how)  # type: ignore[arg-type]

    @property
    def agents(self) -> list[RAG_agent | Reporter]:
        return [RAG_agent(self.model), Reporter(self.model)]

    async def again(self, name: str | Path = "last") -> Report:
        return await replay(name, Planner(self.model), self.agents, settings=self.settings)


class Ahead(asyncio.SelectorEventLoop):
    """A loop whose clock is set ahead where something takes long."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead

    @classmethod
    def running(cls) -> "Ahead":
        loop = asyncio.get_running_loop()
        assert isinstance(loop, cls)
        return loop


class Late(Scripted):
    """Takes five minutes for each answer, and has none then."""

    async def ask(self, *request: object) -> object:  # type: ignore[override]
        Ahead.running().ahead += 300.0
        await asyncio.Event().wait()
        raise AssertionError("nobody waits for so long")


@pytest.fixture
def made(settings: Settings) -> Made:
    return Made(settings)


class TestTakingUp:
    async def test_a_run_that_was_stopped_goes_on_with_what_it_has(self, made: Made, settings: Settings) -> None:
        def stop_when_planned(run: Run) -> None:
            asyncio.get_running_loop().call_later(0, run.stop)

        stopped = await made.report(query=QUESTION, on_start=stop_when_planned)
        assert stopped.outcome == "cancelled"
        [stored] = RunStore(settings.data_dir).all()
        assert (stored.outcome, stored.question) == ("cancelled", QUESTION)
        report = await made.report(resume=stored.id[:5])
        assert (report.outcome, report.run) == ("complete", stopped.run)
        [stored] = RunStore(settings.data_dir).all()
        assert (stored.outcome, stored.calls) == ("complete", report.spending.calls)

    async def test_one_that_has_ended_is_the_same_again_without_a_call(self, made: Made) -> None:
        report = await made.report(query=QUESTION)
        calls = len(made.model.prompts)
        assert await made.report(resume="last") == report
        assert len(made.model.prompts) == calls

    async def test_its_question_is_not_changed(self, made: Made) -> None:
        await made.report(query=QUESTION)
        with pytest.raises(UsageError, match="has another question"):
            await made.report(query="What else?", resume="last")

    async def test_with_a_higher_limit_what_was_refused_is_asked(self, made: Made, settings: Settings) -> None:
        made.settings = settings.updated(budget__max_calls=1)
        poor = await made.report(query=QUESTION)
        assert poor.outcome == "partial"
        made.settings = Settings(data_dir=settings.data_dir, budget__max_calls=20)
        rich = await made.report(resume="last")
        assert (rich.outcome, rich.run) == ("complete", poor.run)
        assert len({(prompt.system, prompt.user) for prompt in made.model.prompts}) == len(made.model.prompts)

    @pytest.mark.parametrize("gone", FAULTS, ids=lambda error: type(error).__name__)
    async def test_what_failed_is_asked_again_and_nothing_else(
        self, made: Made, settings: Settings, gone: Exception
    ) -> None:
        made.model = Scripted(lambda prompt: gone if "Section: Bees" in prompt.user else says(prompt))
        made.model.config = ModelConfig(attempts=1)
        poor = await made.report(query=QUESTION)
        assert poor.outcome == "partial"
        assert (await made.again()).model_dump_json() == poor.model_dump_json()
        made.model = Scripted(says)
        rich = await made.report(resume="last")
        assert (rich.outcome, rich.run, rich.failures) == ("complete", poor.run, [])
        [asked] = made.model.prompts
        assert "Section: Bees" in asked.user
        assert (await made.again()).model_dump_json() == rich.model_dump_json()
        assert await made.report(resume="last") == rich
        assert len(made.model.prompts) == 1

    async def test_a_plan_that_no_model_made_is_made_when_one_can(self, made: Made) -> None:
        made.model = Scripted([ModelKeyError("There is no key")] * 9)
        assert (await made.report(query=QUESTION)).outcome == "partial"
        made.model = Scripted(says)
        rich = await made.report(resume="last")
        assert rich.outcome == "complete"
        assert "Bees" in [section.title for section in rich.sections]
        assert await made.again() == rich

    async def test_a_search_that_nobody_answered_is_made_again(
        self, settings: Settings, search_server: SearchServer, web_server: WebServer
    ) -> None:
        page = put(web_server, "127.0.0.1", "/bees", "Bees dance a waggle dance on the comb of their hive.")
        web = settings.updated(
            web=True,
            search__engines=["searxng"],
            search__engine_urls={"searxng": f"{search_server.url}/searxng"},
            network__allow_private=["127.0.0.0/8"],
            search__attempts=1,
            cache__page_hours=0,
        )
        search_server.play(lambda _: Fault(401))
        poor = await research(QUESTION, settings=web)
        assert poor.outcome == "partial"
        assert {source.kind for source in poor.sources} == {"file"}
        assert await replay("last", settings=web) == poor
        finds(search_server, page)
        rich = await research(settings=web, resume="last")
        assert {source.kind for source in rich.sources} == {"file", "web"}
        assert (rich.outcome, rich.run) == ("complete", poor.run)
        asked = len(search_server.requests)
        assert await replay("last", settings=web) == rich
        assert len(search_server.requests) == asked

    async def test_a_name_that_nobody_has_is_told_with_those_that_there_are(self, made: Made) -> None:
        with pytest.raises(UnknownRunError, match="no runs yet"):
            await made.report(resume="last")
        report = await made.report(query=QUESTION)
        with pytest.raises(UnknownRunError, match=f"Known runs: {report.run}"):
            await made.report(resume="zzz")

    async def test_a_beginning_that_several_have_names_them(self, made: Made, settings: Settings) -> None:
        for name in ("ab1", "ab2"):
            Journal(RunStore(settings.data_dir).journal_path(name)).close()
        with pytest.raises(UnknownRunError, match='2 runs begin with "ab"'):
            await made.report(resume="ab")

    async def test_folders_that_are_meant_from_elsewhere_are_told(
        self, made: Made, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        made.settings = settings.model_copy(update={"db": [Path("files")]})
        await made.report(query=QUESTION)
        monkeypatch.chdir("/")
        with pytest.raises(SettingsError, match=re.escape(f"cd {tmp_path}")):
            await made.report(resume="last")


class TestReplaying:
    async def test_it_makes_the_same_bytes_and_leaves_the_run_as_it_is(self, made: Made, settings: Settings) -> None:
        report = await made.report(query=QUESTION)
        calls, path = len(made.model.prompts), RunStore(settings.data_dir).find("last").path
        before = path.read_bytes()
        again = await made.again()
        assert again.model_dump_json() == report.model_dump_json()
        assert again.markdown == report.markdown
        assert len(made.model.prompts) == calls
        assert path.read_bytes() == before

    async def test_an_answer_that_is_missing_is_named_and_not_asked_for(self, made: Made, settings: Settings) -> None:
        await made.report(query=QUESTION)
        path, calls = RunStore(settings.data_dir).find("last").path, len(made.model.prompts)
        db = sqlite3.connect(path)
        db.execute("DELETE FROM effect WHERE kind = 'retrieve'")
        db.commit()
        db.close()
        with pytest.raises(NotRecordedError, match=r"no answer to the retrieve call .*dance of bees"):
            await made.again()
        assert len(made.model.prompts) == calls

    def test_what_was_late_is_late_again_without_waiting(self, settings: Settings) -> None:
        async def twice() -> None:
            report = await research(QUESTION, Planner(Late([])), [RAG_agent(), Reporter()], settings=settings)
            assert {failure.why for failure in report.failures} == {Notice("model_too_slow", seconds=270.0)}
            late = Ahead.running().ahead
            assert late >= 300
            assert await replay("last", Planner(Late([])), [RAG_agent(), Reporter()], settings=settings) == report
            assert Ahead.running().ahead == late, "nobody was asked"

        with asyncio.Runner(loop_factory=Ahead) as runner:
            runner.run(twice())

    async def test_an_exported_run_is_replayed_elsewhere(self, made: Made, settings: Settings, tmp_path: Path) -> None:
        report = await made.report(query=QUESTION)
        journal = Journal.copy_of(RunStore(settings.data_dir).find("last").path)
        journal.write_to(tmp_path / "run.sqlite")
        journal.close()
        made.settings = Settings(data_dir=tmp_path / "elsewhere")
        assert await made.again(str(tmp_path / "run.sqlite")) == report
        with pytest.raises(JournalError, match="cannot be written"):
            Journal.copy_of(tmp_path / "run.sqlite").write_to(tmp_path / "run.sqlite")


class TestBranching:
    async def test_from_a_phase_on_it_is_made_anew_and_what_is_still_valid_is_used(
        self, made: Made, settings: Settings
    ) -> None:
        report = await made.report(query=QUESTION)
        store, calls = RunStore(settings.data_dir), len(made.model.prompts)
        longer = settings.updated(report__length="long")
        path = branched(store.find("last"), store, "writing", longer)
        anew = await made.report(resume=path)
        assert anew.run != report.run
        assert (anew.question, anew.date) == (report.question, report.date)
        roles = [prompt.system.split(".")[0] for prompt in made.model.prompts[calls:]]
        assert set(roles) == {"You write one section of a research report from passages that were found for it"}
        assert len(store.all()) == 2

    async def test_a_step_is_a_number_too_and_one_that_was_not_taken_is_told(
        self, made: Made, settings: Settings
    ) -> None:
        await made.report(query=QUESTION)
        store = RunStore(settings.data_dir)
        run = store.find("last")
        journal = Journal(branched(run, store, "3", settings, lambda: 4e9), readonly=True)
        assert len(journal.requests()) == 2
        journal.close()
        assert store.find("last").id != run.id
        assert Account.of(store.find("last")).origin == {"run": run.id, "step": "3"}
        for step in ("0", "999"):
            with pytest.raises(UnknownRunError, match=f"has no call {step}"):
                branched(run, store, step, settings)
        with pytest.raises(UnknownRunError, match=r'no phase "dancing".*planning'):
            branched(run, store, "dancing", settings)


class TestSettings:
    def test_no_secret_is_kept_and_addresses_lose_theirs(self) -> None:
        secret = "sk-very-secret"
        said = Settings(
            provider="openai",
            key=SecretStr(secret),
            openai_api_key=SecretStr(secret),
            writer=Role(key=SecretStr(secret), base_url=f"https://me:{secret}@models.example/v1"),
            base_url=f"https://models.example/v1?key={secret}",
            ollama_host=f"me:{secret}@models.example:11434",
            network__user_agent="reader (me@models.example)",
            network__proxy=SecretStr(f"http://me:{secret}@proxy.example"),
            search__engine_urls={"tavily": f"https://{secret}@tavily.example"},
            tavily_api_key=SecretStr(secret),
        )
        record = settings_record(said)
        assert secret not in json.dumps(record)
        assert settings_from_record(record, said).model_dump() == said.model_dump()
        nobody = settings_from_record(record, Settings())
        assert (nobody.key, nobody.base_url) == (None, "https://models.example/v1")
        assert (nobody.ollama_host, nobody.network.user_agent) == ("models.example:11434", said.network.user_agent)

    def test_limits_are_todays_and_what_else_is_said_today_is_told(self) -> None:
        record = settings_record(Settings(report__length="long", budget__max_cost=0.1, retrieval__top_k=5))
        today = Settings(report__length="short", budget__max_cost=0.5)
        settings = settings_from_record(record, today)
        assert (settings.report.length, settings.budget.max_cost, settings.retrieval.top_k) == ("long", 0.5, 5)
        assert unlike(record, today) == ["report.length"]

    def test_a_value_that_this_version_does_not_take_is_named(self) -> None:
        with pytest.raises(SettingsError, match=r'"report\.length" that this version does not accept'):
            settings_from_record({"report.length": "endless", "unheard_of": 1}, Settings())


class TestShelf:
    async def test_a_run_tells_what_it_did(self, made: Made, settings: Settings) -> None:
        report = await made.report(query=QUESTION)
        account = Account.of(RunStore(settings.data_dir).find("last"))
        assert account.report == report
        assert ("local-retrieval", "bees", 1) in account.tasks
        assert {one.kind: one.count for one in account.calls}["model"] == report.spending.calls
        record = account.to_record()
        assert (record["outcome"], record["question"]) == ("complete", QUESTION)

    async def test_what_is_forgotten_is_gone_and_a_run_that_goes_on_is_not_forgotten(
        self, made: Made, settings: Settings
    ) -> None:
        report = await made.report(query=QUESTION)
        store = RunStore(settings.data_dir)
        async with Run("another", settings) as run:
            going_on = store.find(run.id)
            assert going_on.outcome == "running"
            with pytest.raises(JournalError, match="has not ended"):
                store.forget(going_on)
        store.forget(store.find(report.run))
        assert [run.question for run in store.all()] == ["another"]
        assert not (settings.data_dir / "runs" / report.run).exists()

    async def test_runs_of_an_age_are_forgotten_when_another_one_begins(self, made: Made, settings: Settings) -> None:
        old = await made.report(query=QUESTION)
        path = RunStore(settings.data_dir).find(old.run).path
        os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 91 * 86_400))
        made.settings = settings.updated(runs__keep_days=0)
        await made.report(query="How do wasps live?")
        assert len(RunStore(settings.data_dir).all()) == 2
        made.settings = settings
        await made.report(query="How is a hive kept?")
        assert old.run not in {run.id for run in RunStore(settings.data_dir).all()}

    def test_a_journal_that_cannot_be_read_is_listed_with_the_reason(self, settings: Settings) -> None:
        path = RunStore(settings.data_dir).journal_path("broken")
        path.parent.mkdir(parents=True)
        path.write_bytes(b"this is no journal, whatever its name is" * 200)
        [run] = RunStore(settings.data_dir).all()
        assert (run.outcome, run.id) == ("unreadable", "broken")
        with pytest.raises(UnknownRunError, match="not a database"):
            run.required_settings()


async def test_when_phases_began_is_on_record(settings: Settings) -> None:
    journal = Journal()
    async with Run("Why?", settings, journal=journal) as run:
        run.emit(PhaseChanged("WRITING", "started"))
        assert [mark[:3] for mark in journal.marks() if mark[0] != "RUN"] == [("WRITING", "started", 1)]
