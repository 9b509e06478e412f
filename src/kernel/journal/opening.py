"""Where a run's journal is kept: in a file, or there and in the database that several machines share."""

from pathlib import Path
from typing import TYPE_CHECKING

from ..database import database_of
from .journal import Journal

if TYPE_CHECKING:
    from ..settings import Settings


def journal_at(path: Path, settings: "Settings") -> Journal:
    """Open the journal of a run to write to it. Raises JournalError."""
    durability = settings.runs.durability
    if settings.database_url is None:
        return Journal(path, durability=durability)
    database = database_of(settings)
    from .shared import SharedJournal

    return SharedJournal(path, database, durability=durability)
