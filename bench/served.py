"""`spyglass serve` in a process of its own, as long as a benchmark needs it."""

import json
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

START: float = 60
"""Seconds in which the service has to begin."""


@dataclass(frozen=True, slots=True)
class Service:
    """A service that runs: its address, and the number of its process."""

    url: str
    pid: int

    @property
    def cpu(self) -> float:
        """The seconds of processor time that it has used, without its runs."""
        user, kernel = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(kernel)) / 100

    @property
    def megabytes(self) -> float:
        """The memory that it has."""
        status = dict(line.split(":", 1) for line in Path(f"/proc/{self.pid}/status").read_text().splitlines())
        return int(status["VmRSS"].split()[0]) / 1000


@contextmanager
def service(folder: Path, settings: dict[str, Any]) -> Iterator[Service]:
    """Serve with these settings and a data folder below `folder`; what the service says is in `folder/said`."""
    config, said = folder / "config.json", folder / "said"
    config.write_text(json.dumps({"data_dir": str(folder / "data"), **settings}))
    command = [sys.executable, "-m", "spyglass", "serve", "--port", "0", "--config", str(config)]
    with said.open("w") as told, subprocess.Popen(command, cwd=folder, stderr=told) as process:
        try:
            yield Service(_address(said, process), process.pid)
        finally:
            process.send_signal(signal.SIGINT)


def _address(said: Path, process: "subprocess.Popen[bytes]") -> str:
    for _ in range(round(START / 0.05)):
        if "Serving on " in (text := said.read_text()):
            url = text.split("Serving on ")[1].split()[0]
            urllib.request.urlopen(f"{url}/health", timeout=START).close()
            return url
        if process.poll() is not None:
            break
        time.sleep(0.05)
    raise SystemExit(f"the service does not begin: {said.read_text()}")
