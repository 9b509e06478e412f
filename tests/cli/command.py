"""The command as a user types it: in a process of its own, with its own home."""

import multiprocessing
import os
import re
import resource
import subprocess
import sys
import threading
from functools import cache
from http.server import BaseHTTPRequestHandler
from multiprocessing import forkserver
from multiprocessing.connection import Connection, wait
from pathlib import Path

import pytest

from spyglass.cli import main
from spyglass.kernel.telemetry import SWITCHES

QUESTION = "When was the harbour built?"

COMMAND = [sys.executable, "-m", "spyglass"]


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path / "home"),
        "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"],
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "SPYGLASS_DATA_DIR": str(tmp_path / "data"),
        "NO_PROXY": "127.0.0.1",
        **more,
    }


FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["cli.loaded"])
"""Starts each command as a fork of a process that has loaded what it needs: three quarters of the work less."""

ONE_BY_ONE = threading.Lock()


def spyglass(tmp_path: Path, *arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return within({}, tmp_path, *arguments, **variables)


def within(
    bounds: dict[int, int], tmp_path: Path, *arguments: str | Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run the command to its end, within bounds of its resources (RLIMIT_…), of memory beyond what it begins with."""
    (out, to_out), (err, to_err) = FORKS.Pipe(duplex=False), FORKS.Pipe(duplex=False)
    typed = list(map(str, arguments))
    process = FORKS.Process(
        target=_run, args=(typed, tmp_path, environment(tmp_path, **variables), to_out, to_err, bounds)
    )
    with ONE_BY_ONE:
        _begin_forks()
        process.start()
    with out, err, to_out, to_err:
        to_out.close()
        to_err.close()
        try:
            said = _read(out, err)
        except TimeoutError:
            process.kill()
            raise
    with ONE_BY_ONE:
        process.join()
    return subprocess.CompletedProcess(typed, process.exitcode or 0, said[out].decode(), said[err].decode())


@cache
def _begin_forks() -> None:
    """Start the process of which each command is a fork; without this it would not find what it is to load."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
        forkserver.ensure_running()


def _run(
    arguments: list[str],
    folder: Path,
    variables: dict[str, str],
    out: Connection,
    err: Connection,
    bounds: dict[int, int],
) -> None:
    for kind, most in bounds.items():
        bound = most + (_memory() if kind == resource.RLIMIT_DATA else 0)
        resource.setrlimit(kind, (bound, bound))
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables | SWITCHES)  # which were set when Spyglass was imported
    os.dup2(out.fileno(), 1)
    os.dup2(err.fileno(), 2)
    out.close()
    err.close()
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 it lasts as long as the process
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115
    sys.argv = ["spyglass", *arguments]
    main()


def _memory() -> int:
    """Return the bytes of data that this process has."""
    [kilobytes] = re.findall(r"VmData:\s*(\d+)", Path("/proc/self/status").read_text(encoding="utf-8"))
    return int(kilobytes) * 1024


def _read(*pipes: Connection) -> dict[Connection, bytes]:
    """Return all that comes out of some pipes until they are closed."""
    said, open_ones = dict.fromkeys(pipes, b""), list(pipes)
    while open_ones:
        if not (ready := wait(open_ones, 300)):
            raise TimeoutError(f"the command does not end; it said: {said}")
        for pipe in ready:
            assert isinstance(pipe, Connection)
            if part := os.read(pipe.fileno(), 65_536):
                said[pipe] += part
            else:
                open_ones.remove(pipe)
    return said


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
