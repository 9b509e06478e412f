"""Checks a watch: reads its sources again, researches its question again, and sends notifications of changes."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final

from ..generate_report import research
from ..kernel.errors import SpyglassError
from ..kernel.journal import Journal
from ..kernel.pool import Pool
from ..kernel.run import EventSink, Run
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..report import Report
from ..runs.manager import with_pages
from ..runs.recorded_settings import settings_from_record
from ..verify import texts_today
from .changes import ValueChange, changes, place_of
from .notify import notify
from .watch_store import MOST_NEWS, News, Watch, WatchStore, next_time

MOST_PAGES: Final = 20  # pages of the last report that the next run reads, cited pages first


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check: what changed, the run with the new report, and problems, failed notifications included."""

    changes: Sequence[ValueChange] = ()
    run: str = ""
    problems: list[str] = field(default_factory=list)


async def check_watch(
    name: str,
    store: WatchStore,
    today: Settings,
    pool: Pool,
    on_event: EventSink | None = None,
    *,
    if_due: bool = False,
) -> Checked | None:
    """Research the question of the watch with id `name` again, and notify the channels of changes.

    The first check sends no notification. A check without a report is notified once, and the next check is compared
    with the report before it. Returns None if another process checks the watch, or with `if_due` if it is not due.
    Raises only UnknownRunError: errors of a run or a channel are among the problems.
    """
    watch = await in_thread(store.find, name)
    with ExitStack() as stack:
        try:
            await in_thread(stack.enter_context, store.hold(watch))
        except BlockingIOError:
            return None
        watch = await in_thread(store.find, watch.id)  # another process may have checked it just now
        if if_due and not watch.is_due(datetime.now().astimezone()):
            return None
        before = watch.model_copy(deep=True)
        result = await _checked(watch, store, today, pool, on_event)
        watch.problem = result.problems[0] if result.problems else ""
        new_problem = "" if before.problem else watch.problem
        if result.changes:
            now_in_utc = datetime.now(UTC).isoformat(timespec="seconds")
            news = News(at=now_in_utc, run=result.run, changes=list(result.changes))
            watch.news = [news, *watch.news][:MOST_NEWS]
        now = datetime.now().astimezone()
        watch.checked, watch.due = now.isoformat(timespec="seconds"), next_time(watch.every, now).isoformat()
        if not await in_thread(store.put, watch, before):  # another process has checked it meanwhile
            return None
        failed = await notify(watch, result.changes, new_problem, await in_thread(store.all), today)
    return replace(result, problems=[*result.problems, *failed])


async def _checked(watch: Watch, store: WatchStore, today: Settings, pool: Pool, on_event: EventSink | None) -> Checked:
    old = await in_thread(store.report, watch)
    try:
        settings = settings_from_record(watch.settings, today).updated(cache__page_hours=0.0, research__ask=False)
        now = {} if old is None else await _texts(watch, old, settings, pool)
        reading = with_pages(settings, old, MOST_PAGES) if old else settings  # even if no search finds them
        new = await research(watch.question, settings=reading, on_event=on_event, pool=pool)
    except (SpyglassError, OSError) as error:
        return Checked(problems=[str(error)])
    if not new.claims:
        return Checked(run=new.run, problems=[f"The run {new.run} has no answer: {new.outcome}"])
    changed = [] if old is None else await in_thread(changes, old, new, now)
    await in_thread(store.put_report, watch, new)
    watch.run = new.run
    return Checked(changed, new.run)


async def _texts(watch: Watch, old: Report, settings: Settings, pool: Pool) -> dict[str, str]:
    """Return the current texts of the readable sources that the last report cites, by place."""
    async with Run(watch.question, settings, journal=Journal(), pool=pool) as run:
        read = await texts_today(run, old, is_own=True)
        run.conclude(has_result=bool(read), failed=False)
    return {place_of(source): text for source, text in read}


async def check_due(store: WatchStore, today: Settings, pool: Pool) -> list[Checked]:
    """Check the due watches one after another, except those that another process is checking."""
    due = [watch for watch in await in_thread(store.all) if watch.is_due(datetime.now().astimezone())]
    results = [await check_watch(watch.id, store, today, pool, if_due=True) for watch in due]
    return [result for result in results if result is not None]


async def keep_watch(
    store: WatchStore, today: Settings, pool: Pool, tell: Callable[[str], object], pause: float = 30.0
) -> None:
    """Check due watches forever, with `pause` seconds in between; `tell` receives the problems."""
    while True:
        try:
            problems = [problem for result in await check_due(store, today, pool) for problem in result.problems]
        except (SpyglassError, OSError) as error:
            problems = [str(error)]
        for problem in problems:
            tell(problem)
        await asyncio.sleep(pause)
