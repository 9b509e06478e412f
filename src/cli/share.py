"""`spyglass share`."""

from ..kernel.errors import UsageError
from ..kernel.settings import Settings
from ..runs import RunStore
from ..runs.stored import RUNNING
from .console import tell


def share_runs(settings: Settings) -> None:
    """Give the database the runs in this machine's files that it has not. Raises UsageError without a database."""
    if settings.database_url is None:
        raise UsageError("There is no database to share runs in", where="database_url", remedy="Set it.")
    shared = RunStore.of(settings)
    known = {run.id for run in shared.all()}
    here = [run for run in RunStore(settings.data_dir).all() if run.id not in known and run.outcome != RUNNING]
    for run in here:
        shared.keep(run.path)
    tell(f"Shared: {len(here)} runs ({sum(run.size for run in here) / 1e6:.1f} MB).")
