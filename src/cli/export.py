"""`spyglass export`."""

from pathlib import Path

from ..kernel.errors import UsageError
from ..kernel.journal import Journal
from ..kernel.settings import Settings
from ..runs import RunStore
from .console import tell


def export_run(name: str, file: Path, settings: Settings) -> None:
    """Write a run to a file that does not exist yet. Raises UsageError and JournalError."""
    if file.exists():
        raise UsageError("There is a file of that name", where=str(file), remedy="Name one that does not exist yet.")
    stored = RunStore.of(settings).find(name)
    stored.required_settings()
    journal = Journal.copy_of(stored.path)
    try:
        journal.write_to(file)
    finally:
        journal.close()
    tell(f"Written: {file} ({file.stat().st_size / 1e6:.1f} MB). It holds the question and every text that was read.")
