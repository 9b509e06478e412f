"""The connection to a Ray cluster, and the submission of runs to it."""

import asyncio
import logging
import socket
from collections.abc import Iterable
from contextlib import closing
from typing import Any, Final

from .. import __version__
from ..kernel.argument import validated
from ..kernel.errors import RunError, SpyglassError, UsageError
from ..kernel.settings import Settings
from ..kernel.source import digest
from ..kernel.thread import in_thread
from ..report import Report
from ..runs import Account, StoredRun
from ..runs.detached import prepared
from ..runs.shared_store import shared_store

WAIT: Final = 60.0  # seconds that the cluster has to answer: its first worker may have to be started
CONNECT: Final = 5.0  # seconds that it has to accept a connection: Ray itself exits the process if none is accepted
LOOK: Final = 0.5  # seconds between two polls for the end of a run


class Cluster:
    """A Ray cluster that makes the runs in the database. Its methods block.

    Raises UsageError without a database, without the extra `cluster`, and if no cluster answers.
    """

    def __init__(self, settings: Settings, address: str) -> None:
        self.store = shared_store(settings)
        self._dispatcher = _dispatcher(settings, address)

    def start(self, run_id: str) -> None:
        """Queue a run for the next free worker."""
        self.store.queue(run_id)

    def has(self, run_id: str) -> bool:  # noqa: ARG002 workers make all runs
        """Return False: no process of this machine was started for a run."""
        return False

    def is_at(self, run_id: str) -> bool:
        """Return whether a worker is making a run, or the run is queued."""
        return self.store.is_queued(run_id)

    def get_ready(self) -> None:
        """Do nothing: workers need no preparation."""

    def leave(self) -> None:
        """Do nothing: workers continue."""

    def at_work(self) -> dict[str, str]:
        """Return the runs that workers are making, with their owners."""
        import ray

        runs: dict[str, str] = ray.get(self._dispatcher.at_work.remote(), timeout=WAIT)
        return runs


@validated
async def research_many(
    questions: Iterable[str], *, settings: Settings | None = None, ray: str = "auto"
) -> list[Report | SpyglassError]:
    """Research questions on a Ray cluster; return for each, in order, its report or the error why there is none.

    `ray` is the address of the cluster, `auto` for this machine's. The runs outlive this process, but cancelling the
    call stops them. Raises UsageError without a database or a cluster, and QuestionError.
    """
    absolute = (settings or Settings.load()).with_whole_paths()
    cluster = await in_thread(Cluster, absolute, ray)
    runs = [await in_thread(prepared, question, absolute) for question in questions]
    for run_id in runs:
        await in_thread(cluster.start, run_id)
    return [await ended(cluster, run_id) for run_id in runs]


async def ended(cluster: Cluster, run_id: str) -> Report | SpyglassError:
    """Wait until a run has left the queue, and return its report or error; cancelling the call stops the run."""
    try:
        while await in_thread(cluster.store.is_queued, run_id, waits=True):  # noqa: ASYNC110 it ends on another machine
            await asyncio.sleep(LOOK)
    except asyncio.CancelledError:
        await in_thread(cluster.store.ask_to_stop, run_id)
        raise
    return await in_thread(_result, cluster, await in_thread(cluster.store.status, run_id))


def _result(cluster: Cluster, run: StoredRun) -> Report | SpyglassError:
    why = cluster.store.trouble(run.id)
    report = None if why else Account.of(cluster.store.fetch(run)).report
    why = why or f"it is {run.outcome}"
    return report or RunError(f"The run {run.id} has no report: {why}", remedy=f"See `spyglass show {run.id}`.")


def joined(address: str) -> None:
    """Connect this process to the Ray cluster at an address. Raises UsageError without the extra or the cluster."""
    try:
        import ray
    except ImportError as error:
        raise UsageError(
            f"Ray is not installed: {error}", remedy='Install it: pip install "spyglass[cluster]".'
        ) from error
    try:
        if not ray.is_initialized():
            _require_open(address)
            ray.init(address=address, namespace="spyglass", log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, ValueError, ray.exceptions.RayError) as error:
        raise _no_cluster(address, error) from error


def _dispatcher(settings: Settings, address: str) -> Any:
    """Return the dispatcher for the settings' database and this version of Spyglass, after starting it if need be."""
    joined(address)
    import ray

    from .workers import Dispatcher

    assert settings.database_url is not None
    database = digest(settings.database_url.get_secret_value(), size=12)
    name = f"spyglass-{__version__}-{database}"
    try:
        actor: Any = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(Dispatcher)
        started = actor.options(name=name, lifetime="detached", get_if_exists=True)
        dispatcher = started.remote(settings)
        ray.get(dispatcher.at_work.remote(), timeout=WAIT)
    except (OSError, ValueError, ray.exceptions.RayError) as error:
        raise _no_cluster(address, error) from error
    return dispatcher


def _no_cluster(address: str, error: Exception) -> UsageError:
    return UsageError(
        f"No Ray cluster answers: {error}",
        where=address,
        remedy="Start one with `ray start --head`, and give its address.",
    )


def _require_open(address: str) -> None:
    """Raise OSError unless an address such as 10.0.0.1:6379 accepts connections; Ray itself checks other forms."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdecimal():
        with closing(socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT)):
            pass
