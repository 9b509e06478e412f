"""`spyglass export`, `share` and `forget`: what becomes of runs that are kept."""

from pathlib import Path

from ..kernel.database import database_of
from ..kernel.errors import UsageError
from ..kernel.journal import Journal
from ..kernel.one_line import one_line
from ..kernel.settings import Settings
from ..rag import forget_index
from ..runs import RunStore
from ..runs.stored import RUNNING
from .console import confirm, tell


def export_run(name: str, file: Path, settings: Settings) -> None:
    """Write a run to a file that does not exist yet. Raises UsageError and JournalError."""
    if file.exists():
        raise UsageError("There is a file of that name", where=str(file), remedy="Name one that does not exist yet.")
    stored = RunStore.of(settings).find(name)
    stored.required_settings()
    with Journal.copy_of(stored.path) as journal:
        journal.write_to(file)
    tell(f"Written: {file} ({file.stat().st_size / 1e6:.1f} MB). It holds the question and every text that was read.")


def share_runs(settings: Settings) -> None:
    """Give the database the runs in this machine's files that it has not. Raises UsageError without a database."""
    database_of(settings)
    shared = RunStore.of(settings)
    known = {run.id for run in shared.all()}
    here = [run for run in RunStore(settings.data_dir).all() if run.id not in known and run.outcome != RUNNING]
    for run in here:
        shared.keep(run.path)
    tell(f"Shared: {len(here)} runs ({sum(run.size for run in here) / 1e6:.1f} MB).")


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
    _confirm(what, yes=yes)
    for run in chosen:
        store.forget(run)
    tell(f"Forgotten: {what}.")


def forget_folder(folder: Path, settings: Settings, *, yes: bool) -> None:
    """Delete the index of a folder, not its files, once the user confirms it or has said `yes`.

    In a database, what other folders hold of it stays. Raises typer.Abort when the user does not want it.
    """
    _confirm(f"the index of {folder}", yes=yes)
    forget_index(settings, folder)
    tell(f"Forgotten: the index of {folder}.")


def _confirm(what: str, *, yes: bool) -> None:
    if not yes:
        confirm(f"Delete {what}?", f"Nobody is at a terminal to confirm that {what} may be deleted", "forget")
