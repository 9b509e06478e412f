"""`spyglass report --ray`."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..cluster.connection import Cluster, ended
from ..kernel.errors import SpyglassError, UsageError
from ..kernel.outcome import Outcome
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..runs.detached import prepared
from .console import tell, write
from .loop import OnInterrupt, run_until_done
from .output import written

if TYPE_CHECKING:
    from ..report import Report


def made_on_cluster(
    question: str, settings: Settings, address: str, out: Sequence[Path], *, asked: bool, quiet: bool
) -> Outcome:
    """Have a worker of a cluster make the report; write it, and return its outcome.

    The first Ctrl-C has the worker report what is there, the second no longer waits for it. Raises UsageError without a
    database or a cluster, or where the user has `asked` for a plan or wants to be, and what kept the run from a report.
    """
    if asked or settings.research.ask:
        raise UsageError("A worker plans by itself", where="--ray", remedy="Leave out --ask and --plan, or --ray.")
    settings = settings.updated(db=[path.expanduser().absolute() for path in settings.db])
    cluster = Cluster(settings, address)
    run_id = prepared(question, settings)
    cluster.start(run_id)
    if not quiet:
        tell(f"The run {run_id} waits for a worker (Ctrl-C has it report what is there).")

    async def work(on_interrupt: OnInterrupt) -> "Report | SpyglassError":
        stopping: list[asyncio.Task[None]] = []

        def stop() -> None:
            stopping.append(asyncio.create_task(in_thread(cluster.store.ask_to_stop, run_id)))

        on_interrupt(stop)
        return await ended(cluster, run_id)

    report = run_until_done(work, settings)
    if isinstance(report, SpyglassError):
        raise report
    whole = written(report, out, settings, quiet=quiet)
    if not whole or not out:
        write(report.markdown)
    return report.outcome if whole else "failed"
