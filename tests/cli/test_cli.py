"""The subcommands, their options and exit codes, on real files."""

import json
import os
import signal
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

from cli.command import COMMAND, QUESTION, Hanging, environment, spyglass


def test_a_report_goes_to_standard_output_and_progress_beside_it(tmp_path: Path, files: Path) -> None:
    ran = spyglass(tmp_path, "report", QUESTION, "--files", files)
    assert ran.returncode == 0, ran.stderr
    assert "The harbour was built in 1871. [1]" in ran.stdout
    assert "picture.png" in ran.stdout
    assert "Plan (by rules)" in ran.stderr
    assert "Skipped picture.png" in ran.stderr
    assert "Complete in" in ran.stderr.splitlines()[-1]
    assert "no model calls, $0" in ran.stderr.splitlines()[-1]
    assert "\x1b" not in ran.stderr


BAD_USAGE: list[tuple[list[str], str]] = [
    (["report", ""], "The question is empty"),
    (["report", "???"], "The question contains no words"),
    (["search", "???"], "The question contains no words"),
    (["report", "Why?", "--out", "r.xyz"], r'"r.xyz" has no suffix'),
    (["report", "Why?", "--out", "none/r.md"], "The report cannot be written: "),
    (["report", "Why?", "--out", "."], "has no suffix"),
    (["report", "Why?", "--out", "local_files/r.md"], "report would be inside local_files"),
    (["report", "Why?", "--files", ".", "--out", "r.md"], "or research a smaller folder"),
    (["report", "Why?", "--files", "notes.md", "--out", "notes.md"], "would overwrite one of its sources"),
    (["report", "Why?", "--files", "none", "--files", "nowhere"], "There is no none, no nowhere"),
    (["find", "Why?", "--files", "none", "--files", "nowhere"], "none cannot be read"),
    (["report", "Why?", "--model", "gpt"], "does not have the form PROVIDER/NAME"),
    (["report", "Why?", "--model", "acme/gpt"], 'no provider "acme"'),
    (["report", "Why?", "--model", "openai/m", "--no-model"], "cannot be used together"),
    (["report", "Why?", "--length", "huge"], '"report.length"'),
    (["report", "Why?", "--config", "none.toml"], "config file does not exist"),
    (["ingest", "nowhere"], "nowhere"),
    (["report"], "Missing argument"),
    (["frobnicate"], "No such command"),
]


def test_bad_usage_is_told_in_words_and_ends_with_2(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("A note.")
    for arguments, said in BAD_USAGE:
        ran = spyglass(tmp_path, *arguments)
        assert ran.returncode == 2, (arguments, ran.stderr)
        assert said in ran.stderr, arguments
        assert "Traceback" not in ran.stderr, arguments
    assert [path.name for path in tmp_path.glob("*.md")] == ["notes.md"]
    assert (tmp_path / "notes.md").read_text() == "A note."


def test_a_key_that_is_missing_is_told_before_anything_is_asked(tmp_path: Path, files: Path) -> None:
    (tmp_path / "c.toml").write_text('search.engines = ["duckduckgo", "tavily"]')
    engine, model = ("--config", "c.toml"), ("--model", "openai/m")
    cases: list[tuple[tuple[str | Path, ...], str]] = [
        (("report", QUESTION, "--web", *engine), "tavily has no key (search.engines). Set tavily_api_key"),
        (("search", QUESTION, *engine), "tavily has no key"),
        (("research", QUESTION, *engine), "tavily has no key"),
        (("serve", "--port", "0", *engine), "tavily has no key"),
        (("report", QUESTION, "--files", files, *model), "There is no key for openai"),
        (("search", QUESTION, *model), "There is no key for openai"),
        (("serve", "--port", "0", *model), "There is no key for openai"),
    ]
    for arguments, said in cases:
        ran = spyglass(tmp_path, *arguments)
        assert (ran.returncode, said in ran.stderr) == (2, True), (arguments, ran.stderr)
    assert spyglass(tmp_path, "report", QUESTION, "--files", files, *engine).returncode == 0


def test_the_version_is_the_packages_own(tmp_path: Path) -> None:
    ran = spyglass(tmp_path, "--version")
    assert (ran.returncode, ran.stdout) == (0, f"spyglass {version('spyglass')}\n")


def test_nothing_found_ends_with_4_and_says_so(tmp_path: Path, files: Path) -> None:
    ran = spyglass(tmp_path, "report", "Where do zebras sleep?", "--files", files)
    assert ran.returncode == 4, ran.stderr
    assert "zebras" in ran.stdout


def test_find_shows_passages_with_their_spans(tmp_path: Path, files: Path) -> None:
    ran = spyglass(tmp_path, "find", "harbour built", "--files", files, "--top", "1", "--json")
    assert ran.returncode == 0, ran.stderr
    [hit] = json.loads(ran.stdout)["passages"]
    text = (files / "harbour.md").read_text()
    assert hit["path"] == "harbour.md"
    assert text[hit["passage"]["start"] : hit["passage"]["end"]] == hit["passage"]["text"]
    assert hit["passage"]["score"] > 0
    shown = spyglass(tmp_path, "find", "harbour built", "--files", files)
    assert "1. harbour.md" in shown.stdout
    assert "characters" in shown.stdout


def test_find_shows_brackets_and_colons_as_they_are(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    text = "# The [/bold] :ship:\n\nThe harbour [red] was :ship: built \\[x]. It ends in \\"
    (folder / "[b] :ship:.md").write_text(text)
    ran = spyglass(tmp_path, "find", "harbour built", "--files", folder)
    assert ran.returncode == 0, ran.stderr
    assert "1. [b] :ship:.md" in ran.stdout
    assert "The harbour [red] was :ship: built \\[x]. It ends in \\\n" in ran.stdout


def test_a_folder_that_fails_does_not_lose_the_others(tmp_path: Path, files: Path) -> None:
    found = spyglass(tmp_path, "find", "harbour built", "--files", "none", "--files", files, "--json")
    assert found.returncode == 3, found.stderr
    answer = json.loads(found.stdout)
    assert [hit["path"] for hit in answer["passages"]] == ["harbour.md"]
    assert any(notice.startswith("none is not searched") for notice in answer["notices"])
    shown = spyglass(tmp_path, "find", "harbour built", "--files", "none", "--files", files)
    assert "none is not searched" in shown.stderr
    assert "none is not searched" not in shown.stdout
    report = spyglass(tmp_path, "report", QUESTION, "--files", "none", "--files", files)
    assert report.returncode == 3, report.stderr
    assert "not found, so not searched: none" in report.stderr
    assert "built in 1871" in report.stdout


def test_a_model_of_the_command_line_takes_the_place_of_every_other(tmp_path: Path, files: Path) -> None:
    config = tmp_path / "c.toml"
    config.write_text(
        'provider = "openai"\nbase_url = "http://127.0.0.1:9/v1"\nkey = "sk-one"\nmodels.attempts = 1\n'
        f'db = "{files}"\n[writer]\nprovider = "gemini"\nmodel = "other"\n'
    )
    ran = spyglass(tmp_path, "doctor", "--config", config, "--model", "ollama/m", OLLAMA_HOST="http://127.0.0.1:8")
    assert "planner and writer ollama/m: fails" in ran.stdout
    assert "127.0.0.1:8" in ran.stdout
    assert "127.0.0.1:9" not in ran.stdout
    assert "key = not set" in ran.stdout


def test_ingest_makes_text_and_vectors_ready(tmp_path: Path, files: Path) -> None:
    first = spyglass(tmp_path, "ingest", files)
    assert first.returncode == 0, first.stderr
    assert "1 files, 1 passages, 1 skipped, 0 unchanged, 1 embedded, 0 without a vector" in first.stdout
    again = spyglass(tmp_path, "ingest", files)
    assert "0 embedded" in again.stdout


@pytest.mark.kill
def test_ctrl_c_still_writes_what_there_is(tmp_path: Path, files: Path, hanging: type[Hanging]) -> None:
    command = [*COMMAND, "report", QUESTION, "--files", str(files)]
    config = tmp_path / "c.toml"
    config.write_text(f'[writer]\nprovider = "openai"\nmodel = "m"\nbase_url = "{hanging.url}"\n')
    with subprocess.Popen(
        [*command, "--config", str(config)],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert hanging.called.wait(60)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "The harbour was built in 1871. [1]" in out
    assert "Cancelled in" in err


@pytest.mark.kill
def test_an_early_ctrl_c_is_told_and_ends_with_130(tmp_path: Path) -> None:
    config = tmp_path / "c.toml"
    os.mkfifo(config)
    command = [*COMMAND, "report", QUESTION, "--config", str(config)]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment(tmp_path), stderr=subprocess.PIPE, text=True)
    with process, config.open("w"):  # which waits until the other end is opened: it reads now
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "spyglass: stopped\n")
