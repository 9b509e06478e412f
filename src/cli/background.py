"""`spyglass background`: makes the report of a run that was begun by another process, which may end meanwhile."""

from typing import TYPE_CHECKING

from ..generate_report import research
from ..kernel.outcome import Outcome
from ..kernel.settings import Settings
from ..runs import RunStore, found
from ..runs.event_log import EventLog
from ..runs.stored import REPORT
from .loop import OnInterrupt, run_until_done

if TYPE_CHECKING:
    from ..kernel.run import Run
    from ..report import Report


def make_in_background(run_id: str, settings: Settings) -> Outcome:
    """Go on with a run, log its events beside its journal, and return its outcome. Raises UsageError and LeaseError."""
    stored = found(run_id, settings, REPORT)

    async def work(on_interrupt: OnInterrupt) -> "Report":
        def started(run: "Run") -> None:
            on_interrupt(run.stop)
            if RunStore(settings.data_dir).stop_asked(run_id):  # before there was a process that could be told
                run.stop()

        return await research("", settings=settings, on_event=log, on_start=started, resume=stored.path)

    with EventLog(stored.path) as log:
        return run_until_done(work, settings).outcome
