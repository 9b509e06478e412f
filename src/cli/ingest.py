"""`spyglass ingest`."""

from pathlib import Path

from ..kernel.journal import Journal
from ..kernel.outcome import Outcome
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..rag.ingest import IngestSummary, ingest
from .console import write
from .loop import run_until_done
from .progress import TerminalProgress


def ingest_folder(folder: Path, settings: Settings, *, quiet: bool) -> Outcome:
    """Read a folder into its index, wait for its vectors, print what came of it, and return the outcome.

    It is "partial" where files were left or passages are without a vector, "nothing_found" where no file gave text.
    """

    async def work() -> tuple[IngestSummary, Outcome]:
        async with Run(f"ingest {folder}", settings, on_event=progress, journal=Journal()) as run:
            summary = await ingest(run, folder, embed=True)
            left = summary.busy or summary.unread > 0 or summary.pending > 0
            return summary, run.conclude(found=summary.files > 0, failed=left)

    with TerminalProgress(quiet=quiet, every_file=True) as progress:
        summary, outcome = run_until_done(lambda _: work(), settings)
    write(
        f"{summary.files:,} files, {summary.chunks:,} passages, {len(summary.skipped):,} skipped, "
        f"{summary.unchanged:,} unchanged, {summary.embedded:,} embedded, {summary.pending:,} without a vector\n"
    )
    return outcome
