"""Runs in processes of their own: whoever began one may end, and the run goes on."""

import os
import secrets
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..kernel.journal.opening import journal_at
from ..kernel.question import checked_question
from .folders import missing
from .kept import kept
from .run_store import RunStore
from .start import MAKES_REPORT

if TYPE_CHECKING:
    from ..kernel.settings import Settings

COMPLAINTS: Final = "complaints.txt"
"""What the process of a run wrote to standard error, beside its journal."""

LONGEST: Final = 2_000
"""Characters of that which are shown."""


def prepared(question: str, settings: "Settings", makes: dict[str, Any] = MAKES_REPORT) -> str:
    """Keep what a run begins with, for a process that goes on with it, and return its id. Blocks.

    Raises UsageError for a question that is none, FolderError where none of the folders exists, and JournalError.
    """
    asked, new_id = checked_question(question), secrets.token_hex(6)
    missing(settings.db, "db")
    journal = journal_at(RunStore(settings.data_dir).place(new_id), settings)
    try:
        journal.take()
        with journal.together():
            journal.put("id", new_id)
            journal.put("question", asked)
            journal.put("began", datetime.now(UTC).isoformat())
            journal.put("folder", str(Path.cwd()))
            journal.put("makes", makes)
            journal.put("settings", kept(settings))
        journal.release()
    finally:
        journal.close()
    return new_id


def launch(run_id: str, settings: "Settings", config: Path | None = None) -> "subprocess.Popen[bytes]":
    """Start a process that goes on with a run, in a session of its own: it outlives this one. Blocks.

    Keys come to it from this process's environment, or from the `config` file.
    """
    journal = RunStore(settings.data_dir).place(run_id)
    command = [sys.executable, "-m", "spyglass", "background", run_id]
    command += ["--config", str(config.resolve())] if config else []
    with journal.with_name(COMPLAINTS).open("wb") as complaints:
        return subprocess.Popen(  # noqa: S603 our own program; the id is made above or found in the store
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=complaints,
            start_new_session=True,
            env={**os.environ, "SPYGLASS_DATA_DIR": str(settings.data_dir.resolve())},
        )


def complaint(journal: Path) -> str:
    """Return the end of what the process of a run has complained of; empty where it did not. Blocks."""
    path = journal.with_name(COMPLAINTS)
    return path.read_text(encoding="utf-8", errors="replace")[-LONGEST:].strip() if path.is_file() else ""
