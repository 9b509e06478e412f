"""`spyglass forget`."""

from pathlib import Path

from ..kernel.errors import UsageError
from ..kernel.one_line import one_line
from ..kernel.settings import Settings
from ..rag.store import forget_index
from ..runs import RunStore
from ..runs.stored import RUNNING
from .console import confirm, tell


def forget_runs(name: str | None, settings: Settings, *, every: bool, yes: bool) -> None:
    """Delete a run, or all that have ended, once the user confirms it or has said `yes`, and tell which.

    Raises UsageError, typer.Abort when the user does not want it, and LeaseError for one that goes on.
    """
    if (name is None) != every:
        raise UsageError("Name one run, or say --all", remedy="`spyglass runs` lists them.")
    store = RunStore.of(settings)
    chosen = [store.find(name)] if name is not None else [run for run in store.all() if run.outcome != RUNNING]
    size = sum(run.size for run in chosen) / 1e6
    what = f"{f'{chosen[0].id}, “{one_line(chosen[0].question)}”' if name else f'{len(chosen)} runs'} ({size:.1f} MB)"
    if not yes:
        confirm(f"Delete {what}?", f"Nobody is at a terminal to confirm that {what} may be deleted", "forget")
    for run in chosen:
        store.forget(run)
    tell(f"Forgotten: {what}.")


def forget_folder(folder: Path, settings: Settings, *, yes: bool) -> None:
    """Delete the index of a folder, not its files, once the user confirms it or has said `yes`.

    In a database, what other folders hold of it stays. Raises typer.Abort when the user does not want it.
    """
    what = f"the index of {folder}"
    if not yes:
        confirm(f"Delete {what}?", f"Nobody is at a terminal to confirm that {what} may be deleted", "forget")
    forget_index(settings, folder)
    tell(f"Forgotten: {what}.")
