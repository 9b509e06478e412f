"""Many questions, researched by the workers of a cluster."""

import asyncio
from collections.abc import Iterable
from typing import Final

from ..kernel.argument import door
from ..kernel.errors import RunError, SpyglassError
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..report import Report
from ..runs import Account, StoredRun
from ..runs.detached import prepared
from .connection import Cluster

LOOK: Final = 0.5
"""Seconds between two looks at which runs have ended."""


@door
async def research_many(
    questions: Iterable[str], *, settings: Settings | None = None, ray: str = "auto"
) -> list[Report | SpyglassError]:
    """Research questions on a Ray cluster; return for each, in their order, its report or why there is none.

    `ray` is the address of the cluster, `auto` that of the one of this machine. The runs go on whatever becomes of this
    process; cancelled, it stops them. Raises UsageError without a database or a cluster, and QuestionError.
    """
    given = settings or Settings.load()
    given = given.updated(db=[path.expanduser().absolute() for path in given.db])
    cluster = await in_thread(Cluster, given, ray)
    runs = [await in_thread(prepared, question, given) for question in questions]
    for run_id in runs:
        await in_thread(cluster.start, run_id)
    return [await ended(cluster, run_id) for run_id in runs]


async def ended(cluster: Cluster, run_id: str) -> Report | SpyglassError:
    """Wait until no worker will go on with a run, and return its report; cancelled, stop it."""
    try:
        while await in_thread(cluster.store.is_queued, run_id, waits=True):  # noqa: ASYNC110 another machine tells us
            await asyncio.sleep(LOOK)
    except asyncio.CancelledError:
        await in_thread(cluster.store.ask_to_stop, run_id)
        raise
    return await in_thread(_result, cluster, await in_thread(cluster.store.status, run_id))


def _result(cluster: Cluster, run: StoredRun) -> Report | SpyglassError:
    why = cluster.store.trouble(run.id)
    report = None if why else Account.of(cluster.store.fetch(run)).report
    why = why or f"it is {run.outcome}"
    return report or RunError(f"The run {run.id} has no report: {why}", remedy=f"`spyglass show {run.id}`.")
