"""Runs in processes of their own: whoever began one may end, and the run goes on."""

import os
import re
import secrets
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from ..kernel.events import AWAITED
from ..kernel.host import private_folder
from ..kernel.journal.journal import journal_at
from ..kernel.observe import observer_of
from ..kernel.question import checked_question
from ..kernel.run import TRACEPARENT
from ..kernel.settings import Settings
from .kept import kept
from .run_store import RunStore
from .start import MAKES_REPORT, missing

COMPLAINTS: Final = "complaints.txt"  # what the process of a run wrote to standard error, beside its journal
_TRACEPARENT: Final = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")

LONGEST: Final = 2_000  # characters of that which are shown


def prepared(question: str, settings: Settings, traceparent: str | None = None) -> str:
    """Keep what a run begins with, for a process that goes on with it, and return its id. Blocks.

    It belongs to the current trace, or to that of `traceparent`. Raises QuestionError, FolderError and JournalError.
    """
    asked, new_id = checked_question(question), secrets.token_hex(6)
    missing(settings.db, "db")
    with journal_at(RunStore(settings.data_dir).place(new_id), settings) as journal:
        journal.take()
        with journal.together():
            journal.put("id", new_id)
            journal.put("question", asked)
            journal.put("began", datetime.now(UTC).isoformat())
            journal.put("folder", str(Path.cwd()))
            journal.put("makes", MAKES_REPORT)
            said = {name: value for name, value in kept(settings).items() if name in settings.said}
            journal.put("settings", said)  # the others fit themselves to the question when the run begins
            journal.mark(*AWAITED, time.time())
            if trace := _known(traceparent) or observer_of(settings).here():
                journal.put(TRACEPARENT, trace)
        journal.release()
    return new_id


def _known(traceparent: str | None) -> str:
    """Return what names a trace, nothing of what does not."""
    return traceparent if traceparent and _TRACEPARENT.fullmatch(traceparent) else ""


def spare(settings: Settings, config: Path | None = None) -> "subprocess.Popen[bytes]":
    """Start a process that will go on with a run, in a session of its own: it outlives this one. Blocks.

    It gets ready, and waits until `launch` tells it which; it ends with this process where that tells it none. It looks
    for the run where these settings keep theirs; keys come to it from this process's environment, or from the `config`
    file.
    """
    kept_at = {"SPYGLASS_DATA_DIR": str(settings.data_dir.resolve())}
    if settings.database_url is not None:
        kept_at["SPYGLASS_DATABASE_URL"] = settings.database_url.get_secret_value()
    command = [sys.executable, "-m", "spyglass", "background"]
    command += ["--config", str(config.resolve())] if config else []
    return subprocess.Popen(  # noqa: S603 our own program
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, **kept_at},
    )


def launch(run_id: str, process: "subprocess.Popen[bytes]") -> None:
    """Have a spare process go on with a run. Blocks. Raises OSError where it has ended."""
    assert process.stdin is not None
    with process.stdin as told:
        told.write(f"{run_id}\n".encode())


def wanted_run(store: RunStore) -> str:
    """Return which run this process, a spare one, is to go on with; empty when none. Blocks.

    What it complains of from then on is kept beside the journal of that.
    """
    run_id = sys.stdin.readline().strip()
    if run_id:
        path = store.place(run_id).with_name(COMPLAINTS)
        private_folder(path.parent)  # another machine may have begun it
        complaints = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(complaints, sys.stderr.fileno())
        os.close(complaints)
    return run_id


def complaint(journal: Path) -> str:
    """Return the end of what the process of a run has complained of; empty where it did not. Blocks."""
    path = journal.with_name(COMPLAINTS)
    return path.read_text(encoding="utf-8", errors="replace")[-LONGEST:].strip() if path.is_file() else ""
