"""A journal that lies outside the data folder is data: nothing goes on with it, and a replay reads no folder."""

import shutil
from collections.abc import AsyncIterator
from operator import attrgetter
from pathlib import Path

import pytest
from pydantic import SecretStr

from runs.stranger import QUESTION, Trap, handed_on, settings
from spyglass import research
from spyglass.agent import Planner, RAG_agent, Reporter
from spyglass.generate_report import replay
from spyglass.kernel.errors import UsageError
from spyglass.kernel.journal import Journal
from spyglass.kernel.settings import Settings
from spyglass.model.scripted import Scripted
from spyglass.runs import Account, RunStore
from spyglass.runs.branch import taken_over
from spyglass.runs.recorded_settings import REPORT_SETTINGS, safe_settings, settings_record
from spyglass.runs.start import settings_of
from spyglass.tools.web_research import web_research
from spyglass.tools.web_search import web_search


@pytest.fixture
async def trap() -> AsyncIterator[Trap]:
    async with Trap().running() as trap:
        yield trap


async def test_no_function_goes_on_with_it(tmp_path: Path, trap: Trap) -> None:
    mine = Settings(data_dir=tmp_path / "data", openai_api_key=SecretStr("sk-very-secret"))
    makes = {"kind": "research", "depth": 1, "max_sources": 1}
    files = {
        kind: handed_on(tmp_path / f"{kind}.sqlite", settings(trap, tmp_path / "private"), made)
        for kind, made in (("report", {"kind": "report"}), ("search", {"kind": "search"}), ("research", makes))
    }
    for going_on in (
        lambda: research(settings=mine, resume=files["report"]),
        lambda: research(settings=mine, resume=str(files["report"])),
        lambda: research(settings=mine, resume=Journal(files["report"])),
        lambda: research(settings=mine, resume=Journal.copy_of(files["report"])),
        lambda: web_search("", settings=mine, resume=files["search"]),
        lambda: web_research("", settings=mine, resume=files["research"]),
    ):
        with pytest.raises(UsageError, match="anybody may have made it"):
            await going_on()
    assert trap.received == []


async def test_nor_with_one_that_a_link_in_the_data_folder_leads_to(tmp_path: Path, trap: Trap) -> None:
    file = handed_on(tmp_path / "run.sqlite", settings(trap, tmp_path / "private"))
    place = RunStore(tmp_path / "data").journal_path("linked")
    place.parent.mkdir(parents=True)
    place.symlink_to(file)
    with pytest.raises(UsageError, match="anybody may have made it"):
        await research(settings=Settings(data_dir=tmp_path / "data"), resume="linked")
    assert trap.received == []


async def test_a_replay_reads_no_folder_that_it_names(tmp_path: Path, trap: Trap) -> None:
    mine = Settings(data_dir=tmp_path / "data", db=[tmp_path / "files"], retrieval__dense=False)
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "harbour.md").write_text("The harbour was built in 1871.", encoding="utf-8")
    model = Scripted(lambda prompt: "{}" if "JSON Schema" in prompt.user else "It was built in 1871 [S1.1].")
    agents = [RAG_agent(model), Reporter(model)]
    made = await research(QUESTION, Planner(model), agents, settings=mine)
    private = tmp_path / "private"
    journal = Journal.copy_of(RunStore(mine.data_dir).find("last").path)
    journal.put("settings", journal.get("settings") | {"models.prompts": str(private)})
    journal.write_to(tmp_path / "run.sqlite")
    settings(trap, private)
    (private / "stray.txt").write_text("no template", encoding="utf-8")
    assert await replay(tmp_path / "run.sqlite", Planner(model), agents, settings=mine) == made
    place = RunStore(mine.data_dir).journal_path("ours")
    place.parent.mkdir()
    shutil.copy(tmp_path / "run.sqlite", place)
    assert await replay("ours", Planner(model), agents, settings=mine) != made, "one's own has its own prompts"


def test_of_its_settings_only_the_form_of_the_answer_is_taken(tmp_path: Path, trap: Trap) -> None:
    mine = Settings(data_dir=tmp_path / "data", budget__max_cost=0.5)
    record = settings_record(
        settings(trap, tmp_path / "private", report__length="long", budget__max_cost=1e6, search__region="de-de")
    )
    taken = safe_settings(record, mine)
    assert (taken.language, taken.report.length, taken.search.region) == ("German", "long", "de-de")
    asked = {name: attrgetter(name)(mine) for name in REPORT_SETTINGS}
    assert taken.updated(**asked) == mine


async def test_what_it_says_of_files_and_of_its_maker_is_not_taken_over(tmp_path: Path) -> None:
    theirs = Settings(data_dir=tmp_path / "theirs", db=[tmp_path / "files"], retrieval__dense=False)
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "harbour.md").write_text("The harbour was built in 1871.", encoding="utf-8")
    await research(QUESTION, settings=theirs)
    mine = Settings(data_dir=tmp_path / "mine")
    stored, store = RunStore(theirs.data_dir).find("last"), RunStore(mine.data_dir)
    path = taken_over(stored, store, "", settings_of(stored, mine))
    journal = Journal(path, readonly=True)
    kinds = {kind for _, kind, _, _ in journal.requests()}
    assert "clock" in kinds
    assert not kinds & {"ingest", "retrieve", "convert", "fill"}
    assert [journal.get(name) for name in ("ended", "spent", "report")] == [None, None, None]
    assert (journal.get("settings")["db"], journal.get("settings")["retrieval.dense"]) == ([], True)
    journal.close()
    assert Account.of(store.find("last")).origin == {"run": stored.id, "step": "", "file": "journal.sqlite"}
    assert store.find("last").id != stored.id
