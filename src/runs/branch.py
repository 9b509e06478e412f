"""Copies a run without its effects (recorded calls) from a step on, to be continued with other settings."""

import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from ..kernel.errors import UnknownRunError
from ..kernel.events import TAKEN_OVER
from ..kernel.host import private_file, private_folder
from ..kernel.journal import Journal
from ..kernel.question import checked_question
from ..kernel.settings import Settings
from .recorded_settings import settings_record
from .run_store import RunStore
from .stored import StoredRun

OF_THE_END: Final = ("ended", "report", "answer", "spent")  # the facts about the end of a run


def branched(
    run: StoredRun, store: RunStore, step: str, settings: Settings, clock: Callable[[], float] = time.time
) -> Path:
    """Copy a run to a new run with these settings, without the effects from `step` on; return its journal.

    A step is the number of an effect, counted from 1, or a phase such as `planning` or `writing`. Blocks. Raises
    UnknownRunError.
    """
    with Journal.copy_of(run.path) as copy:
        copy.forget(_number(copy, step, run.id))
        file = {name: value for name, value in (copy.get("from") or {}).items() if name == "file"}
        return _stored_copy(copy, {"run": run.id, "step": step, **file}, store, settings, clock)


def taken_over(run: StoredRun, store: RunStore, step: str, settings: Settings) -> Path:
    """Copy somebody else's run to a new run of the user, as `branched` does; return its journal.

    Its settings, files and spending are left out, and failed calls may be repeated; without a `step`, all else is kept.
    """
    with Journal.copy_of(run.path) as copy:
        if step:
            copy.forget(_number(copy, step, run.id))
        copy.forget_refused()
        copy.forget_failures()
        copy.forget_maker()
        copy.put("question", checked_question(copy.get("question") or ""))
        copy.put("folder", str(Path.cwd()))
        return _stored_copy(copy, {"run": run.id, "step": step, "file": run.path.name}, store, settings, time.time)


def _stored_copy(
    copy: Journal, origin: dict[str, str], store: RunStore, settings: Settings, clock: Callable[[], float]
) -> Path:
    copy.forget(kind="tally")
    name = secrets.token_hex(6)
    copy.put("id", name)
    copy.put("settings", settings_record(settings))
    copy.put("from", origin)
    copy.mark(*TAKEN_OVER, clock())
    copy.put("began", datetime.fromtimestamp(clock(), UTC).isoformat(timespec="seconds"))
    for fact in OF_THE_END:
        copy.put(fact, None)
    path = store.journal_path(name)
    private_folder(path.parent)
    private_file(path)
    copy.write_to(path)
    store.keep(path)
    return path


def _number(journal: Journal, step: str, name: str) -> int:
    last = len(journal.requests())
    if step.isdigit():
        if not 1 <= int(step) <= last:
            raise UnknownRunError(f"The run {name} has no call {step}", remedy=f"Use a number from 1 to {last}.")
        return int(step)
    starts = {phase.lower(): after + 1 for phase, status, after, _ in reversed(journal.marks()) if status == "started"}
    if step.lower() not in starts:
        raise UnknownRunError(
            f'The run {name} has no phase "{step}"', remedy=f"Its phases: {', '.join(reversed(starts)) or 'none'}."
        )
    return starts[step.lower()]
