"""What stands in the journal of a run that is going on, or was killed."""

from pathlib import Path

from spyglass.kernel.journal import Journal


def recorded(path: Path) -> dict[str, str]:
    """Return the kind of each effect that a journal has an answer to, by key."""
    journal = Journal.copy_of(path)
    kinds = {key: kind for key, kind, _, _ in journal.requests()}
    journal.close()
    return kinds
