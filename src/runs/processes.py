"""Who makes the runs that a manager begins: a process of this machine for each, or whoever else takes them."""

import subprocess
from pathlib import Path
from typing import Final, Protocol

from ..kernel.settings import Settings
from .detached import COMPLAINTS, launch, spare
from .run_store import RunStore

LEAVE: Final = 10.0  # seconds that the process that is ready has to end; it has nothing to lose


class Makers(Protocol):
    """Take runs that were begun, and make them. Their methods block, but for `has`."""

    def start(self, run_id: str) -> None:
        """Have a run made."""

    def has(self, run_id: str) -> bool:
        """Say whether a process of this machine that was started for a run has not ended."""

    def is_at(self, run_id: str) -> bool:
        """Say whether a run is still being made, or waits for that."""

    def get_ready(self) -> None:
        """Get ready for the next run, which then begins sooner."""

    def leave(self) -> None:
        """Give up what is ready; runs go on."""


class Processes:
    """A process for each run, in a session of its own."""

    def __init__(self, settings: Settings, config: Path | None = None) -> None:
        self._settings = settings
        self._config = config
        self._store = RunStore.of(settings)
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._spare: list[subprocess.Popen[bytes]] = []

    def start(self, run_id: str) -> None:
        """Have a process go on with a run: the one that is ready, or a new one."""
        self._store.place(run_id).with_name(COMPLAINTS).unlink(missing_ok=True)
        try:
            process = self._spare.pop()
        except IndexError:
            process = spare(self._settings, self._config)
        try:
            launch(run_id, process)
        except OSError:  # it has ended meanwhile
            process.wait()
            process = spare(self._settings, self._config)
            launch(run_id, process)
        self._processes = {one: made for one, made in self._processes.items() if made.poll() is None}
        self._processes[run_id] = process

    def has(self, run_id: str) -> bool:
        """Say whether the process of a run has not ended."""
        return run_id in self._processes and self._processes[run_id].poll() is None

    is_at = has

    def get_ready(self) -> None:
        """Have a process ready for the next run, which then begins a second or two sooner."""
        if not self._spare:
            self._spare.append(spare(self._settings, self._config))

    def leave(self) -> None:
        """End the process that is ready; those that are at a run go on."""
        for process in self._spare:
            try:
                process.communicate(timeout=LEAVE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
