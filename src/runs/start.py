"""Opens a run: a new one, one resumed where an earlier process left it, or one replayed from a read-only copy."""

import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from ..kernel.cleanup import rollback_on_error
from ..kernel.errors import FolderError, NotRecordedError, SettingsError, UsageError
from ..kernel.journal import Journal
from ..kernel.journal.journal import journal_at
from ..kernel.pool import Pool
from ..kernel.question import checked_question
from ..kernel.run import EventSink, Run
from ..kernel.thread import in_thread
from .recorded_settings import safe_settings, settings_from_record, settings_record
from .run_store import RunStore
from .stored import REPORT, StoredRun

if TYPE_CHECKING:
    from ..kernel.settings import Settings
    from ..model import Model


MAKES_REPORT: Final = {"kind": REPORT}


@dataclass(frozen=True, slots=True)
class RunStart:
    """The inputs of a run; `journal` opens its journal, None for a new one.

    `makes` describes the result: its `kind`, and its arguments besides the question and the settings. `on_event`
    receives the run's events, `on_start` the run once it is open; `pool` has what it shares with other runs.
    """

    question: str
    settings: "Settings"
    makes: dict[str, Any]
    journal: Callable[[], Journal | None] = lambda: None
    on_event: EventSink | None = None
    on_start: Callable[[Run], None] | None = None
    pool: Pool | None = None

    @classmethod
    def of(
        cls, query: str, settings: "Settings", resume: str | Path | Journal | None, makes: dict[str, Any] = MAKES_REPORT
    ) -> Self:
        """Return the start of a new run, or of resuming `resume`. Raises UsageError and JournalError."""
        if resume is None:
            return cls(checked_question(query), settings, makes)
        if isinstance(resume, Journal):
            _require_own(resume, settings)
            question, recorded = _question_and_settings(resume, settings)
            return cls(question or checked_question(query), recorded, makes, lambda: resume)
        stored = resumable_run(resume, settings, makes["kind"])
        with Journal(stored.path, readonly=True) as journal:
            _require_own(journal, settings)
            question, recorded = _question_and_settings(journal, settings)
            _require_place(journal, recorded)
        if query and query.strip() != question:
            raise UsageError(
                f"The run {stored.id} has another question: {question}", remedy="Omit the question to resume the run."
            )
        return cls(question, recorded, stored.makes, lambda: journal_at(stored.path, settings))

    @classmethod
    def of_copy(cls, name: str | Path, settings: "Settings", kind: str) -> Self:
        """Return the start of a replay of a run of that kind, from a copy. Raises UsageError and JournalError."""
        stored = resumable_run(name, settings, kind)
        journal = Journal.copy_of(stored.path)
        with rollback_on_error(journal.close):
            return cls(*_question_and_settings(journal, settings), stored.makes, lambda: journal)


def settings_of(stored: StoredRun, today: "Settings") -> "Settings":
    """Return the settings for resuming a run: its own, or `safe_settings` if the run is not the user's."""
    record = stored.required_settings()
    return (
        settings_from_record(record, today)
        if RunStore(today.data_dir).keeps(stored.path)
        else safe_settings(record, today)
    )


def resumable_run(name: str | Path, settings: "Settings", kind: str = "") -> StoredRun:
    """Return the run with that name or journal. Raises UnknownRunError unless it can be resumed.

    Raises UsageError if its result is not a `kind`.
    """
    stored = StoredRun.at(name) if isinstance(name, Path) else RunStore.of(settings).find(name)
    stored.required_settings()
    if kind and stored.kind != kind:
        raise UsageError(
            f'The run {stored.id} is of the kind "{stored.kind}", not "{kind}"',
            remedy=f"Resume it with `spyglass resume {stored.id}`.",
        )
    return stored


def require_recorded(run: Run, name: str | Path) -> None:
    """Raise NotRecordedError if a replay lacked an answer."""
    if run.unrecorded:
        raise NotRecordedError(
            f"The journal has no answer to {run.unrecorded[0]}",
            where=str(name),
            remedy="The run is not finished, or was made by another version. Finish it with `spyglass resume`.",
        )


def _keep_beginning(run: Run, makes: dict[str, Any]) -> None:
    """Store what resuming needs in the journal of a run that has begun."""
    journal, before, now = run.journal, run.journal.get("settings"), settings_record(run.settings)
    ended = journal.get("ended")
    if before is None:
        journal.put("folder", str(Path.cwd()))
        journal.put("makes", makes)
    elif ended is not None or before != now:
        journal.forget(kind="tally")  # it counts results, and more may follow
        journal.forget_refused()  # today's limits may differ
    if ended is not None and ended["outcome"] != "complete":
        journal.forget_failures()  # servers may be reachable again, and keys set
    if before != now:
        journal.put("settings", now)


def _question_and_settings(journal: Journal, today: "Settings") -> tuple[str, "Settings"]:
    """Return the question and the settings of a run, today's settings if it has stored none.

    For a run that is not the user's, which is only replayed offline, the prompts folder is today's too.
    """
    record = journal.get("settings")
    settings = today if record is None else settings_from_record(record, today)
    if not _is_own(journal, today):
        settings = settings.updated(models__prompts=today.models.prompts)
    return journal.get("question") or "", settings


def _is_own(journal: Journal, today: "Settings") -> bool:
    return journal.origin is None or RunStore(today.data_dir).keeps(journal.origin)


def _require_own(journal: Journal, today: "Settings") -> None:
    """Raise UsageError for a run that is not the user's: it would send the user's keys to its own addresses."""
    if journal.get("settings") is None or _is_own(journal, today):
        return
    raise UsageError(
        "The run is not one of yours: anybody may have made it, to act in your name",
        where=str(journal.origin),
        remedy=f"Use `spyglass resume {journal.origin}`, which shows what it would contact and makes your own copy.",
    )


def _require_place(journal: Journal, settings: "Settings") -> None:
    """Raise SettingsError if the relative folders of a run belong to another working folder."""
    folder = journal.get("folder")
    if folder != str(Path.cwd()) and any(not path.expanduser().is_absolute() for path in settings.db):
        raise SettingsError(
            f"The run's folders are relative to {folder}", where="db", remedy=f"Resume it in that folder: cd {folder}"
        )


def missing(paths: Sequence[Path], where: str) -> list[Path]:
    """Return the paths that do not exist. Raises FolderError when none exists; `where` names their setting."""
    absent = [path for path in paths if not os.path.exists(path.expanduser())]  # noqa: PTH110 Path.exists may raise
    if absent and len(absent) == len(paths):
        remedy = "Choose an existing folder or file."
        raise FolderError(f"There is no {', no '.join(map(_shown, absent))}", where=where, remedy=remedy)
    return absent


def _shown(path: Path) -> str:
    return f"{path}, only a broken or circular link" if os.path.islink(path) else str(path)  # noqa: PTH114


@asynccontextmanager
async def opened(
    start: RunStart, models: "Sequence[Model | None]" = (), *, searches: bool = False
) -> AsyncIterator[Run]:
    """Open the run of a start, and close it at the end; before a new run, expired runs are deleted.

    Raises FolderError, LeaseError, and UsageError for wrong search settings if the run `searches`, or, with a limit on
    cost, for a model or embedder without a known price.
    """
    settings = start.settings
    if searches:
        from ..search.check import check_settings

        await check_settings(settings)
    if settings.bounds_money:
        from ..model.metering import require_prices
        from ..model.providers import model_for

        used = (*models, model_for(settings, "checker"), model_for(settings, "embedder"))
        await require_prices(settings, [model for model in used if model is not None])
    journal = start.journal()
    if journal is None:
        missing(settings.db if start.makes["kind"] == REPORT else (), "db")
        await in_thread(RunStore.of(settings).sweep, settings.runs.keep_days)
    async with Run(start.question, settings, on_event=start.on_event, journal=journal, pool=start.pool) as run:
        _keep_beginning(run, start.makes)
        if start.on_start is not None:
            start.on_start(run)
        yield run
