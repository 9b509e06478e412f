"""`make report` hands on the question as it was typed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

MAKEFILE = Path(__file__).parents[2] / "Makefile"

RECORDER = """#!/bin/sh
printf '%s\\0' "$@" >arguments
echo '# The report' >report.md
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that is set up, and whose command records what it is asked."""
    shutil.copy(MAKEFILE, tmp_path)
    (tmp_path / "src").mkdir()
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    command = tmp_path / ".venv" / "bin" / "spyglass"
    command.write_text(RECORDER)
    command.chmod(0o755)
    for name in ("requirements.txt", "setup.cfg", "pyproject.toml", ".venv/required", ".venv/installed"):
        (tmp_path / name).touch()
    return tmp_path


def asked(checkout: Path, *given: str, **variables: str) -> tuple[str, str]:
    """Return the question and the folder that the command is given."""
    environment = {"PATH": os.environ["PATH"], **variables}
    ran = subprocess.run(
        ["make", "report", *given],
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (ran.returncode, ran.stdout) == (0, "# The report\n"), ran.stderr
    _report, _files, folder, _out, _file, _dashes, question, _end = (checkout / "arguments").read_text().split("\0")
    return question, folder


@pytest.mark.parametrize(
    "text",
    [
        "What costs $5?",
        "How much is $$5, or ${HOME}?",
        "$(shell touch PWNED)x",
        "`touch PWNED` $(touch PWNED)",
        'It\'s "so" # or \\ 100 %',
        "--help",
    ],
)
def test_a_question_is_asked_as_it_was_typed(checkout: Path, text: str) -> None:
    assert asked(checkout, f"Q={text}", f"FILES={text}") == (text, text)
    assert asked(checkout, Q=text, FILES=text) == (text, text)
    assert not (checkout / "PWNED").exists()


def test_without_a_question_the_sample_is_asked_about(checkout: Path) -> None:
    question, folder = asked(checkout)
    assert "telescope" in question
    assert folder == "local_files"
