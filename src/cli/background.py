"""`spyglass background`: makes the report of a run that was begun by another process, which may end meanwhile."""

import asyncio
import select
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ..generate_report import research
from ..kernel.errors import SpyglassError
from ..kernel.outcome import Outcome
from ..kernel.settings import Settings, layered
from ..model.model import Model
from ..model.providers import model_for
from ..runs import RunStore, found
from ..runs.detached import wanted_run
from ..runs.event_log import EventLog
from ..runs.stored import REPORT
from .loop import OnInterrupt, run_until_done

if TYPE_CHECKING:
    from ..kernel.run import Run
    from ..report import Report


def make_wanted(settings: Settings) -> Outcome | None:
    """Go on with the run that whoever started this process tells, and return its outcome; None when it tells none."""
    told, _, _ = select.select([sys.stdin], [], [], 0)
    if not told:
        with suppress(SpyglassError, OSError):
            rehearse(settings)
    run_id = wanted_run(RunStore(settings.data_dir))
    return make_in_background(run_id, settings) if run_id else None


def rehearse(settings: Settings) -> None:
    """Make a small report that nobody sees: what a report takes is read in then, and the SDK of the writer, too."""
    if (model := model_for(settings, "writer")) is not None:
        asyncio.run(_opened(model))
    with TemporaryDirectory() as folder:
        Path(folder, "harbour.md").write_text("# The harbour\n\nThe harbour was built in 1871.\n", encoding="utf-8")
        alone = {"db": [Path(folder)], "data_dir": Path(folder, "data"), "web": False, "retrieval": {"dense": False}}
        own = layered(Settings, [alone])()  # whatever the environment says, no model is asked
        asyncio.run(research("When was the harbour built?", settings=own))


async def _opened(model: Model) -> None:
    async with model.open():
        pass


def make_in_background(run_id: str, settings: Settings) -> Outcome:
    """Go on with a run, log its events beside its journal, and return its outcome. Raises UsageError and LeaseError."""
    stored = found(run_id, settings, REPORT)

    async def work(on_interrupt: OnInterrupt) -> "Report":
        def started(run: "Run") -> None:
            on_interrupt(run.stop)
            if RunStore.of(settings).stop_asked(run_id):  # before there was a process that could be told
                run.stop()

        return await research("", settings=settings, on_event=log, on_start=started, resume=stored.path)

    with EventLog(stored.path) as log:
        return run_until_done(work, settings).outcome
