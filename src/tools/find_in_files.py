"""The passages of the user's files that best match a query, as a function."""

from dataclasses import dataclass
from pathlib import Path

from ..kernel.argument import validated
from ..kernel.errors import FolderError, RetrievalError
from ..kernel.journal import Journal
from ..kernel.notice import Notice
from ..kernel.outcome import Outcome
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..rag import Hit, ingest, retrieve


@dataclass(frozen=True, slots=True)
class FoundInFiles:
    """The best passages, best first, what the user should know of the search, and how it ended."""

    hits: list[Hit]
    notices: list[str]
    outcome: Outcome


@validated
async def find_in_files(query: str, settings: Settings, top: int) -> FoundInFiles:
    """Search the folders of `settings.db`, brought up to date first.

    A folder that fails is noted and makes the outcome "partial"; the others are searched. Raises FolderError
    and RetrievalError when all fail.
    """
    async with Run(query, settings, journal=Journal()) as run:
        folders = await _readable(run)
        hits = await retrieve(run, folders, [query], top)
        missed = len(folders) < len(set(run.settings.folders))
        outcome = run.conclude(has_result=bool(hits), failed=missed)
        return FoundInFiles(hits[:top], list(map(str, run.notices)), outcome)


async def _readable(run: Run) -> list[Path]:
    """Update the index of each folder, and return the searchable folders. Raises the first error if there are none."""
    readable: list[Path] = []
    errors: list[FolderError | RetrievalError] = []
    for folder in dict.fromkeys(run.settings.folders):
        try:
            await ingest(run, folder, embed=False)
            readable.append(folder)
        except (FolderError, RetrievalError) as error:
            errors.append(error)
            run.notice(Notice("folder_not_searched", folder=str(folder), why=error.message))
    if errors and not readable:
        raise errors[0]
    return readable
