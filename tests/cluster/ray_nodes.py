"""Nodes of a Ray cluster on this machine, each with one processor of its own: processes that a test may kill."""

import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import ray

from fetch.processes import beneath

QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", "RAY_DEDUP_LOGS": "0"}
BESIDE_OTHERS = {"RAY_worker_niceness": "0"}
"""On a machine that has other work to do Ray's workers are to get on, too: their priority is low otherwise."""

WARM = {"RAY_idle_worker_killing_time_threshold_ms": "600000"}
"""Workers stay for ten minutes without work: to start one takes seconds of a processor."""

TRACED = {"OTEL_TRACES_EXPORTER": "console", "OTEL_BSP_SCHEDULE_DELAY": "100"}
"""Where spans are wanted, workers write them into their logs."""

COMES = 300
"""Seconds in which a node has come, however busy the machine."""


class Node:
    """A raylet with its workers, and the cluster's head if it is the first; nothing is left of one that is killed."""

    def __init__(self, address: str, folder: Path, *, head: bool, cpus: int = 1) -> None:
        self.address = address
        self._folder = folder
        port = address.rpartition(":")[2]
        first = ["--head", f"--port={port}", f"--temp-dir={folder}", "--include-dashboard=false"]
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--disable-usage-stats"),
                *(first if head else [f"--address={address}"]),
                *("--node-ip-address=127.0.0.1", f"--num-cpus={cpus}", "--object-store-memory=80000000"),
            ],
            env=os.environ
            | QUIET
            | BESIDE_OTHERS
            | WARM
            | TRACED
            | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    async def ready(self, nodes: int = 1) -> None:
        """Wait until so many nodes are there, each with its processor; raise TimeoutError when they do not come."""
        async with asyncio.timeout(COMES):
            while not ray.is_initialized():
                try:
                    await asyncio.to_thread(self._join)
                except (OSError, ray.exceptions.RayError):
                    await asyncio.sleep(0.2)
            resources: Callable[[], dict[str, float]] = ray.cluster_resources
            while resources().get("CPU") != nodes:  # noqa: ASYNC110 who tells us is another process
                await asyncio.sleep(0.2)

    @asynccontextmanager
    async def second(self, folder: Path) -> AsyncIterator["Node"]:
        """Add a node to the cluster of this one, the head; none is left of it when the block ends."""
        await self.ready()
        node = Node(self.address, folder, head=False)
        try:
            await self.ready(2)
            yield node
        finally:
            if node.lives:
                node.kill()

    def _join(self) -> None:
        host, _, port = self.address.partition(":")
        socket.create_connection((host, int(port))).close()  # Ray waits for long where nobody takes connections
        ray.init(address=self.address, namespace="spyglass", log_to_driver=False, logging_level=logging.ERROR)

    @property
    def pid(self) -> int:
        """The process that it runs beneath."""
        return self._process.pid

    @property
    def lives(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def logs(self) -> dict[Path, bytes]:
        """What the head of a cluster and its workers have written of their work, by file."""
        return {path: path.read_bytes() for path in self._folder.glob("session_*/logs/**/*") if path.is_file()}

    def kill(self) -> None:
        """End it at once, as when the power of its machine goes."""
        for process in [self._process.pid, *beneath(self._process.pid)]:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self._process.wait()


@contextmanager
def cluster() -> Iterator[Node]:
    """Run the head of a cluster; it has ended, with whatever it started, when the block ends."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="sgray", ignore_cleanup_errors=True) as folder:
        head = Node(f"127.0.0.1:{port}", Path(folder), head=True)
        try:
            yield head
        finally:
            head.kill()
