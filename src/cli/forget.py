"""`spyglass forget`."""

from ..errors import UsageError
from ..runs import RunShelf
from ..runs.stored import RUNNING
from ..settings import Settings
from .console import tell


def forget_runs(name: str | None, settings: Settings, *, every: bool) -> None:
    """Delete a run, or all that have ended, and tell which. Raises UsageError, and LeaseError for one that goes on."""
    if (name is None) != every:
        raise UsageError("Name one run, or say --all", remedy="`spyglass runs` lists them.")
    shelf = RunShelf(settings.data_dir)
    chosen = [shelf.find(name)] if name is not None else [run for run in shelf.all() if run.outcome != RUNNING]
    for run in chosen:
        shelf.forget(run)
    size = sum(run.size for run in chosen) / 1e6
    tell(f"Forgotten: {chosen[0].id if name else f'{len(chosen)} runs'} ({size:.1f} MB).")
