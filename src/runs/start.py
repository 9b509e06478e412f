"""How a run begins: anew, where an earlier process left it, or from a copy that nothing is added to."""

import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from ..kernel.ending import undoing
from ..kernel.errors import FolderError, NotRecordedError, SettingsError, UsageError
from ..kernel.journal import Journal
from ..kernel.journal.journal import journal_at
from ..kernel.pool import Pool
from ..kernel.question import checked_question
from ..kernel.run import EventSink, Run
from ..kernel.thread import in_thread
from .kept import adopted, kept, recalled
from .run_store import RunStore
from .stored import REPORT, StoredRun

if TYPE_CHECKING:
    from ..kernel.settings import Settings
    from ..model import Model


MAKES_REPORT: Final = {"kind": REPORT}


@dataclass(frozen=True, slots=True)
class RunStart:
    """What a run begins with; `journal` opens its journal, and without one it gets its own.

    `makes` says what comes of it: its `kind`, and what that takes beside the question and the settings.
    """

    question: str
    settings: "Settings"
    makes: dict[str, Any]
    journal: Callable[[], Journal | None] = lambda: None

    @classmethod
    def of(
        cls, query: str, settings: "Settings", resume: str | Path | Journal | None, makes: dict[str, Any] = MAKES_REPORT
    ) -> Self:
        """Return how to begin anew, or to go on with `resume`. Raises UsageError and JournalError."""
        if resume is None:
            return cls(checked_question(query), settings, makes)
        if isinstance(resume, Journal):
            _require_own(resume, settings)
            question, then = _told(resume, settings)
            return cls(question or checked_question(query), then, makes, lambda: resume)
        stored = found(resume, settings, makes["kind"])
        with Journal(stored.path, readonly=True) as journal:
            _require_own(journal, settings)
            question, then = _told(journal, settings)
            _require_place(journal, then)
        if query and query.strip() != question:
            raise UsageError(
                f"The run {stored.id} has another question: {question}", remedy="Leave the question out to resume."
            )
        return cls(question, then, stored.makes, lambda: journal_at(stored.path, settings))

    @classmethod
    def of_copy(cls, name: str | Path, settings: "Settings", kind: str) -> Self:
        """Return how to make a run of that kind again, from a copy of it. Raises UsageError and JournalError."""
        stored = found(name, settings, kind)
        journal = Journal.copy_of(stored.path)
        with undoing(journal.close):
            return cls(*_told(journal, settings), stored.makes, lambda: journal)


def settings_of(stored: StoredRun, today: "Settings") -> "Settings":
    """Return the settings with which one goes on with a run: its own, or `adopted` ones where it is a stranger's."""
    record = stored.required_settings()
    return recalled(record, today) if RunStore(today.data_dir).keeps(stored.path) else adopted(record, today)


def found(name: str | Path, settings: "Settings", kind: str = "") -> StoredRun:
    """Return the run of that name, or of that journal. Raises UnknownRunError unless it can be gone on with.

    Raises UsageError where it makes something else than the `kind` that is wanted.
    """
    stored = StoredRun.at(name) if isinstance(name, Path) else RunStore.of(settings).find(name)
    stored.required_settings()
    if kind and stored.kind != kind:
        raise UsageError(
            f"The run {stored.id} makes a {stored.kind}, no {kind}", remedy=f"`spyglass resume {stored.id}` knows."
        )
    return stored


def require_recorded(run: Run, name: str | Path) -> None:
    """Raise NotRecordedError where a run that was made again has lacked an answer."""
    if run.unrecorded:
        raise NotRecordedError(
            f"The journal has no answer to {run.unrecorded[0]}",
            where=str(name),
            remedy="It is not finished, or was made by another version. `spyglass resume` finishes it.",
        )


def _keep_beginning(run: Run, makes: dict[str, Any]) -> None:
    """Have a run that has begun keep what one needs to go on with it."""
    journal, before, now = run.journal, run.journal.get("settings"), kept(run.settings)
    ended = journal.get("ended")
    if before is None:
        journal.put("folder", str(Path.cwd()))
        journal.put("makes", makes)
    elif ended is not None or before != now:
        journal.forget(kind="tally")  # it counts what there was, and more may come
        journal.forget_refused()  # today's limits may be others
    if ended is not None and ended["outcome"] != "complete":
        journal.forget_failures()  # servers that were down may be up, and keys be there
    if before != now:
        journal.put("settings", now)


def _told(journal: Journal, today: "Settings") -> tuple[str, "Settings"]:
    """Return the question and the settings of a run, today's where it has not kept any.

    Of a stranger's, which is only ever made again offline, the folder that prompts are read from is today's too.
    """
    record = journal.get("settings")
    then = today if record is None else recalled(record, today)
    return journal.get("question") or "", then if _is_own(journal, today) else then.updated(
        models__prompts=today.models.prompts
    )


def _is_own(journal: Journal, today: "Settings") -> bool:
    return journal.origin is None or RunStore(today.data_dir).keeps(journal.origin)


def _require_own(journal: Journal, today: "Settings") -> None:
    """Raise UsageError for a run that anybody may have made: it would act with its addresses and the user's keys."""
    if journal.get("settings") is None or _is_own(journal, today):
        return
    raise UsageError(
        "The run is not among yours: anybody may have made it, to act in your name",
        where=str(journal.origin),
        remedy=f"`spyglass resume {journal.origin}` shows whom it would ask by your settings, and takes it over.",
    )


def _require_place(journal: Journal, settings: "Settings") -> None:
    """Raise SettingsError where the folders of a run are meant from elsewhere."""
    folder = journal.get("folder")
    if folder != str(Path.cwd()) and any(not path.expanduser().is_absolute() for path in settings.db):
        raise SettingsError(
            f"The run's folders are meant from {folder}", where="db", remedy=f"Resume it there: cd {folder}"
        )


def missing(paths: Sequence[Path], where: str) -> list[Path]:
    """Return those that do not exist. Raises FolderError when none does; `where` says who named them."""
    gone = [path for path in paths if not os.path.exists(path.expanduser())]  # noqa: PTH110 Path.exists may raise
    if gone and len(gone) == len(paths):
        remedy = "Name an existing folder or file."
        raise FolderError(f"There is no {', no '.join(map(_shown, gone))}", where=where, remedy=remedy)
    return gone


def _shown(path: Path) -> str:
    return f"{path}, only a link that leads nowhere or in a circle" if os.path.islink(path) else str(path)  # noqa: PTH114


@asynccontextmanager
async def opened(
    begun: RunStart,
    models: "Sequence[Model | None]" = (),
    *,
    searches: bool = False,
    on_event: EventSink | None = None,
    on_start: Callable[[Run], None] | None = None,
    pool: Pool | None = None,
) -> AsyncIterator[Run]:
    """Open the run that begins so, and close it; runs that are too old to keep are forgotten before a new one.

    Raises FolderError, UsageError for settings of the web where it `searches`, or for a model of these, or an embedder,
    without a known price where money is bounded, and LeaseError.
    """
    settings = begun.settings
    if searches:
        from ..search.check import check_settings

        await check_settings(settings)
    if settings.bounds_money:
        from ..model.metering import require_prices
        from ..model.providers import model_for

        used = (*models, model_for(settings, "checker"), model_for(settings, "embedder"))
        await require_prices(settings, [model for model in used if model is not None])
    journal = begun.journal()
    if journal is None:
        missing(settings.db if begun.makes["kind"] == REPORT else (), "db")
        await in_thread(RunStore.of(settings).sweep, settings.runs.keep_days)
    async with Run(begun.question, settings, on_event=on_event, journal=journal, pool=pool) as run:
        _keep_beginning(run, begun.makes)
        if on_start is not None:
            on_start(run)
        yield run
