"""`spyglass ingest`."""

import asyncio
from pathlib import Path

from ..journal import Journal
from ..rag.ingest import IngestSummary, ingest
from ..run import Run
from ..settings import Settings
from .console import write
from .progress import Progress
from .watching import watched


def ingest_folder(folder: Path, settings: Settings, *, quiet: bool) -> None:
    """Read a folder into its index, wait for its vectors, and print what came of it."""

    async def work() -> IngestSummary:
        async with Run(f"ingest {folder}", settings, on_event=progress, journal=Journal()) as run:
            summary = await ingest(run, folder, embed=True)
            run.outcome = "complete"
            return summary

    with Progress(quiet=quiet) as progress, watched(settings):
        summary = asyncio.run(work())
    write(
        f"{summary.files:,} files, {summary.chunks:,} passages, {len(summary.skipped):,} skipped, "
        f"{summary.unchanged:,} unchanged, {summary.embedded:,} embedded, {summary.pending:,} without a vector\n"
    )
