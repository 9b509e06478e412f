"""The code that Ray executes: a dispatcher that starts the runs queued in the database, and the task for one run."""

import asyncio
import atexit
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import cache
from typing import Any, Final

import ray
from ray.exceptions import OutOfMemoryError, RayError, RayTaskError, WorkerCrashedError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from .. import __version__
from ..generate_report import research
from ..kernel.cleanup import run_in_background
from ..kernel.errors import DatabaseError, LeaseError, RunError, SpyglassError
from ..kernel.observe.export import exported
from ..kernel.settings import Settings
from ..runs.shared_store import shared_store
from ..runs.stored import INTERRUPTED, RUNNING

RUNS_PER_CPU: Final = 4  # concurrent runs per processor of the cluster: they mostly wait for models and pages
LOOK: Final = 0.5  # seconds between two polls of the queue, and of a run that another process is making
ANSWERS: Final = 60.0  # seconds that a node has to report its fitness: its first worker may have to be started
MOST_TRIES: Final = 4  # failures of workers after which a run is not started again
NOTICES: Final = 5.0  # seconds of pause per dead worker so far: Ray may assign work to a dead node for some 20 s


def make(run_id: str, settings: Settings, version: str) -> str:
    """Make a run, or resume it where another worker left it; return its outcome.

    Waits while another process is making the run, and returns at once if the run has ended, which its node may not have
    reported before it died. A run that is cancelled without a request to stop is resumed, because its worker was
    terminated. Raises RunError on a worker of another version, DatabaseError, and errors that keep a run from starting.
    """
    if version != __version__:
        raise RunError(
            f"This worker has Spyglass {__version__}, but the run needs {version}",
            remedy=f"Install {version} on every node.",
        )
    store = shared_store(settings)
    if settings.observe.otel:
        _export_spans()
    while (outcome := store.last_outcome(run_id)) in (RUNNING, INTERRUPTED) or (
        outcome == "cancelled" and not store.stop_asked(run_id)
    ):
        try:
            return asyncio.run(research(settings=settings, resume=store.fetch(store.status(run_id)).path)).outcome
        except LeaseError:
            time.sleep(LOOK)
        except SpyglassError:
            if (outcome := store.last_outcome(run_id)) == INTERRUPTED:  # it could not start
                raise
            return outcome
    return outcome


@cache
def _export_spans() -> None:
    """Export the spans of this worker's runs, as configured by its environment variables `OTEL_*`, until it exits."""
    exits = ExitStack()
    exits.enter_context(exported(print))  # `print` writes to the worker's log
    atexit.register(exits.close)


def unfit(settings: Settings, version: str) -> str:
    """Return why this node cannot make runs with these settings, empty if it can."""
    if version != __version__:
        return f"It has Spyglass {__version__}, not {version}."
    if missing := [str(path) for path in settings.db if not path.expanduser().exists()]:
        return f"It does not have {', '.join(missing)}."
    try:
        shared_store(settings).counts()
    except SpyglassError as error:
        return str(error)
    return ""


def nodes_of(settings: Settings) -> dict[str, str]:
    """Return by name why each live node of the connected cluster is unfit, empty if it is fit."""
    answers: dict[str, Any] = {}
    task: Any = ray.remote(num_cpus=0, max_retries=0)(unfit)
    nodes: Callable[[], list[dict[str, Any]]] = ray.nodes
    for node in nodes():
        if node["Alive"]:
            on_node = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            name = f"{node['NodeManagerAddress']} {node['NodeID'][:8]}"
            answers[name] = task.options(scheduling_strategy=on_node).remote(settings, __version__)
    return {name: _answer(answer) for name, answer in answers.items()}


def _answer(answer: Any) -> str:
    try:
        return str(ray.get(answer, timeout=ANSWERS))
    except RayError as error:
        return f"It does not answer: {type(error).__name__}."


def next_ones(queued: Sequence[tuple[str, str]], at_work: Mapping[str, str], room: int) -> list[tuple[str, str]]:
    """Return the next runs to start as (id, owner), each from the owner with the fewest runs at that point."""
    waiting, busy = [run for run in queued if run[0] not in at_work], Counter(at_work.values())
    chosen: list[tuple[str, str]] = []
    while waiting and len(chosen) < room:
        chosen.append(min(waiting, key=lambda run: busy[run[1]]))
        waiting.remove(chosen[-1])
        busy[chosen[-1][1]] += 1
    return chosen


class Dispatcher:
    """Starts queued runs, always from the owner with the fewest in progress; the queue is in the database.

    If its machine dies, nothing is lost: Ray restarts the dispatcher elsewhere, and it reads the queue again.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._store = shared_store(settings)
        self._at_work: dict[str, str] = {}
        self._freed = asyncio.Event()
        self._making: set[asyncio.Task[None]] = set()
        self._make: Any = ray.remote(num_cpus=1 / RUNS_PER_CPU, max_retries=0, scheduling_strategy="SPREAD")(make)
        threading.Thread(target=lambda: asyncio.run(self._work()), name="spyglass-dispatcher", daemon=True).start()

    def at_work(self) -> dict[str, str]:
        """Return the runs that workers are making, with their owners."""
        return dict(self._at_work)

    async def _work(self) -> None:
        while True:
            with suppress(SpyglassError):  # while the database is unreachable, the runs wait
                await self._poll()
            self._freed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK):
                    await self._freed.wait()

    async def _poll(self) -> None:
        queued = await asyncio.to_thread(self._store.queued)
        resources: dict[str, float] = await asyncio.to_thread(ray.cluster_resources)
        room = int(resources.get("CPU", 0) * RUNS_PER_CPU) - len(self._at_work)
        for run_id, owner in next_ones(queued, self._at_work, room):
            self._at_work[run_id] = owner
            run_in_background(self._making, self._dispatch(run_id))

    async def _dispatch(self, run_id: str) -> None:
        """Have a worker make a run; if the worker dies, the run stays in the queue for the next attempt."""
        try:
            if (trouble := await self._trouble(run_id)) is not None:
                await asyncio.to_thread(self._store.leave_queue, run_id, trouble)
                self._freed.set()
        except SpyglassError:  # database unreachable: it is dispatched again and found to have ended
            pass
        finally:
            del self._at_work[run_id]

    async def _trouble(self, run_id: str) -> str | None:
        """Have a worker make a run; return why it failed for good, empty if it ended, None to try another worker."""
        pause = 0.0
        try:
            await self._make.remote(run_id, self._settings, __version__)
        except RayTaskError as error:
            if isinstance(error.cause, DatabaseError):
                return None
            why = f"its worker failed: {error.cause}"
        except (WorkerCrashedError, OutOfMemoryError) as error:
            why, pause = f"it crashed its worker's process: {type(error).__name__}", NOTICES
        except RayError:  # its node died
            return None
        else:
            return ""
        if (tries := await asyncio.to_thread(self._store.count_resumption, run_id)) >= MOST_TRIES:
            return why
        await asyncio.sleep(pause * tries)
        return None
