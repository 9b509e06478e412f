"""What is written arrives, wherever it goes, and nobody who stops reading stops the run."""

import contextlib
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios
from pathlib import Path

import pytest

from cli.command import COMMAND, QUESTION, Hanging, environment, shell, spyglass

REPORT = f'spyglass report "{QUESTION}" --files papers'


@pytest.mark.usefixtures("files")
def test_a_reader_of_the_progress_that_leaves_does_not_end_the_run(tmp_path: Path) -> None:
    ran = shell(tmp_path, f"{REPORT} --out p.md 2>&1 >/dev/null | head -c1; exit ${{PIPESTATUS[0]}}")
    assert ran.returncode == 0
    assert "built in 1871" in (tmp_path / "p.md").read_text()


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("command", [REPORT, "spyglass find harbour --files papers", "spyglass doctor"])
def test_a_reader_that_leaves_is_no_error(tmp_path: Path, command: str) -> None:
    (tmp_path / "local_files").mkdir()
    ran = shell(tmp_path, f"{command} | true; exit ${{PIPESTATUS[0]}}", SPYGLASS_WEB="false")
    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr
    assert "Exception ignored" not in ran.stderr


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("closed", [">&-", "2>&-"])
def test_a_stream_that_was_never_open_is_no_error(tmp_path: Path, closed: str) -> None:
    ran = shell(tmp_path, f"{REPORT} {closed}")
    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr
    assert ("built in 1871" in ran.stdout) == (closed == "2>&-")


@pytest.mark.usefixtures("files")
def test_a_terminal_of_few_letters_shows_the_others_by_number(tmp_path: Path) -> None:
    ran = shell(tmp_path, f"{REPORT.replace('harbour', 'harbour – häfen –')} --quiet", PYTHONIOENCODING="ascii")
    assert ran.returncode == 0, ran.stderr
    assert "h\\xe4fen" in ran.stdout
    assert "built in 1871" in ran.stdout


@pytest.mark.usefixtures("files")
def test_a_full_disk_is_told(tmp_path: Path) -> None:
    ran = shell(tmp_path, f"{REPORT} --quiet >/dev/full")
    assert ran.returncode == 1
    assert ran.stderr.startswith("spyglass: Cannot write to standard output: No space left on")
    assert "Traceback" not in ran.stderr


def test_a_file_that_is_none_is_refused(tmp_path: Path, files: Path) -> None:
    (tmp_path / "full.md").symlink_to("/dev/full")
    refused = spyglass(tmp_path, "report", QUESTION, "--files", files, "--out", "full.md")
    assert refused.returncode == 2
    assert "this is not a regular file" in refused.stderr


@pytest.mark.kill
def test_a_file_that_fails_in_the_end_costs_neither_the_others_nor_the_text(
    tmp_path: Path, files: Path, hanging: type[Hanging]
) -> None:
    folder = tmp_path / "reports"
    folder.mkdir()
    (tmp_path / "c.toml").write_text(f'[writer]\nprovider = "openai"\nmodel = "m"\nbase_url = "{hanging.url}"\n')
    command = [*COMMAND, "report", QUESTION, "--files", str(files), "--config", "c.toml"]
    process = subprocess.Popen(
        [*command, "--out", "reports/r.md", "--out", "r.json"],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        assert hanging.called.wait(60)
        folder.rmdir()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    assert "reports/r.md could not be written" in err
    assert "Written: r.json\n" in err
    assert "built in 1871" in out
    assert json.loads((tmp_path / "r.json").read_text())["outcome"] == "cancelled"


def test_at_a_terminal_a_report_is_shown_in_lines_of_whole_words(tmp_path: Path, files: Path) -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    with subprocess.Popen(
        [*COMMAND, "report", QUESTION, "--files", str(files), "--no-model", "--quiet"],
        cwd=tmp_path,
        env=environment(tmp_path, TERM="xterm"),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    ):
        os.close(theirs)
        told = b""
        with contextlib.suppress(OSError):  # it has ended
            while piece := os.read(ours, 65_536):
                told += piece
        os.close(ours)
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip() for line in told.decode().splitlines()]
    assert not [line for line in lines if len(line) > 40 or "**" in line or line.startswith("#")]
    said = " ".join(" ".join(lines).split())
    assert "The harbour was built in 1871." in said
    assert "every sentence is quoted from a source" in said
