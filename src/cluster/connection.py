"""The connection to a Ray cluster, and the handing over of runs to it."""

import hashlib
import logging
import socket
from contextlib import closing
from typing import Any, Final

from .. import __version__
from ..kernel.errors import UsageError
from ..kernel.settings import Settings
from ..runs import RunStore
from ..runs.shared_store import SharedRunStore

WAIT: Final = 60.0
"""Seconds in which the cluster has to answer: its first worker may have to be started."""

CONNECT: Final = 5.0
"""Seconds in which it has to take a connection: Ray itself ends the process where nobody does."""


class Cluster:
    """A Ray cluster that makes runs of the database. Its methods block.

    Raises UsageError without a database, without the extra, and where no cluster answers.
    """

    def __init__(self, settings: Settings, address: str) -> None:
        store = RunStore.of(settings)
        if not isinstance(store, SharedRunStore):
            raise UsageError(
                "There is no database in which a cluster's workers could share runs",
                where="database_url",
                remedy='Set it: "postgresql://user:password@host/name".',
            )
        self.store = store
        self._dispatcher = _dispatcher(settings, address)

    def start(self, run_id: str) -> None:
        """Have a run made by a worker that has room."""
        self.store.queue(run_id)

    def has(self, run_id: str) -> bool:  # noqa: ARG002 workers have them all
        """Say that no process of this machine was started for a run."""
        return False

    def is_at(self, run_id: str) -> bool:
        """Say whether a worker is at a run, or it waits for one."""
        return self.store.is_queued(run_id)

    def get_ready(self) -> None:
        """Do nothing: workers are ready by themselves."""

    def leave(self) -> None:
        """Do nothing: workers go on."""

    def at_work(self) -> dict[str, str]:
        """Return the runs that workers are at, with their owners."""
        import ray

        found: dict[str, str] = ray.get(self._dispatcher.at_work.remote(), timeout=WAIT)
        return found


def joined(address: str) -> None:
    """Connect this process to the Ray cluster at an address. Raises UsageError without the extra or a cluster."""
    try:
        import ray
    except ImportError as error:
        raise UsageError(f"Ray is not installed: {error}", remedy='pip install "spyglass[cluster]".') from error
    try:
        if not ray.is_initialized():
            _require_open(address)
            ray.init(address=address, namespace="spyglass", log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, ValueError, ray.exceptions.RayError) as error:
        raise _no_cluster(address, error) from error


def _dispatcher(settings: Settings, address: str) -> Any:
    """Return the dispatcher of the settings' database in the cluster, started where there is none."""
    joined(address)
    import ray

    from .workers import Dispatcher

    try:
        actor: Any = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(Dispatcher)
        started = actor.options(name=_name(settings), lifetime="detached", get_if_exists=True)
        dispatcher = started.remote(settings)
        ray.get(dispatcher.at_work.remote(), timeout=WAIT)
    except (OSError, ValueError, ray.exceptions.RayError) as error:
        raise _no_cluster(address, error) from error
    return dispatcher


def _no_cluster(address: str, error: Exception) -> UsageError:
    return UsageError(
        f"No Ray cluster answers: {error}", where=address, remedy="Start one: `ray start --head`; name its address."
    )


def _require_open(address: str) -> None:
    """Raise OSError unless something takes connections at an address such as 10.0.0.1:6379; of others Ray tells."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdecimal():
        with closing(socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT)):
            pass


def _name(settings: Settings) -> str:
    """Return the name of the dispatcher of a database for workers of this version."""
    assert settings.database_url is not None
    return (
        f"spyglass-{__version__}-{hashlib.sha256(settings.database_url.get_secret_value().encode()).hexdigest()[:12]}"
    )
