"""Machines that share a database: what one begins another lists, reads, stops, and goes on with."""

import asyncio
import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.services import served
from cluster.world import command, machine, running, undisturbed, world
from loopback import ModelServer, PromptRequest, Say, WebServer
from spyglass import research
from spyglass.kernel.database.database import Database, database_at
from spyglass.kernel.database.schema import STEPS
from spyglass.kernel.errors import LeaseError, UnknownRunError
from spyglass.kernel.journal import Answer, Journal
from spyglass.kernel.journal.journal import journal_at
from spyglass.kernel.settings import Settings
from spyglass.runs import Account, RunStore
from spyglass.runs.recorded_settings import settings_record
from test_many_runs import answer

pytestmark = pytest.mark.cluster

QUESTION = "How did the harbour of isle1 develop, and who uses it?"


@pytest.mark.kill
async def test_a_run_whose_machine_dies_is_gone_on_with_on_another_and_nothing_is_asked_twice(
    database_url: str, web_server: WebServer, model_server: ModelServer, tmp_path: Path
) -> None:
    given = world(web_server, model_server)
    here, there = (machine(tmp_path / name, database_url, **given) for name in ("here", "there"))
    alone = await undisturbed(given, tmp_path / "alone")
    whole, pages = [asked.user for asked in model_server.requests], len(web_server.visits_to())
    model_server.requests.clear()

    def kills(asked: PromptRequest) -> Say:
        last = len(model_server.requests) == len(whole)
        if last:
            asyncio.get_running_loop().call_later(0.5, running[-1].kill)
        return Say(answer(asked), delay=60 if last else 0)

    model_server.play(kills)
    code, _, _ = await command("report", QUESTION, **here)
    assert code == -9
    answered = [asked.user for asked in model_server.requests[:-1]]
    model_server.requests.clear()
    model_server.play(lambda asked: Say(answer(asked)))
    code, listed, told = await command("runs", "--json", **there)
    assert code == 0, told
    [run] = json.loads(listed)
    assert (run["question"], run["outcome"]) == (QUESTION, "interrupted")
    code, report, told = await command("resume", "last", **there)
    assert code == 0, told
    assert report == alone
    again = [asked.user for asked in model_server.requests]
    assert not set(again) & set(answered)
    assert sorted(answered + again) == sorted(whole)
    assert len(web_server.visits_to()) == 2 * pages, "no page is fetched again"
    code, shown, told = await command("show", "last", "--json", **here)
    assert (code, json.loads(shown)["outcome"]) == (0, "complete"), told


@pytest.fixture
def machines(database_url: str, tmp_path: Path) -> Iterator[list[Settings]]:
    """The settings on three machines that share a database."""
    yield [Settings(data_dir=tmp_path / name, database_url=database_url) for name in ("a", "b", "c")]
    database_at(database_url).close()


def begun(settings: Settings, name: str, *texts: str) -> None:
    """Keep a run of that name with these texts."""
    journal = journal_at(RunStore.of(settings).journal_path(name), settings)
    journal.take()
    journal.put("id", name)
    journal.put("question", f"What of {name}?")
    for text in texts:
        journal.keep_snapshot(hashlib.sha256(text.encode()).hexdigest(), text)
    journal.record(name, "ask", {}, Answer(value=name))
    journal.log("planner", {"of": name})
    journal.mark("plan", "started", 1.5)
    journal.release()
    journal.close()


def test_texts_are_stored_once_and_go_with_the_last_run_that_holds_them(
    machines: list[Settings], database: Database
) -> None:
    def texts() -> set[str]:
        return {
            bytes(text).decode()
            for (text,) in database.use(lambda db: db.execute("SELECT text FROM snapshot").fetchall())
        }

    begun(machines[0], "one", "shared", "of one")
    begun(machines[1], "two", "shared", "of two")
    assert texts() == {"shared", "of one", "of two"}
    store = RunStore.of(machines[2])
    assert [run.id for run in store.all()] == ["two", "one"]
    with pytest.raises(UnknownRunError, match=r'"nothing".*Known runs: two, one'):
        store.find("nothing")
    assert store.find("last").id == "two"
    assert [run.id for run in store.all(1)] == ["two"]
    store.forget(store.find("on"))
    assert texts() == {"shared", "of two"}
    assert not store.journal_path("one").exists()
    with pytest.raises(UnknownRunError, match="Known runs: two"):
        store.find("one")
    RunStore.of(machines[0]).sweep(0)
    assert not RunStore.of(machines[0]).journal_path("one").exists(), "a copy goes when its machine looks next"
    aged = "UPDATE run SET began = began - interval '2 days', touched = touched - interval '2 days'"
    database.use(lambda db: db.execute(aged))
    assert store.sweep(1) == ["two"]
    assert texts() == set()


def test_runs_that_were_never_shared_or_are_just_beginning_stay_when_forgotten_ones_go(
    machines: list[Settings],
) -> None:
    begun(Settings(data_dir=machines[0].data_dir), "laptop", "text")
    store = RunStore.of(machines[0])
    beginning = journal_at(store.journal_path("beginning"), machines[0])
    store.sweep(0)
    assert [one.parent.name for one in store.journals()] == ["beginning", "laptop"]
    beginning.take()
    beginning.release()
    beginning.close()


def test_a_run_goes_into_one_file_and_back(machines: list[Settings], tmp_path: Path) -> None:
    begun(machines[0], "one", "text")
    store, alone = RunStore.of(machines[1]), RunStore(tmp_path / "alone")
    alone.journal_path("one").parent.mkdir(parents=True)
    shutil.copy(store.find("one").path, alone.journal_path("one"))
    run = alone.find("one")
    assert (run.id, run.question) == ("one", "What of one?")
    with Journal(run.path, readonly=True) as file:
        whole = file.rows()
    assert all(whole[table] for table in ("run", "effect", "message", "phase", "snapshot"))
    store.forget(run)
    assert store.all() == []
    there = RunStore.of(machines[2])
    there.journal_path("one").parent.mkdir(parents=True)
    shutil.copy(run.path, there.journal_path("one"))
    there.keep(there.journal_path("one"))
    with Journal(store.find("one").path, readonly=True) as file:
        assert file.rows() == whole


async def test_the_command_gives_the_database_the_runs_of_a_laptop(database_url: str, tmp_path: Path) -> None:
    laptop = Settings(data_dir=tmp_path / "laptop" / "data")
    begun(laptop, "one", "text")
    here = machine(tmp_path / "laptop", database_url)
    for shared in (1, 0):
        code, _, told = await command("share", **here)
        assert (code, told) == (0, f"Shared: {shared} runs (0.0 MB).\n")
    code, listed, _ = await command("runs", "--json", **machine(tmp_path / "other", database_url))
    assert [run["id"] for run in json.loads(listed)] == ["one"]


async def test_two_services_over_the_same_files_are_refused_and_over_a_database_are_not(
    machines: list[Settings], database_url: str, tmp_path: Path
) -> None:
    alone = machine(tmp_path, database_url)
    del alone["SPYGLASS_DATABASE_URL"]
    async with served(**alone):
        code, _, told = await command("serve", "--port", "0", **alone)
    assert (code, "Another service" in told, "set database_url" in told) == (2, True, True)
    with RunStore.of(machines[0]).serving(), RunStore.of(machines[0]).serving():
        pass


async def test_a_run_is_followed_and_stopped_from_another_machine_and_not_forgotten_meanwhile(
    machines: list[Settings], web_server: WebServer, model_server: ModelServer
) -> None:
    given = {name.removeprefix("SPYGLASS_").lower(): value for name, value in world(web_server, model_server).items()}
    asked = asyncio.Event()

    def slow(question: PromptRequest) -> Say:
        asked.set()
        return Say(answer(question), delay=30)

    model_server.play(slow)
    there = RunStore.of(machines[1])
    settings = Settings(
        **{**given, "network__allow_private": ["127.0.0.0/8"]},
        data_dir=machines[0].data_dir,
        database_url=machines[0].database_url,
    )
    running = asyncio.create_task(research(QUESTION, settings=settings))
    await asked.wait()
    [run] = await asyncio.to_thread(there.all)
    assert run.outcome == "running"
    with pytest.raises(LeaseError, match="has not ended"):
        await asyncio.to_thread(there.forget, run)
    clock = asyncio.get_running_loop().time
    began = clock()
    await asyncio.to_thread(there.ask_to_stop, run.id)
    report = await running
    assert report.outcome == "cancelled"
    assert clock() - began < 20, "long before the model would have answered"
    [run] = await asyncio.to_thread(there.all)
    assert run.outcome == "cancelled"
    assert Account.of(await asyncio.to_thread(there.fetch, run)).report == report

    told = await asyncio.to_thread(there.events, run.id, 0)
    assert (told[0].name, told[-1].name, told[-1].data["outcome"]) == ("RunStarted", "RunEnded", "cancelled")
    assert await asyncio.to_thread(there.events, run.id, told[-2].id) == told[-1:]
    model_server.play(lambda question: Say(answer(question)))
    report = await research(settings=settings, resume=run.id)
    assert report.outcome == "complete", "it is not stopped again"


async def test_the_address_of_the_database_is_kept_with_no_run_and_told_to_nobody(tmp_path: Path) -> None:
    url = "postgresql://user:geheim@127.0.0.1:1/name"
    secret = Settings(database_url=url)
    assert "geheim" not in repr(secret)
    assert "database_url" not in settings_record(secret)
    code, out, told = await command("report", QUESTION, "--files", str(tmp_path), **machine(tmp_path, url))
    assert (code, out) == (1, "")
    assert "The database cannot be used" in told
    assert "geheim" not in told
    assert not list((tmp_path / "data").glob("**/*.sqlite")), "nothing half written"


async def test_the_doctor_looks_at_what_machines_share(database_url: str, tmp_path: Path) -> None:
    here = machine(tmp_path / "here", database_url)
    code, said, told = await command("doctor", "--cluster", **here)
    assert code == 0, said + told
    assert f"schema {len(STEPS)}" in said
    assert "0 stored" in said
    code, said, _ = await command(
        "doctor", "--cluster", **{name: value for name, value in here.items() if "URL" not in name}
    )
    assert (code, "No shared database is configured" in said) == (1, True)
    code, said, _ = await command("doctor", "--cluster", **here, SPYGLASS_RUNS__RAY="127.0.0.1:1")
    assert (code, "No Ray cluster answers" in said) == (1, True)
