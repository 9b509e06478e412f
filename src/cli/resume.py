"""`spyglass resume`."""

from collections.abc import Sequence
from pathlib import Path

from ..outcome import Outcome
from ..runs import found, unlike
from ..settings import Settings
from .console import tell
from .output import require_writable
from .report import made


def resume_run(name: str, settings: Settings, out: Sequence[Path], *, quiet: bool) -> Outcome:
    """Go on with a run, write its report as `report` does, and return its outcome. Raises UsageError and LeaseError."""
    stored = found(name, settings)
    record = stored.required_settings()
    require_writable(out, [Path(folder) for folder in record.get("db", [])], settings)
    if not quiet:
        tell(f"Going on with {stored.id}: {stored.question}")
        if others := unlike(record, settings):
            tell(f"Note: as they were when it began, whatever is said today: {', '.join(others)}.")
    return made("", settings, out, quiet=quiet, resume=stored.path)
