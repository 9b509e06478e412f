"""The command as a user types it: in a process of its own, with its own home, on real files."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

QUESTION = "When was the harbour built?"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "harbour.md").write_text(
        "# The harbour\n\nThe harbour was built in 1871. It took nine years to build it.\n"
    )
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    return folder


def environment(tmp_path: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path / "home"),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "SPYGLASS_DATA_DIR": str(tmp_path / "data"),
        "NO_PROXY": "127.0.0.1",
    }


def spyglass(tmp_path: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "spyglass", *map(str, arguments)],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


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


def test_the_suffix_decides_how_a_report_is_written(tmp_path: Path, files: Path) -> None:
    ran = spyglass(
        tmp_path,
        "report",
        QUESTION,
        "--files",
        files,
        "--out",
        "r.md",
        "--out",
        "r.json",
        "--quiet",
        "--length",
        "short",
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    assert "built in 1871" in (tmp_path / "r.md").read_text()
    assert json.loads((tmp_path / "r.json").read_text())["outcome"] == "complete"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["report", ""], "The question is empty"),
        (["report", "Why?", "--out", "r.xyz"], r'"r.xyz" has no suffix'),
        (["report", "Why?", "--out", "none/r.md"], "cannot be written there"),
        (["report", "Why?", "--model", "gpt"], "is not PROVIDER/NAME"),
        (["report", "Why?", "--model", "acme/gpt"], 'no provider "acme"'),
        (["report", "Why?", "--model", "openai/m", "--no-model"], "exclude each other"),
        (["report", "Why?", "--length", "huge"], '"length"'),
        (["report", "Why?", "--config", "none.toml"], "no such config file"),
        (["ingest", "nowhere"], "nowhere"),
        (["report"], "Missing argument"),
        (["frobnicate"], "No such command"),
    ],
)
def test_bad_usage_is_told_in_words_and_ends_with_2(tmp_path: Path, arguments: list[str], said: str) -> None:
    ran = spyglass(tmp_path, *arguments)
    assert ran.returncode == 2, ran.stderr
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr


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


def test_ingest_makes_text_and_vectors_ready(tmp_path: Path, files: Path) -> None:
    first = spyglass(tmp_path, "ingest", files)
    assert first.returncode == 0, first.stderr
    assert "1 files, 1 passages, 1 skipped, 0 unchanged, 1 embedded, 0 without a vector" in first.stdout
    again = spyglass(tmp_path, "ingest", files)
    assert "0 embedded" in again.stdout


def test_doctor_shows_settings_without_secrets_and_says_what_fails(tmp_path: Path, files: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-very-secret\nSPYGLASS_MODLE=x\n")
    config = tmp_path / "c.toml"
    config.write_text(
        f'provider = "openai"\nmodel = "m"\nbase_url = "http://127.0.0.1:9/v1"\ndb = "{files}"\nmodel_attempts = 1\n'
    )
    ran = spyglass(tmp_path, "doctor", "--config", config)
    assert ran.returncode == 1
    assert "openai_api_key = ********" in ran.stdout
    assert "sk-very" not in ran.stdout + ran.stderr
    assert "documents: works" in ran.stdout
    assert "embedder: works" in ran.stdout
    assert "planner openai/m: fails" in ran.stdout
    assert "127.0.0.1:9" in ran.stdout


def test_doctor_is_content_without_a_model(tmp_path: Path, files: Path) -> None:
    config = tmp_path / "c.toml"
    config.write_text(f'db = "{files}"\n')
    ran = spyglass(tmp_path, "doctor", "--config", config)
    assert ran.returncode == 0, ran.stdout
    assert "none is configured" in ran.stdout


class Hanging(BaseHTTPRequestHandler):
    """A model server that takes requests and never answers."""

    called = threading.Event()
    ended = threading.Event()

    def do_POST(self) -> None:
        self.called.set()
        self.ended.wait(60)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 the base class names it so
        """Say nothing."""


@pytest.fixture
def hanging_server() -> Iterator[str]:
    Hanging.called.clear()
    Hanging.ended.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hanging)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    Hanging.ended.set()
    server.shutdown()
    thread.join()
    server.server_close()


def test_ctrl_c_still_writes_what_there_is(tmp_path: Path, files: Path, hanging_server: str) -> None:
    command = [sys.executable, "-m", "spyglass", "report", QUESTION, "--files", str(files)]
    config = tmp_path / "c.toml"
    config.write_text(f'[writer]\nprovider = "openai"\nmodel = "m"\nbase_url = "{hanging_server}"\n')
    with subprocess.Popen(
        [*command, "--config", str(config)],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert Hanging.called.wait(60)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "The harbour was built in 1871. [1]" in out
    assert "Cancelled in" in err
