"""A copy of a run that forgets what came from a step on, to be made with other settings."""

import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..errors import UnknownRunError
from ..events import TAKEN_OVER
from ..host import private_file, private_folder
from ..journal import Journal
from .kept import kept
from .shelf import Shelf
from .stored import StoredRun

if TYPE_CHECKING:
    from ..settings import Settings

OF_THE_END: Final = ("ended", "report", "spent")
"""What a run says of how it ended."""


def branched(
    run: StoredRun, shelf: Shelf, step: str, settings: "Settings", clock: Callable[[], float] = time.time
) -> Path:
    """Copy a run to one of its own, with these settings, that forgets the effects from `step` on; return its journal.

    A step is the number of an effect, from 1, or a phase: `planning`, `writing` and so on. What came before it, and
    what is asked in the very same words again, is answered as it was. Blocks. Raises UnknownRunError for a step that
    the run has not taken.
    """
    copy = Journal.copy_of(run.path)
    try:
        copy.forget(_number(copy, step, run.id))
        copy.forget(kind="tally")
        name = secrets.token_hex(6)
        copy.put("id", name)
        copy.put("settings", kept(settings))
        copy.put("from", {"run": run.id, "step": step})
        copy.mark(*TAKEN_OVER, clock())
        copy.put("began", datetime.fromtimestamp(clock(), UTC).isoformat(timespec="seconds"))
        for fact in OF_THE_END:
            copy.put(fact, None)
        path = shelf.place(name)
        private_folder(path.parent)
        private_file(path)
        copy.write_to(path)
    finally:
        copy.close()
    return path


def _number(journal: Journal, step: str, name: str) -> int:
    """Return the number of the first effect of a step."""
    last = len(journal.requests())
    if step.isdigit():
        if not 1 <= int(step) <= last:
            raise UnknownRunError(f"The run {name} has no effect {step}", remedy=f"It has {last}: 1 to {last}.")
        return int(step)
    begun = {phase.lower(): after + 1 for phase, status, after, _ in reversed(journal.phases()) if status == "started"}
    if step.lower() not in begun:
        raise UnknownRunError(
            f'The run {name} has no phase "{step}"', remedy=f"It has: {', '.join(reversed(begun)) or 'none'}."
        )
    return begun[step.lower()]
