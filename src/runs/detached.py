"""Makes runs in separate processes, which outlive the process that starts them."""

import os
import re
import secrets
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Protocol

from ..kernel.events import AWAITED
from ..kernel.host import private_folder
from ..kernel.journal.journal import journal_at
from ..kernel.observe import observer_of
from ..kernel.question import checked_question
from ..kernel.run import TRACEPARENT
from ..kernel.settings import Settings
from .recorded_settings import settings_record
from .run_store import RunStore
from .start import MAKES_REPORT, missing

COMPLAINTS: Final = "complaints.txt"  # beside the journal: standard error of the run's process
LONGEST: Final = 2_000  # characters of the end of that file that are shown
LEAVE: Final = 10.0  # seconds that a spare process has to end before it is killed, which loses nothing
_TRACEPARENT: Final = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")


def prepared(question: str, settings: Settings, traceparent: str | None = None) -> str:
    """Store the inputs of a new run for the process that will make it, and return the run's id. Blocks.

    The run belongs to the current trace, or that of `traceparent`. Raises QuestionError, FolderError and JournalError.
    """
    question, new_id = checked_question(question), secrets.token_hex(6)
    missing(settings.db, "db")
    with journal_at(RunStore(settings.data_dir).journal_path(new_id), settings) as journal:
        journal.take()
        with journal.together():
            journal.put("id", new_id)
            journal.put("question", question)
            journal.put("began", datetime.now(UTC).isoformat())
            journal.put("folder", str(Path.cwd()))
            journal.put("makes", MAKES_REPORT)
            chosen = {name: value for name, value in settings_record(settings).items() if name in settings.explicit}
            journal.put("settings", chosen)  # the others are chosen for the question when the run begins
            journal.mark(*AWAITED, time.time())
            parent = traceparent if traceparent and _TRACEPARENT.fullmatch(traceparent) else ""
            if trace := parent or observer_of(settings).here():
                journal.put(TRACEPARENT, trace)
        journal.release()
    return new_id


def _start_spare(settings: Settings, config: Path | None) -> "subprocess.Popen[bytes]":
    """Start a process in its own session that waits for a run from `_launch`, and ends with this process without one.

    It looks up the run in the store of these settings; its keys come from the environment or the `config` file.
    """
    location = {"SPYGLASS_DATA_DIR": str(settings.data_dir.resolve())}
    if settings.database_url is not None:
        location["SPYGLASS_DATABASE_URL"] = settings.database_url.get_secret_value()
    command = [sys.executable, "-m", "spyglass", "background"]
    command += ["--config", str(config.resolve())] if config else []
    return subprocess.Popen(  # noqa: S603 our own program
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, **location},
    )


def _launch(run_id: str, process: "subprocess.Popen[bytes]") -> None:
    """Send a run's id to a spare process, which makes the run. Raises OSError if the process has ended."""
    assert process.stdin is not None
    with process.stdin as pipe:
        pipe.write(f"{run_id}\n".encode())


class Makers(Protocol):
    """Starts prepared runs in other processes. Its methods block, except `has`."""

    def start(self, run_id: str) -> None:
        """Start or resume a run."""

    def has(self, run_id: str) -> bool:
        """Return whether a process of this machine, started for this run, is still alive."""

    def is_at(self, run_id: str) -> bool:
        """Return whether a run is in progress or queued."""

    def get_ready(self) -> None:
        """Prepare for the next run, so that it starts sooner."""

    def leave(self) -> None:
        """Release what was prepared; runs continue."""


class Processes:
    """Runs each in a process on this machine, with a spare process for the next."""

    def __init__(self, settings: Settings, config: Path | None = None) -> None:
        self._settings = settings
        self._config = config
        self._store = RunStore.of(settings)
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._spare: list[subprocess.Popen[bytes]] = []

    def start(self, run_id: str) -> None:
        """Start or resume a run in the spare process, or in a new one."""
        self._store.journal_path(run_id).with_name(COMPLAINTS).unlink(missing_ok=True)
        try:
            process = self._spare.pop()
        except IndexError:
            process = _start_spare(self._settings, self._config)
        try:
            _launch(run_id, process)
        except OSError:  # the process has ended meanwhile
            process.wait()
            process = _start_spare(self._settings, self._config)
            _launch(run_id, process)
        self._processes = {name: other for name, other in self._processes.items() if other.poll() is None}
        self._processes[run_id] = process

    def has(self, run_id: str) -> bool:
        """Return whether the process of a run is still alive."""
        return run_id in self._processes and self._processes[run_id].poll() is None

    is_at = has

    def get_ready(self) -> None:
        """Start a spare process for the next run, so that it starts a second or two sooner."""
        if not self._spare:
            self._spare.append(_start_spare(self._settings, self._config))

    def leave(self) -> None:
        """End the spare process; processes with a run continue."""
        for process in self._spare:
            try:
                process.communicate(timeout=LEAVE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wanted_run(store: RunStore) -> str:
    """Wait for the id of the run that this spare process is to make, and return it; empty if there is none. Blocks.

    Standard error is then redirected to a file beside the journal of that run.
    """
    run_id = sys.stdin.readline().strip()
    if run_id:
        path = store.journal_path(run_id).with_name(COMPLAINTS)
        private_folder(path.parent)  # the run may come from another machine
        complaints = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(complaints, sys.stderr.fileno())
        os.close(complaints)
    return run_id


def complaint(journal: Path) -> str:
    """Return the end of what the process of a run wrote to standard error. Blocks."""
    path = journal.with_name(COMPLAINTS)
    return path.read_text(encoding="utf-8", errors="replace")[-LONGEST:].strip() if path.is_file() else ""
