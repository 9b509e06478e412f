"""`spyglass ingest`: indexes a folder."""

from pathlib import Path

from ..kernel.database import database_of
from ..kernel.errors import UsageError
from ..kernel.journal import Journal
from ..kernel.outcome import Outcome
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..rag import IngestSummary, ingest
from .console import write
from .loop import run_until_done
from .progress import TerminalProgress


def ingest_folder(folder: Path, settings: Settings, ray: str | None, *, quiet: bool) -> Outcome:
    """Index a folder, by the workers of the Ray cluster at `ray` if given; print the counts and return the outcome.

    The outcome is "partial" if files were left or passages lack a vector, "nothing_found" if no file gave text.
    """

    async def work() -> tuple[IngestSummary, Outcome]:
        async with Run(f"ingest {folder}", settings, on_event=progress, journal=Journal()) as run:
            summary = await (ingest(run, folder, embed=True) if ray is None else by_workers(run, ray))
            left = summary.busy or summary.unread > 0 or summary.pending > 0
            return summary, run.conclude(has_result=summary.files > 0, failed=left)

    async def by_workers(run: Run, address: str) -> IngestSummary:
        database_of(settings)
        from ..cluster.connection import joined

        await in_thread(joined, address)  # raises UsageError if Ray is not installed
        from ..cluster.ingest import ingest_on_cluster

        return await ingest_on_cluster(run, folder, settings, address)

    with TerminalProgress(quiet=quiet, every_file=True) as progress:
        summary, outcome = run_until_done(lambda _: work(), settings)
    write(
        f"{summary.files:,} files, {summary.chunks:,} passages, {len(summary.skipped):,} skipped, "
        f"{summary.unchanged:,} unchanged, {summary.embedded:,} embedded, {summary.pending:,} without a vector\n"
    )
    return outcome


def tell_progress(folder: Path, settings: Settings) -> Outcome:
    """Print the progress of a folder's ingest on a cluster, started from any machine, and return its outcome.

    Raises UsageError without a database, or if there was no such ingest.
    """
    from ..cluster.ingest_rows import IngestState
    from ..rag.store import shared_key

    state = IngestState.of(database_of(settings), shared_key(settings, folder))
    if state is None:
        raise UsageError(f"No cluster has indexed {folder}", remedy="Start it with: spyglass ingest DIR --ray ADDRESS")
    left = "time left unknown" if state.seconds_left is None else f"{state.seconds_left:,.0f} s left"
    write(
        f"{state.done:,} of {state.total:,} documents, {state.reading:,} at workers, {len(state.without_text):,} "
        f"without text, {len(state.set_aside):,} set aside, {state.seconds:,.0f} s, "
        f"{'ended' if state.has_ended else left}\n"
    )
    for path, reason in state.set_aside + state.without_text:
        write(f"{path}: {reason}\n")
    return "complete" if state.has_ended and not state.set_aside else "partial"
