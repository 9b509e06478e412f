"""The servers of a loopback world, run from its folder as long as a benchmark needs them."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path


def free_port(host: str = "127.0.0.1") -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


@contextmanager
def served(script: Path, port: int, options: Sequence[str], folder: str, **variables: str) -> Iterator[str]:
    """Run a server's script in a folder until the end; yield its address once it answers."""
    address = f"http://127.0.0.1:{port}"
    server = subprocess.Popen(
        [sys.executable, str(script), *options], cwd=folder, env=_environment(variables), stdout=subprocess.DEVNULL
    )
    try:
        _await(script.stem, address)
        yield address
    finally:
        server.terminate()
        server.wait(10)


def _environment(variables: Mapping[str, str]) -> dict[str, str]:
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **variables}


def _await(name: str, address: str) -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(f"{address}/_health", timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise SystemExit(f"the {name} server does not answer at {address}")
