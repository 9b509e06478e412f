"""`spyglass find`."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.text import Text

from ..kernel.errors import FolderError, RetrievalError
from ..kernel.journal import Journal
from ..kernel.notice import Notice
from ..kernel.one_line import tamed
from ..kernel.outcome import Outcome
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..rag.hit import Hit
from ..rag.ingest import ingest
from ..rag.retrieve import retrieve
from .console import LastingConsole, tell, write
from .loop import run_until_done


def find_passages(query: str, settings: Settings, top: int, *, as_json: bool) -> Outcome:
    """Print the best passages for a query, best first, and return the outcome.

    A folder that fails is told, which makes it "partial", and the others are searched. Raises FolderError and
    RetrievalError when all fail.
    """
    hits, notices, outcome = run_until_done(lambda _: _found(query, settings, top), settings)
    if as_json:
        found = {"query": query, "notices": notices, "passages": [_record(hit) for hit in hits]}
        write(json.dumps(found, indent=2) + "\n")
        return outcome
    for notice in notices:
        tell(f"Note: {notice}")
    console = LastingConsole()
    for number, hit in enumerate(hits, 1):
        passage = hit.passage
        place = ", ".join(part for part in (passage.place, f"characters {passage.start}-{passage.end}") if part)
        heading = (tamed(f"\n{number}. {hit.path}"), "bold"), tamed(f" ({place}; score {passage.score:.3f})")
        console.print(Text.assemble(*heading))
        console.print(passage.text, markup=False)
    if not hits:
        console.print("Nothing found.")
    return outcome


async def _found(query: str, settings: Settings, top: int) -> tuple[list[Hit], list[str], Outcome]:
    async with Run(query, settings, journal=Journal()) as run:
        folders = await _readable(run)
        hits = await retrieve(run, folders, [query], top)
        missed = len(folders) < len(set(run.settings.folders))
        return hits[:top], list(map(str, run.notices)), run.conclude(found=bool(hits), failed=missed)


async def _readable(run: Run) -> list[Path]:
    """Read each folder into its index and return those that can be searched; raise the first error when none can."""
    readable: list[Path] = []
    errors: list[FolderError | RetrievalError] = []
    for folder in dict.fromkeys(run.settings.folders):
        try:
            await ingest(run, folder, embed=False)
            readable.append(folder)
        except (FolderError, RetrievalError) as error:
            errors.append(error)
            run.notice(Notice("folder_not_searched", folder=str(folder), why=error.told))
    if errors and not readable:
        raise errors[0]
    return readable


def _record(hit: Hit) -> dict[str, Any]:
    record = asdict(hit)
    return {**record, "passage": hit.passage.model_dump(mode="json")}
