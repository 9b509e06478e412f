"""Runs from the command line: a killed one is finished, a finished one is shown, made again, exported and forgotten."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from cli.command import COMMAND, QUESTION, Hanging, environment, shell, spyglass
from loopback import Fault, ModelServer

MODEL = {"SPYGLASS_PROVIDER": "openai", "SPYGLASS_KEY": "sk-very-secret"}


def listed(tmp_path: Path) -> list[dict[str, object]]:
    answer = spyglass(tmp_path, "runs", "--json")
    assert answer.returncode == 0, answer.stderr
    runs: list[dict[str, object]] = json.loads(answer.stdout)
    return runs


def reporting(tmp_path: Path, files: Path, hanging: type[Hanging]) -> subprocess.Popen[str]:
    """Begin a report, and return its process once it waits for the model."""
    run = subprocess.Popen(
        [*COMMAND, "report", QUESTION, "--files", str(files)],
        cwd=tmp_path,
        env=environment(tmp_path, SPYGLASS_BASE_URL=hanging.url, SPYGLASS_MODEL="any", **MODEL),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert hanging.called.wait(60)
    return run


def test_a_report_that_a_server_left_incomplete_says_how_to_ask_again(tmp_path: Path, files: Path) -> None:
    model = ("--model", "openai/m")
    down = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "k", "SPYGLASS_MODELS__ATTEMPTS": "1"}
    ran = spyglass(tmp_path, "report", QUESTION, "--files", files, *model, **down)
    [run] = listed(tmp_path)
    assert ran.returncode == 3, ran.stderr
    assert ran.stderr.splitlines()[-1].endswith(f"Retry them with: spyglass resume {run['id']}")
    whole = spyglass(tmp_path, "report", QUESTION, "--files", files)
    assert "resume" not in whole.stderr


def test_only_the_latest_runs_are_listed_where_so_many_are_asked_for(tmp_path: Path, files: Path) -> None:
    for _ in range(2):
        spyglass(tmp_path, "report", QUESTION, "--files", files)
    latest, earlier = (str(run["id"]) for run in listed(tmp_path))
    shown = spyglass(tmp_path, "runs", "--most", "1").stdout
    assert latest in shown
    assert earlier not in shown
    assert "List older runs with: spyglass runs --most 10" in shown
    assert "older" not in spyglass(tmp_path, "runs", "--most", "2").stdout


def test_a_run_of_another_version_is_listed_as_one_that_this_one_cannot_read(tmp_path: Path, files: Path) -> None:
    spyglass(tmp_path, "report", QUESTION, "--files", files)
    (journal,) = tmp_path.rglob("journal.sqlite")
    with closing(sqlite3.connect(journal)) as db, db:
        db.execute("UPDATE run SET value = '3' WHERE name = 'format'")
    shown, (run,) = spyglass(tmp_path, "runs").stdout, listed(tmp_path)
    said = "The journal has format 3, this version of Spyglass reads format"
    assert (run["outcome"], run["resumable"], run["question"]) == ("unreadable", False, QUESTION)
    for told in (shown, str(run["problem"]), *(spyglass(tmp_path, one, "last").stderr for one in ("show", "resume"))):
        assert said in told
        assert "Use the version of Spyglass that wrote it" in told
    assert f"Unreadable runs: 1, such as {run['id']}" in shown


@pytest.mark.kill
@pytest.mark.slow
def test_a_run_that_was_killed_is_listed_and_finished(tmp_path: Path, files: Path, hanging: type[Hanging]) -> None:
    run = reporting(tmp_path, files, hanging)
    [going_on] = listed(tmp_path)
    assert going_on["outcome"] == "running"
    assert going_on["calls"] in (1, 2), "what is under way may have to be paid for"
    assert spyglass(tmp_path, "resume", "last").returncode == 1
    os.kill(run.pid, signal.SIGKILL)
    run.communicate()
    shown = spyglass(tmp_path, "runs")
    assert "interrupted" in shown.stdout
    assert f"spyglass resume {going_on['id']}" in shown.stdout
    hanging.ended.set()
    finished = spyglass(tmp_path, "resume", "last", "--out", tmp_path / "report.md", SPYGLASS_EFFORT="deep", **MODEL)
    assert finished.returncode == 3, finished.stderr
    assert "The harbour was built in 1871" in (tmp_path / "report.md").read_text()
    assert "Note: new values are ignored, the run keeps its own: effort" in finished.stderr
    assert [one["outcome"] for one in listed(tmp_path)] == ["partial"]
    kept = b"".join(file.read_bytes() for file in (tmp_path / "data").rglob("*") if file.is_file())
    assert b"very-secret" not in kept


def test_a_finished_run_is_shown_made_again_exported_and_forgotten(tmp_path: Path, files: Path) -> None:
    suffixes = ("json", "md", "html")
    made = [value for suffix in suffixes for value in ("--out", str(tmp_path / f"made.{suffix}"))]
    again = [value for suffix in suffixes for value in ("--out", str(tmp_path / f"again.{suffix}"))]
    assert spyglass(tmp_path, "report", QUESTION, "--files", files, *made).returncode == 0
    shown = spyglass(tmp_path, "show", "last")
    assert all(part in shown.stdout for part in (QUESTION, "Outcome: complete", "retrieve:", "local-retrieval:"))
    assert json.loads(spyglass(tmp_path, "show", "last", "--json").stdout)["outcome"] == "complete"
    for file in files.iterdir():
        file.unlink()
    assert spyglass(tmp_path, "replay", "last", *again).returncode == 0
    for suffix in suffixes:
        assert (tmp_path / f"made.{suffix}").read_bytes() == (tmp_path / f"again.{suffix}").read_bytes()
    exported = tmp_path / "run.sqlite"
    assert spyglass(tmp_path, "export", "last", exported).returncode == 0
    assert spyglass(tmp_path, "export", "last", exported).returncode == 2
    elsewhere = spyglass(tmp_path, "replay", exported, SPYGLASS_DATA_DIR=str(tmp_path / "elsewhere"))
    assert elsewhere.stdout == (tmp_path / "made.md").read_text()
    assert spyglass(tmp_path, "forget").returncode == 2
    unconfirmed = spyglass(tmp_path, "forget", "last")
    assert (unconfirmed.returncode, "Add --yes" in unconfirmed.stderr) == (2, True)
    assert len(listed(tmp_path)) == 1
    assert spyglass(tmp_path, "forget", "last", "--yes").returncode == 0
    assert listed(tmp_path) == []
    assert "There are no runs yet" in spyglass(tmp_path, "runs").stdout


def test_a_run_is_made_anew_from_a_step_with_other_settings(tmp_path: Path, files: Path) -> None:
    spyglass(tmp_path, "report", QUESTION, "--files", files)
    refused = spyglass(tmp_path, "replay", "last", "--length", "long")
    assert (refused.returncode, "--length needs --from" in refused.stderr) == (2, True)
    anew = spyglass(tmp_path, "replay", "last", "--from", "writing", "--language", "German")
    assert anew.returncode == 0, anew.stderr
    assert "Zusammenfassung" in anew.stdout
    assert len(listed(tmp_path)) == 2
    assert spyglass(tmp_path, "replay", "last", "--from", "nothing").returncode == 2


def test_what_is_kept_is_for_the_user_alone_and_what_they_asked_for_as_their_umask_says(
    tmp_path: Path, files: Path
) -> None:
    line = f"spyglass report '{QUESTION}' --files '{files}' --out r.md --out r.json"
    ran = shell(
        tmp_path,
        f"umask 022; spyglass ingest '{files}' && {line} && spyglass replay last --from writing --length long >anew.md",
    )
    assert ran.returncode == 0, ran.stderr
    data = tmp_path / "data"
    kept = {path.relative_to(data): path.stat().st_mode & 0o777 for path in [data, *data.rglob("*")]}
    assert len([path for path in kept if path.name == "journal.sqlite"]) == 2
    assert {path.name for path in kept} > {"manifest.sqlite", "folder.txt", "chroma.sqlite3"}
    loose = {
        str(path): oct(mode) for path, mode in kept.items() if mode != (0o700 if (data / path).is_dir() else 0o600)
    }
    assert not loose
    assert {(tmp_path / name).stat().st_mode & 0o777 for name in ("r.md", "r.json", "anew.md")} == {0o644}


async def test_a_report_that_is_incomplete_is_completed_once_the_model_answers(
    tmp_path: Path, files: Path, model_server: ModelServer
) -> None:
    variables = {"SPYGLASS_BASE_URL": model_server.base_url("openai"), "SPYGLASS_MODELS__ATTEMPTS": "1", **MODEL}

    async def ended(*arguments: str) -> tuple[int, str]:
        ran = await asyncio.to_thread(spyglass, tmp_path, *arguments, "--quiet", **variables)
        return ran.returncode, ran.stdout

    model_server.script(Fault(401, "The key is refused"))
    code, _ = await ended("report", QUESTION, "--files", str(files))
    assert code == 3
    model_server.play(lambda asked: "{}" if asked.schema else "The harbour was built in 1871 [S1.1].")
    code, completed = await ended("resume", "last")
    assert code == 0, completed
    assert "What is missing" not in completed
    asked = len(model_server.requests)
    assert await ended("resume", "last") == await ended("replay", "last") == (0, completed)
    assert len(model_server.requests) == asked
