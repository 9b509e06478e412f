"""The command as a user types it: in a process of its own, with its own home."""

import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path

QUESTION = "When was the harbour built?"

COMMAND = [sys.executable, "-m", "spyglass"]


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path / "home"),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "SPYGLASS_DATA_DIR": str(tmp_path / "data"),
        "NO_PROXY": "127.0.0.1",
        **more,
    }


def spyglass(tmp_path: Path, *arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=tmp_path,
        env=environment(tmp_path, **variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def shell(tmp_path: Path, line: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a line of the shell in which `spyglass` is the command."""
    command = " ".join(COMMAND)
    return subprocess.run(
        ["bash", "-c", f'spyglass() {{ {command} "$@"; }}; {line}'],
        cwd=tmp_path,
        env=environment(tmp_path, **variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


class Hanging(BaseHTTPRequestHandler):
    """A model server that takes requests and never answers."""

    url: str
    called = threading.Event()
    ended = threading.Event()

    def do_POST(self) -> None:
        self.called.set()
        self.ended.wait(60)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 the base class names it so
        """Say nothing."""
